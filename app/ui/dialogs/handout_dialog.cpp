// Export > Handout: the lesson for students, on paper or as a page for a browser.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/session/control_words.h"
#include "app/session/export/export_job.h"
#include "app/session/folder_listing.h"
#include "app/session/lesson_handout.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/dialogs/export_picture_form.h"
#include "app/ui/dialogs/sheet_dialog.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/handout_state.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/error.h"
#include "core/handout/handout_file.h"
#include "core/io/atomic_file.h"

namespace headscope::ui {
namespace {

constexpr int kPreviewWidth = 560;
constexpr float kRow = 33, kRows = 6;  // of the form

// "animals" of "animals.json"; a document that is no session's file has no name of its own.
std::string title_of_document(const Ui& ui) {
  const std::filesystem::path title = ui.session.document.title;
  const bool session = title.extension() == ".json" || title.extension() == ".html";
  return session ? title.stem().string() : "A lesson";
}

void start(Ui& ui, HandoutState& state) {
  if (state.title_is_ours) state.title = title_of_document(ui);
  state.folder = short_path(ui.settings.export_folder.empty() ? default_export_folder() : ui.settings.export_folder);
  for (const char* field : {"title", "folder", "file"}) ui.state.edits.erase(std::string("handout/") + field);
  ui.state.focus = "handout/file";
  ui.state.reveal_focus = true;
}

std::string stem_of(const std::string& file) {
  for (const std::string_view ending : {".pdf", ".html"}) {
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size());
  }
  return file;
}

std::string path_of(const HandoutState& state) {
  const std::string folder = expanded_path(state.folder);
  return (folder.empty() ? "" : folder + "/") + stem_of(state.file) + (state.page ? ".html" : ".pdf");
}

std::string counted(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// Lays the handout out, for its picture and what is said of it.
void lay_out(HandoutState& state, const Trace& trace, const Handout& handout) {
  state.preview = Image();
  state.facts.clear();
  state.missing.clear();
  state.shown_problem.clear();
  ++state.preview_version;
  try {
    const std::string stops = counted(handout.stops.size(), "stop");
    if (state.page) {
      const auto bytes = static_cast<std::int64_t>(handout_page(trace, handout).bytes);
      state.facts =
          fmt::format("{} beside live maps of all heads and layers, in one file of about {}", stops, bytes_text(bytes));
      return;
    }
    HandoutPreview preview = handout_preview(trace, handout, state.paper, kPreviewWidth);
    state.preview = std::move(preview.first);
    state.facts = fmt::format("{} on {}", stops, counted(static_cast<std::size_t>(preview.pages), "page"));
    state.missing = as_sentence(letters_missing_in(trace, handout));
  } catch (const UsageError& error) {
    state.shown_problem = control_words(error.reason());
  } catch (const Error& error) {
    state.shown_problem = control_words(error.what());
  }
}

// Says what stands in the way of what is chosen, and draws the first page anew when something changed.
void refresh(Ui& ui, HandoutState& state) {
  state.problem.clear();
  state.problem_option.clear();
  if (state.title != title_of_document(ui)) state.title_is_ours = false;
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  const Handout handout = handout_of(ui.session.view, state.title);
  if (handout.stops.empty()) {
    state.problem = kNoLesson;
  } else if (trace == nullptr) {
    state.problem = "Nothing is computed yet.";
  } else if (trace->preview || ui.session.computing()) {
    state.problem = "The exact numbers of the last edit are not there yet.";
  } else {
    const bool same = state.shown == handout && state.shown_trace == trace && state.shown_page == state.page &&
                      state.shown_paper == state.paper;
    if (!same) {
      lay_out(state, *trace, handout);
      state.shown = handout;
      state.shown_trace = trace;
      state.shown_page = state.page;
      state.shown_paper = state.paper;
    }
    state.problem = state.shown_problem;
  }
  if (!state.problem.empty()) return;
  state.problem = file_name_problem(stem_of(state.file));
  if (!state.problem.empty()) state.problem_option = "file";
}

class Form {
 public:
  // `y`: where its first row is; `area` says how wide the rows are.
  Form(Ui& ui, HandoutState& state, const Rect& area, float y) : ui_(ui), state_(state), area_(area), y_(y) {}

  void draw() {
    text("title", "title", state_.title, "A lesson", "Stands above the first stop and at the foot of every page.");
    int form = state_.page ? 1 : 0;
    if (segments(ui_, "handout/form", narrow(row("as")), {"PDF", "web page"}, form,
                 {true, false, "Pages of paper, or one file for a browser with live maps that needs no network."})) {
      state_.page = form == 1;
    }
    const bool paper = !state_.page;
    int size = state_.paper.size == SheetSize::letter ? 1 : 0;
    if (segments(ui_, "handout/paper", narrow(row("paper")), {"A4", "letter"}, size,
                 {paper, false, "The size of the pages."})) {
      state_.paper.size = size == 1 ? SheetSize::letter : SheetSize::a4;
    }
    int stops = state_.paper.stops_per_page - 1;
    if (segments(
            ui_, "handout/stops", narrow(row("a page")), {"1 stop", "2 stops"}, stops,
            {paper, false, "With two the words stand beside the map; a stop that needs more room has its own page."})) {
      state_.paper.stops_per_page = stops + 1;
    }
    text("folder", "folder", state_.folder, "~/Documents", "Made when it is not there; remembered for exports.");
    text("file", "file", state_.file, "handout.pdf", "All stops of the lesson, in their order.");
  }

 private:
  Rect row(const char* label) {
    const float top = y_;
    const Rect place = labelled_row(ui_, area_, y_, label);
    y_ = top + ui_.px(kRow);
    return place;
  }
  Rect narrow(Rect place) const {
    place.max.x = std::min(place.max.x, place.min.x + ui_.px(150));
    return place;
  }
  void text(const char* label, const char* name, std::string& value, const char* hint, const char* help) {
    text_field(ui_, std::string("handout/") + name, row(label), value, hint,
               {true, state_.problem_option == name, help});
  }

  Ui& ui_;
  HandoutState& state_;
  const Rect area_;
  float y_;
};

// The words below the fields say why the handout cannot be written, or that a file would be replaced.
std::pair<Rgba, std::string> facts_of(const Ui& ui, const HandoutState& state) {
  if (!state.problem.empty()) return {ui.colors.bad, state.problem};
  std::error_code ignored;
  const std::string before = state.missing.empty() ? "" : state.missing + " ";
  if (std::filesystem::exists(path_of(state), ignored)) {
    return {ui.colors.warn, before + "A file of this name exists and is replaced."};
  }
  return {before.empty() ? ui.colors.text3 : ui.colors.warn, before + state.facts};
}

// The fields, which scroll in a small window, and the facts below them, which stay in sight.
void draw_form(Ui& ui, HandoutState& state, const Rect& area) {
  draw_sheet_form(ui, "handout/scroll", area, kRows * ui.px(kRow), facts_of(ui, state),
                  [&](float top) { Form(ui, state, area, top).draw(); });
}

void draw_preview(Ui& ui, const HandoutState& state, const Rect& area) {
  draw_sheet_preview(ui, "handout/preview", area, 0xE4909u, state.preview_version,
                     state.page ? Image() : state.preview);
  if (state.page) {
    paragraph(
        ui, inset(area, ui.px(10)), Type::words12, ui.colors.text2,
        "The words of each stop stand at the left; a click on its number sets the maps beside it to what it shows. "
        "Every number is there on mouse move, every head and layer can be chosen. The page opens in Headscope, too.");
  }
}

void write_now(Ui& ui, const HandoutState& state) {
  const std::string folder = expanded_path(state.folder);
  remember_folder(ui.settings.export_folder, folder);
  const HandoutFile file{path_of(state), state.page, state.paper};
  const std::string name = std::filesystem::path(file.path).filename().string();
  ExportDialogState& exports = ui.state.panels.get<ExportDialogState>();
  exports.written = file.path;
  exports.written_title = "Handout " + name;
  ui.session.jobs.start(exports.written_title, [=, trace = ui.session.trace(), handout = *state.shown,
                                                view = ui.session.view](const CancelToken& cancel,
                                                                        const std::function<void(double)>& progress) {
    make_folder(folder);
    const int pages = write_handout(file, *trace, handout, view, cancel, progress);
    const std::string stops = counted(handout.stops.size(), "stop");
    return fmt::format("Wrote {}, {}{}, to {}", name, stops,
                       pages == 0 ? "" : " on " + counted(static_cast<std::size_t>(pages), "page"), short_path(folder));
  });
  close_dialog(ui);
}

void draw_footer(Ui& ui, const HandoutState& state, const Rect& footer) {
  SheetFooter buttons = draw_sheet_footer(ui, "handout", state.problem, footer);
  if (buttons.cancelled) return close_dialog(ui);
  if (buttons.write) write_now(ui, state);
}

}  // namespace

void draw_handout_dialog(Ui& ui, const Rect& window) {
  HandoutState& state = ui.state.panels.get<HandoutState>();
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::handout)) start(ui, state);
  refresh(ui, state);
  const DialogFrame dialog = draw_dialog_frame(
      ui, window, {.name = "handout", .title = "Handout", .width = 780, .height = 560, .has_footer = true});
  if (ui.state.dialog == DialogKind::none) return;
  Rect body = inset(dialog.body, ui.px(20));
  const Rect right = take_right(body, std::min(ui.px(310), std::floor(body.width() * 0.42f)), ui.px(20));
  draw_form(ui, state, body);
  draw_preview(ui, state, right);
  draw_footer(ui, state, dialog.footer);
}

}  // namespace headscope::ui
