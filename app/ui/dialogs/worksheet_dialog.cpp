// Export > Worksheet: sheets of attention to compute by hand, one a student, with their solutions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/control_words.h"
#include "app/session/export/export_job.h"
#include "app/session/folder_listing.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/dialogs/export_picture_form.h"
#include "app/ui/dialogs/sheet_dialog.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "app/ui/worksheet_state.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/io/atomic_file.h"
#include "core/request/request_text.h"
#include "core/worksheet/worksheet.h"
#include "core/worksheet/worksheet_file.h"

namespace headscope::ui {
namespace {

constexpr int kPreviewWidth = 560;
constexpr float kRow = 33, kRows = 11;  // of the form

std::vector<std::string> words_in(const std::string& phrase) {
  std::vector<std::string> words;
  for (const std::string_view word : words_of(phrase)) words.emplace_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string phrase;
  for (const std::string& word : words) phrase += (phrase.empty() ? "" : " ") + word;
  return phrase;
}

void start(Ui& ui, WorksheetState& state) {
  if (!state.begun) {
    state.begun = true;
    // The phrase of the window where a hand can compute it.
    WorksheetSpec own;
    own.words = words_in(ui.session.draft.phrase);
    try {
      check_worksheet(own);
    } catch (const UsageError&) {
      own = WorksheetSpec();
    }
    state.phrase = joined(own.words);
    state.cells = blank_choices_text(own.blanks);
  }
  state.folder = short_path(ui.settings.export_folder.empty() ? default_export_folder() : ui.settings.export_folder);
  for (const char* field : {"phrase", "cells", "folder", "file"}) {
    ui.state.edits.erase(std::string("worksheet/") + field);
  }
  ui.state.focus = "worksheet/file";
  ui.state.reveal_focus = true;
}

// "class" of "class.pdf".
std::string stem_of(const std::string& file) {
  return file.ends_with(".pdf") ? file.substr(0, file.size() - 4) : file;
}

WorksheetFiles files_of(const WorksheetState& state, const std::string& folder) {
  const std::string stem = (folder.empty() ? "" : folder + "/") + stem_of(state.file);
  return {stem + ".pdf", state.solutions ? stem + ".csv" : ""};
}

// Reads what is typed, says what stands in its way, and draws the first page anew when it changed.
void refresh(WorksheetState& state) {
  state.problem.clear();
  state.problem_option.clear();
  try {
    state.spec.words = words_in(state.phrase);
    state.spec.sheets = static_cast<int>(std::clamp<std::int64_t>(state.sheets, 0, kMostSheets + 1));
    state.spec.blanks = blank_choices_of(state.cells);
    check_worksheet(state.spec);
    state.problem = file_name_problem(stem_of(state.file));
    if (!state.problem.empty()) state.problem_option = "out";
  } catch (const UsageError& error) {
    state.problem = control_words(error.reason());
    state.problem_option = error.option();
  }
  if (!state.problem.empty() || (state.previewed == state.spec && state.previewed_size == state.size)) return;
  state.preview = worksheet_preview(state.spec, state.size, kPreviewWidth);
  state.pages = student_pages(state.spec, state.size);
  ++state.preview_version;
  state.previewed = state.spec;
  state.previewed_size = state.size;
}

// The command that writes the same.
std::string command_of(const WorksheetState& state) {
  const WorksheetSpec usual;
  std::string command = "headscope-cli worksheet";
  const auto add = [&](const char* option, const std::string& value, bool differs) {
    if (differs) command += fmt::format(" --{} {}", option, shell_quoted(value));
  };
  const WorksheetSpec& spec = state.spec;
  add("phrase", joined(spec.words), spec.words != usual.words);
  add("d-model", fmt::format("{}", spec.d_model), spec.d_model != usual.d_model);
  add("heads", fmt::format("{}", spec.heads), spec.heads != usual.heads);
  add("mask", "causal", spec.causal);
  add("cells", blank_choices_text(spec.blanks), spec.blanks != usual.blanks);
  add("sheets", fmt::format("{}", spec.sheets), spec.sheets != usual.sheets);
  add("seed", fmt::format("{}", spec.seed), spec.seed != usual.seed);
  add("paper", sheet_size_name(state.size), state.size != SheetSize::a4);
  const WorksheetFiles files = files_of(state, "");
  add("out", files.pdf, true);
  add("solutions", files.solutions, state.solutions);
  return command;
}

class Form {
 public:
  // `y`: where its first row is; `area` says how wide the rows are.
  Form(Ui& ui, WorksheetState& state, const Rect& area, float y) : ui_(ui), state_(state), area_(area), y_(y) {}

  void draw() {
    text("words", "phrase", state_.phrase, "3 or 4 words",
         "3 or 4 words of at most 12 letters: the rows and columns of the sheet.");
    choose("features", "d-model", {"2", "3", "4"}, state_.spec.d_model, 2, "Numbers a word has in all heads together.");
    choose("heads", "heads", {"1", "2"}, state_.spec.heads, 1, "Two heads share the features: 2 or 4 of them.");
    int mask = state_.spec.causal ? 1 : 0;
    if (segments(ui_, "worksheet/mask", narrow(row("mask"), 150), {"none", "causal"}, mask,
                 {true, false, "Causal: no word sees a later one."})) {
      state_.spec.causal = mask == 1;
    }
    text("blanks", "cells", state_.cells, "8",
         "How many cells are left blank, drawn from all stages in turn; or which: "
         "raw_scores:2,weights:all,output[1,0].");
    stepper(ui_, "worksheet/sheets", narrow(row("sheets"), 150), state_.sheets, {{}, 1, kMostSheets},
            {true, state_.problem_option == "sheets", "One a student, each with numbers of its own."});
    seed_stepper(ui_, "worksheet/seed", narrow(row("seed"), 150), state_.spec.seed,
                 {true, state_.problem_option == "seed",
                  "Of the first sheet; each sheet has the next one. The same seed is the same sheet again."});
    int size = state_.size == SheetSize::letter ? 1 : 0;
    if (segments(ui_, "worksheet/paper", narrow(row("paper"), 150), {"A4", "letter"}, size,
                 {true, false, "The size of the pages."})) {
      state_.size = size == 1 ? SheetSize::letter : SheetSize::a4;
    }
    checkbox(ui_, "worksheet/solutions", row(""), "solutions also as a table (CSV)", state_.solutions,
             {true, false, "For the teacher: a line a blank, with sheet, seed, cell, value and calculation."});
    text("folder", "folder", state_.folder, "~/Documents", "Made when it is not there; remembered for exports.");
    text("file", "file", state_.file, "worksheet.pdf", "All sheets, then the solutions of each on pages of their own.");
  }

 private:
  Rect row(const char* label) {
    const float top = y_;
    const Rect place = labelled_row(ui_, area_, y_, label);
    y_ = top + ui_.px(kRow);
    return place;
  }
  Rect narrow(Rect place, float width) const {
    place.max.x = std::min(place.max.x, place.min.x + ui_.px(width));
    return place;
  }
  void text(const char* label, const char* name, std::string& value, const char* hint, const char* help) {
    const bool problem =
        state_.problem_option == name || (state_.problem_option == "out" && std::string_view(name) == "file");
    text_field(ui_, std::string("worksheet/") + name, row(label), value, hint, {true, problem, help});
  }
  void choose(const char* label, const char* name, const std::vector<std::string>& words, int& value, int first,
              const char* help) {
    int selected = value - first;
    const Rect place = narrow(row(label), 50 * static_cast<float>(words.size()));
    if (segments(ui_, std::string("worksheet/") + name, place, words, selected,
                 {true, state_.problem_option == name, help})) {
      value = first + selected;
    }
  }

  Ui& ui_;
  WorksheetState& state_;
  const Rect area_;
  float y_;
};

// The words below the fields say why the sheets cannot be written, or that a file would be replaced.
std::pair<Rgba, std::string> facts_of(const Ui& ui, const WorksheetState& state) {
  if (!state.problem.empty()) return {ui.colors.bad, state.problem};
  const WorksheetFiles files = files_of(state, expanded_path(state.folder));
  std::error_code ignored;
  const bool replaces = std::filesystem::exists(files.pdf, ignored) ||
                        (state.solutions && std::filesystem::exists(files.solutions, ignored));
  std::string before = as_sentence(missing_letters_words(state.spec));
  if (!before.empty()) before += ' ';
  if (replaces) return {ui.colors.warn, before + "A file of this name exists and is replaced."};
  return {before.empty() ? ui.colors.text3 : ui.colors.warn,
          fmt::format("{}{} {} of {} {} and the solutions", before, state.spec.sheets,
                      state.spec.sheets == 1 ? "sheet" : "sheets", state.pages, state.pages == 1 ? "page" : "pages")};
}

// The fields, which scroll in a small window, and the facts below them, which stay in sight.
void draw_form(Ui& ui, WorksheetState& state, const Rect& area) {
  draw_sheet_form(ui, "worksheet/form", area, kRows * ui.px(kRow), facts_of(ui, state),
                  [&](float top) { Form(ui, state, area, top).draw(); });
}

void write_now(Ui& ui, const WorksheetState& state) {
  const std::string folder = expanded_path(state.folder);
  remember_folder(ui.settings.export_folder, folder);
  const WorksheetFiles files = files_of(state, folder);
  const std::string title = "Worksheet " + stem_of(state.file) + ".pdf";
  ExportDialogState& exports = ui.state.panels.get<ExportDialogState>();
  exports.written = files.pdf;
  exports.written_title = title;
  ui.session.jobs.start(title, [=, spec = state.spec, size = state.size](const CancelToken& cancel,
                                                                         const std::function<void(double)>& progress) {
    make_folder(folder);
    write_worksheet(files, spec, size, cancel, progress);
    return fmt::format("Wrote {} {} and the solutions to {}", spec.sheets, spec.sheets == 1 ? "sheet" : "sheets",
                       short_path(folder));
  });
  close_dialog(ui);
}

void draw_footer(Ui& ui, const WorksheetState& state, const Rect& footer) {
  SheetFooter buttons = draw_sheet_footer(ui, "worksheet", state.problem, footer);
  if (buttons.cancelled) return close_dialog(ui);
  if (state.problem.empty()) {
    const std::string command = command_of(state);
    const Rect copy = take_right(buttons.rest, ui.px(24), ui.px(6));
    if (icon_button(ui, "worksheet/copy_command",
                    {{copy.min.x, buttons.rest.min.y + ui.px(3)}, {copy.max.x, buttons.rest.max.y - ui.px(3)}},
                    Icon::copy, {true, false, "Copy the command that writes the same."})) {
      ui.set_clipboard(command);
    }
    const Rect words = take_left(buttons.rest, std::ceil(text_width(ui, Type::words12, "Same as ")), ui.px(2));
    text_in(ui, words, Type::words12, ui.colors.text2, "Same as ");
    text_in(ui, buttons.rest, Type::mono11, ui.colors.text, command);
  }
  if (buttons.write) write_now(ui, state);
}

}  // namespace

void draw_worksheet_dialog(Ui& ui, const Rect& window) {
  WorksheetState& state = ui.state.panels.get<WorksheetState>();
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::worksheet)) start(ui, state);
  refresh(state);
  const DialogFrame dialog = draw_dialog_frame(
      ui, window, {.name = "worksheet", .title = "Worksheet", .width = 780, .height = 560, .has_footer = true});
  if (ui.state.dialog == DialogKind::none) return;
  Rect body = inset(dialog.body, ui.px(20));
  const Rect right = take_right(body, std::min(ui.px(310), std::floor(body.width() * 0.42f)), ui.px(20));
  draw_form(ui, state, body);
  draw_sheet_preview(ui, "worksheet/preview", right, 0xE4908u, state.preview_version, state.preview);
  draw_footer(ui, state, dialog.footer);
}

}  // namespace headscope::ui
