#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/session/control_words.h"
#include "app/session/export/export_job.h"
#include "app/session/folder_listing.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/dialogs/export_picture_form.h"
#include "app/ui/dialogs/export_preview.h"
#include "app/ui/dialogs/exported.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/file_choice.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/error.h"
#include "core/picture/figure/figure.h"
#include "core/picture/paper.h"

namespace headscope::ui {
namespace {

struct ExportForm {
  float height = 0;     // of the last frame: what is higher than the dialog scrolls
  bool changed = true;  // it has another height, or was opened: it scrolls to the control with the keyboard
};

void choose_subject(Ui& ui, ExportDialogState& state, ExportSubject subject) {
  state.choice.subject = subject;
  const std::vector<ExportFile> formats = formats_of(subject);
  if (std::find(formats.begin(), formats.end(), state.choice.format) == formats.end())
    state.choice.format = formats.front();
  state.name_is_ours = true;
  ui.state.edits.erase("export/file");
}

void start(Ui& ui, ExportDialogState& state) {
  state.choice.theme = ui.settings.theme;
  state.choice.scale = ui.settings.export_scale;
  state.choice.paper = paper_of_words(ui.settings.export_paper);
  state.choice.csv_safe = ui.settings.export_csv_safe;
  state.choice.heads = "all";
  start_picture_form(ui, state);
  state.choice.folder =
      short_path(ui.settings.export_folder.empty() ? default_export_folder() : ui.settings.export_folder);
  state.choice.format = ExportFile::png;
  for (const ExportFile format : {ExportFile::svg, ExportFile::pdf, ExportFile::html, ExportFile::csv, ExportFile::npy,
                                  ExportFile::safetensors}) {
    if (ui.settings.export_format == ending_of(format)) state.choice.format = format;
  }
  choose_subject(ui, state, usual_subject(ui.session.view, shown_pair(ui).has_value()));
  state.previewed.reset();
  ui.state.edits.erase("export/folder");
  ui.state.focus = "export/file";
  ui.state.panels.get<ExportForm>().changed = true;
}

constexpr int kPreviewDpi = 150;

// Draws it, where the choice is a picture. Returns why it cannot be drawn, or "".
std::string draw_preview(ExportDialogState& state, const Exported& of) {
  const auto spec = figure_of(state.choice, *of.trace, of.view);
  if (!spec) return "";
  ViewSpec small = fitted_view(*spec, *of.trace);
  small.scale = 1;
  if (is_for_paper(small)) small.paper.dpi = std::min(small.paper.dpi.value_or(kPreviewDpi), kPreviewDpi);
  try {
    state.preview = draw_figure(of.source(), small);
    return "";
  } catch (const UsageError& error) {
    return control_words(error.what());
  }
}

// Names the file after the choices and makes forecast and preview when something changed.
void refresh(Ui& ui, ExportDialogState& state, const Exported& of) {
  if (state.name_is_ours) {
    state.choice.file = suggested_file(state.choice, *of.trace, of.view, ui.session.document.title);
  }
  const bool same_words = state.previewed_problem == state.typed_problem;
  if (same_words && state.previewed == state.choice && state.previewed_trace == of.trace &&
      state.previewed_against == of.against && state.previewed_sweep == of.sweep &&
      state.previewed_corpus == of.corpus && state.previewed_gradients == of.gradients) {
    return;
  }
  state.previewed_problem = state.typed_problem;
  state.forecast = forecast_of(state.choice, of.source(), of.view);
  if (is_picture(state.choice.format) && !state.typed_problem.empty()) state.forecast.problem = state.typed_problem;
  state.preview = Image();
  if (state.forecast.problem.empty()) state.forecast.problem = draw_preview(state, of);
  ++state.preview_version;
  state.previewed = state.choice;
  state.previewed_trace = of.trace;
  state.previewed_against = of.against;
  state.previewed_sweep = of.sweep;
  state.previewed_corpus = of.corpus;
  state.previewed_gradients = of.gradients;
}

void draw_subjects(Ui& ui, ExportDialogState& state, const Rect& area) {
  const std::vector<ExportSubject> subjects = subjects_of(ui.session.view, shown_pair(ui).has_value());
  const float content = ui.px(44) + ui.px(32) * static_cast<float>(subjects.size());
  const ScrollArea scroll = begin_scroll(ui, "export/subjects", area, content);
  float y = area.min.y - scroll.offset;
  text(ui, {area.min.x + ui.px(20), y + ui.px(14)}, Type::title13, ui.colors.text, "What");
  y += ui.px(40);
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  for (const ExportSubject subject : subjects) {
    const Rect line{{area.min.x + ui.px(10), y}, {area.max.x - ui.px(10), y + ui.px(30)}};
    const bool is_window = subject == ExportSubject::window;
    const char* const tooltip = is_window ? "The whole window as it is on the screen." : "What is written.";
    const Exported of = exported(ui, subject);
    const std::string fact =
        subject_fact(subject, *of.trace, of.view, static_cast<int>(window.x), static_cast<int>(window.y));
    if (radio(ui, std::string("export/what/") + subject_name(subject), line,
              {.label = subject_title(subject, of.view), .fact = fact, .on = state.choice.subject == subject},
              {true, false, tooltip}))
      choose_subject(ui, state, subject);
    y += ui.px(32);
  }
  end_scroll(ui);
  divider(ui, {area.max.x, area.min.y}, {area.max.x, area.max.y});
}

void draw_format(Ui& ui, ExportDialogState& state, const Rect& form, float& y) {
  const std::vector<ExportFile> formats = formats_of(state.choice.subject);
  std::vector<std::string> words;
  int selected = 0;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    words.emplace_back(formats[i] == ExportFile::png    ? "PNG"
                       : formats[i] == ExportFile::svg  ? "SVG"
                       : formats[i] == ExportFile::pdf  ? "PDF"
                       : formats[i] == ExportFile::html ? "HTML"
                       : formats[i] == ExportFile::csv  ? "CSV"
                       : formats[i] == ExportFile::npy  ? "NPY"
                                                        : ending_of(formats[i]));
    if (formats[i] == state.choice.format) selected = static_cast<int>(i);
  }
  Rect line = labelled_row(ui, form, y, "format");
  line.max.x = std::min(line.max.x, line.min.x + ui.px(66) * static_cast<float>(words.size()));
  ControlState control;
  control.tooltip =
      "PNG is a picture in pixels, SVG and PDF are shapes and words; HTML is a page with the numbers of every cell; "
      "CSV, NPY and safetensors hold the numbers "
      "themselves, "
      "exactly.";
  if (segments(ui, "export/format", line, words, selected, control))
    state.choice.format = formats[static_cast<std::size_t>(selected)];
}

void draw_table_options(Ui& ui, ExportDialogState& state, const Rect& form, float& y) {
  if (state.choice.format != ExportFile::csv) return;
  checkbox(ui, "export/csv_safe", labelled_row(ui, form, y, ""), "safe for spreadsheets", state.choice.csv_safe,
           {true, false,
            "An apostrophe before tokens that a spreadsheet would take for formulas: those that begin with = + - @."});
  if (state.forecast.files == 1) return;
  Rect line = labelled_row(ui, form, y, "layout");
  int selected = state.choice.csv_long ? 1 : 0;
  ControlState control;
  control.tooltip = "matrix: a file for every batch and head, tokens on both sides. long: one table, a value a line.";
  if (segments(ui, "export/csv", {line.min, {line.min.x + ui.px(150), line.max.y}}, {"matrix", "long"}, selected,
               control))
    state.choice.csv_long = selected == 1;
}

void draw_target(Ui& ui, ExportDialogState& state, const Rect& form, float& y) {
  divider(ui, {form.min.x, y}, {form.max.x, y});
  y += ui.px(14);
  ControlState control;
  Rect line = labelled_row(ui, form, y, "folder");
  control.tooltip = "Made when it is not there; remembered for the next export.";
  const Rect browse = take_right(line, ui.px(86), ui.px(8));
  text_field(ui, "export/folder", line, state.choice.folder, "~/Pictures", control);
  control.tooltip = "Choose a folder from a list.";
  if (button(ui, "export/browse", browse, "Browse...", control)) {
    ui.state.panels.get<FileChoice>().purpose = "export folder";
    ui.state.dialog = DialogKind::choose_file;
  }
  line = labelled_row(ui, form, y, "file");
  control.problem = !state.forecast.problem.empty();
  control.tooltip = "A name that you type stays; else it follows the choices above.";
  if (text_field(ui, "export/file", line, state.choice.file, "name", control)) state.name_is_ours = false;
}

void remember(Ui& ui, const ExportChoice& choice) {
  remember_folder(ui.settings.export_folder, expanded_path(choice.folder));
  ui.settings.export_scale = choice.scale;
  ui.settings.export_paper = words_of_paper(choice.paper);
  ui.settings.export_csv_safe = choice.csv_safe;
  if (choice.format != ExportFile::json) ui.settings.export_format = ending_of(choice.format);
}

void export_now(Ui& ui, ExportDialogState& state, const Exported& of) {
  remember(ui, state.choice);
  state.written = expanded_path(state.choice.folder) + "/" + state.choice.file;
  state.written_title = "Export " + state.choice.file;
  if (state.choice.subject == ExportSubject::window) {
    ui.push(CommandId::show_window_picture, expanded_path(state.choice.folder) + "/" + state.choice.file);
  } else {
    const ExportChoice choice = state.choice;
    ui.session.jobs.start("Export " + choice.file,
                          [choice, of](const CancelToken& cancel, const std::function<void(double)>& progress) {
                            return write_export(choice, of.source(), of.view, cancel, progress);
                          });
  }
  close_dialog(ui);
}

void draw_footer(Ui& ui, ExportDialogState& state, const Exported& of, const Rect& footer) {
  Rect area{{footer.min.x + ui.px(20), footer.min.y}, {footer.max.x - ui.px(20), footer.max.y}};
  const float top = footer.center().y - ui.px(15), bottom = footer.center().y + ui.px(15);
  const Rect primary = take_right(area, ui.px(112), ui.px(12));
  const Rect cancel = take_right(area, ui.px(96), ui.px(12));
  ControlState control;
  const bool busy = ui.session.jobs.current().running;
  control.enabled = state.forecast.problem.empty() && !busy && !of.trace->preview;
  control.tooltip = busy                             ? "Another export is being written; wait for it or cancel it."
                    : of.trace->preview              ? "The exact numbers of the last edit are not there yet."
                    : state.forecast.problem.empty() ? "Write it (Enter)."
                                                     : state.forecast.problem.c_str();
  const bool pressed =
      button(ui, "export/primary", {{primary.min.x, top}, {primary.max.x, bottom}}, "Export", control, true);
  const bool entered = control.enabled && ui.state.focus.rfind("export/f", 0) == 0 && ui.take_key(KeyName::enter);
  if (button(ui, "export/cancel", {{cancel.min.x, top}, {cancel.max.x, bottom}}, "Cancel")) {
    return close_dialog(ui);
  }
  const std::string command = equivalent_command(state.choice, *of.trace, of.view);
  if (!command.empty()) {
    const Rect copy = take_right(area, ui.px(24), ui.px(6));
    if (icon_button(ui, "export/copy_command", {{copy.min.x, top + ui.px(3)}, {copy.max.x, bottom - ui.px(3)}},
                    Icon::copy, {true, false, "Copy the command that writes the same."}))
      ui.set_clipboard(command);
    const float words = text_width(ui, Type::words12, "Same as ");
    text_in(ui, area, Type::words12, ui.colors.text2, "Same as ");
    text_in(ui, {{area.min.x + words, area.min.y}, area.max}, Type::mono11, ui.colors.text, command);
  }
  if (pressed || entered) export_now(ui, state, of);
}

// All fields, from the format to the preview. In a small window they scroll, and the preview keeps a height of its own.
void draw_form(Ui& ui, ExportDialogState& state, const Rect& body) {
  const Rect form{{body.min.x + ui.px(18), body.min.y}, {body.max.x - ui.px(20), body.max.y - ui.px(14)}};
  ExportForm& known = ui.state.panels.get<ExportForm>();
  if (std::exchange(known.changed, false)) ui.state.reveal_focus = true;
  // Rings around controls stand a little out of the form; the bar of the scrolling stands at its right.
  const Rect seen{{form.min.x - ui.px(4), form.min.y + ui.px(1)}, {body.max.x - ui.px(4), body.max.y}};
  const ScrollArea scroll = begin_scroll(ui, "export/form", seen, known.height);
  const float top = form.min.y - scroll.offset;
  float y = top + ui.px(14);
  draw_format(ui, state, form, y);
  if (is_picture(state.choice.format)) draw_picture_form(ui, state, form, y);
  draw_table_options(ui, state, form, y);
  draw_target(ui, state, form, y);
  draw_export_warning(ui, state, form, y);
  const float preview = y + ui.px(110);
  draw_export_preview(ui, state, {{form.min.x, y}, {form.max.x, std::max(preview, form.max.y)}});
  end_scroll(ui);
  const float height = preview + ui.px(14) - top;
  if (std::abs(height - known.height) < 1) return;
  known.height = height;
  known.changed = ui.state.wants_frame = true;
}

}  // namespace

void draw_export_dialog(Ui& ui, const Rect& window) {
  ExportDialogState& state = ui.state.panels.get<ExportDialogState>();
  const auto trace = ui.session.trace();
  if (trace == nullptr) return close_dialog(ui);
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::export_dialog) && !state.resumes) start(ui, state);
  state.resumes = false;
  const bool gone = state.choice.subject == ExportSubject::difference || state.choice.subject == ExportSubject::first ||
                    state.choice.subject == ExportSubject::second;
  if (gone && !shown_pair(ui)) choose_subject(ui, state, usual_subject(ui.session.view, false));
  const Exported of = exported(ui, state.choice.subject);
  refresh(ui, state, of);
  const DialogFrame dialog = draw_dialog_frame(
      ui, window, {.name = "export", .title = "Export", .width = 780, .height = 680, .has_footer = true});
  Rect body = dialog.body;
  const Rect left = take_left(body, ui.px(220), 0);
  draw_subjects(ui, state, left);
  draw_form(ui, state, body);
  draw_footer(ui, state, of, dialog.footer);
}

}  // namespace headscope::ui
