// Saving the session under a name.
#include "app/session/export_job.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/widgets.h"

namespace headscope::ui {

void draw_save_dialog(Ui& ui, const Rect& window) {
  ExportDialogState& state = ui.state.dialogs.exporting;
  const auto trace = ui.session.trace();
  if (trace == nullptr) return close_dialog(ui);
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::save_session)) {
    state.choice = ExportChoice();
    state.choice.subject = ExportSubject::session;
    state.choice.format = ExportFile::json;
    state.choice.folder = short_path(ui.settings.open_folder.empty() ? home_folder() : ui.settings.open_folder);
    state.choice.file = suggested_file(state.choice, *trace, ui.session.view, ui.state.title);
    state.previewed.reset();
    ui.state.edits.erase("save/folder");
    ui.state.edits.erase("save/file");
    ui.state.focus = "save/file";
  }
  if (state.previewed != state.choice) {
    state.forecast = forecast_of(state.choice, *trace, ui.session.view);
    state.previewed = state.choice;
  }
  const DialogFrame dialog = draw_dialog_frame(ui, window, "save", "Save session", 520, 250, true);
  if (ui.state.dialog == DialogKind::none) return;
  const Rect area = inset(dialog.body, ui.px(20));
  float y = area.min.y;
  const auto field = [&](const char* label, const char* name, std::string& value, bool problem) {
    text_in(ui, {{area.min.x, y}, {area.min.x + ui.px(64), y + ui.px(26)}}, Type::words12, ui.colors.text2, label);
    ControlState control;
    control.problem = problem;
    control.tooltip = "The request and the view, as JSON: opens in the window and with --session.";
    text_field(ui, name, {{area.min.x + ui.px(64), y}, {area.max.x, y + ui.px(26)}}, value, label, control);
    y += ui.px(38);
  };
  const bool entered = ui.state.focus.rfind("save/", 0) == 0 && ui.take_key(KeyName::enter);
  field("folder", "save/folder", state.choice.folder, false);
  field("file", "save/file", state.choice.file, !state.forecast.problem.empty());
  const Rect line{{area.min.x + ui.px(64), y}, {area.max.x, y + ui.px(20)}};
  if (!state.forecast.problem.empty()) {
    text_in(ui, line, Type::words12, ui.colors.bad, state.forecast.problem);
  } else if (state.forecast.replaces) {
    text_in(ui, line, Type::words12, ui.colors.warn, "A file of this name exists and is replaced.");
  } else {
    text_in(ui, line, Type::words12, ui.colors.text3, "one file, " + size_text(state.forecast.bytes));
  }
  Rect footer{{dialog.footer.min.x + ui.px(20), dialog.footer.center().y - ui.px(15)},
              {dialog.footer.max.x - ui.px(20), dialog.footer.center().y + ui.px(15)}};
  ControlState control;
  const bool busy = ui.session.job().running;
  control.enabled = state.forecast.problem.empty() && !busy;
  control.tooltip = busy ? "An export is being written; wait for it or cancel it." : "Write the session (Enter).";
  const bool pressed = button(ui, "save/primary", take_right(footer, ui.px(112), ui.px(12)), "Save", control, true);
  if (button(ui, "save/cancel", take_right(footer, ui.px(96), ui.px(12)), "Cancel")) return close_dialog(ui);
  if (!(pressed || (entered && control.enabled))) return;
  ui.settings.open_folder = expanded_path(state.choice.folder);
  const ExportChoice choice = state.choice;
  const ViewState view = ui.session.view;
  ui.session.start_job("Save " + choice.file,
                       [choice, view, trace](const CancelToken& cancel, const std::function<void(double)>& progress) {
                         return write_export(choice, *trace, view, cancel, progress);
                       });
  remember_recent(ui.settings, expanded_path(choice.folder) + "/" + choice.file);
  ui.state.title = choice.file;
  close_dialog(ui);
}

}  // namespace headscope::ui
