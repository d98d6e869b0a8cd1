// Saving under a name: the session, or the script of the computation.
#include <fmt/format.h>

#include <filesystem>

#include "app/session/export/export_job.h"
#include "app/session/folder_listing.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/document_title.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/script/script_panel.h"
#include "app/ui/widgets/widgets.h"
#include "core/script/script.h"

namespace headscope::ui {
namespace {

// What one of the dialogs says beside folder and file, which lie in ExportDialogState::choice.
struct SaveForm {
  const char* title;
  const char* tooltip;
  std::string fact;     // what will be written
  std::string problem;  // why it cannot be
  bool replaces = false;
};

bool has_just_opened(const Ui& ui, DialogKind kind) {
  return ui.state.dialogs.shown != static_cast<int>(kind);
}

void begin_form(Ui& ui, const std::string& folder, const std::string& file) {
  ExportDialogState& state = ui.state.panels.get<ExportDialogState>();
  state.choice.folder = short_path(folder);
  state.choice.file = file;
  state.previewed.reset();
  ui.state.edits.erase("save/folder");
  ui.state.edits.erase("save/file");
  ui.state.focus = "save/file";
}

// True when it is to be written: by the button or Enter.
bool draw_form(Ui& ui, const Rect& window, const SaveForm& form) {
  ExportChoice& choice = ui.state.panels.get<ExportDialogState>().choice;
  const DialogFrame dialog = draw_dialog_frame(
      ui, window, {.name = "save", .title = form.title, .width = 520, .height = 250, .has_footer = true});
  if (ui.state.dialog == DialogKind::none) return false;
  const Rect area = inset(dialog.body, ui.px(20));
  float y = area.min.y;
  const auto field = [&](const char* label, const char* name, std::string& value, bool problem) {
    text_in(ui, {{area.min.x, y}, {area.min.x + ui.px(64), y + ui.px(26)}}, Type::words12, ui.colors.text2, label);
    text_field(ui, name, {{area.min.x + ui.px(64), y}, {area.max.x, y + ui.px(26)}}, value, label,
               {true, problem, form.tooltip});
    y += ui.px(38);
  };
  const bool entered = ui.state.focus.rfind("save/", 0) == 0 && ui.take_key(KeyName::enter);
  field("folder", "save/folder", choice.folder, false);
  field("file", "save/file", choice.file, !form.problem.empty());
  const Rect line{{area.min.x + ui.px(64), y}, {area.max.x, y + ui.px(20)}};
  if (!form.problem.empty()) {
    text_in(ui, line, Type::words12, ui.colors.bad, form.problem);
  } else if (form.replaces) {
    text_in(ui, line, Type::words12, ui.colors.warn, "A file of this name exists and is replaced.");
  } else {
    text_in(ui, line, Type::words12, ui.colors.text3, form.fact);
  }
  Rect footer{{dialog.footer.min.x + ui.px(20), dialog.footer.center().y - ui.px(15)},
              {dialog.footer.max.x - ui.px(20), dialog.footer.center().y + ui.px(15)}};
  ControlState control;
  const bool busy = ui.session.jobs.current().running;
  control.enabled = form.problem.empty() && !busy;
  control.tooltip = busy ? "An export is being written; wait for it or cancel it." : "Writes it (Enter).";
  const bool pressed = button(ui, "save/primary", take_right(footer, ui.px(112), ui.px(12)), "Save", control, true);
  if (button(ui, "save/cancel", take_right(footer, ui.px(96), ui.px(12)), "Cancel")) {
    close_dialog(ui);
    return false;
  }
  return pressed || (entered && control.enabled);
}

// "my" of "my.py".
std::string stem_of(const std::string& file, const std::string& ending) {
  return file.ends_with(ending) ? file.substr(0, file.size() - ending.size()) : file;
}

}  // namespace

void draw_save_dialog(Ui& ui, const Rect& window) {
  ExportDialogState& state = ui.state.panels.get<ExportDialogState>();
  const auto trace = ui.session.trace();
  if (trace == nullptr) return close_dialog(ui);
  if (has_just_opened(ui, DialogKind::save_session)) {
    state.choice = ExportChoice();
    state.choice.subject = ExportSubject::session;
    state.choice.format = ExportFile::json;
    state.choice.theme = ui.settings.theme;
    begin_form(ui, ui.settings.open_folder.empty() ? home_folder() : ui.settings.open_folder,
               suggested_file(state.choice, *trace, ui.session.view, ui.session.document.title));
  }
  if (state.previewed != state.choice) {
    state.forecast = forecast_of(state.choice, *trace, ui.session.view);
    state.previewed = state.choice;
  }
  if (!draw_form(ui, window,
                 {"Save session", "The request and the view, as JSON: opens in the window and with --session.",
                  "one file, " + bytes_text(state.forecast.bytes), state.forecast.problem, state.forecast.replaces})) {
    return;
  }
  remember_folder(ui.settings.open_folder, expanded_path(state.choice.folder));
  const ExportChoice choice = state.choice;
  const ViewState view = ui.session.view;
  const std::string job = "Save " + choice.file;
  ui.session.jobs.start(job,
                        [choice, view, trace](const CancelToken& cancel, const std::function<void(double)>& progress) {
                          return write_export(choice, *trace, view, cancel, progress);
                        });
  // What is written is what is shown.
  const Request& written = ui.session.stale() ? trace->request : ui.session.draft;
  note_saving(ui.state, {job, choice.file, {written, view.lesson}});
  remember_recent(ui.settings, expanded_path(choice.folder) + "/" + choice.file);
  close_dialog(ui);
}

void draw_save_script_dialog(Ui& ui, const Rect& window) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->preview || script_obstacle(*trace)) return close_dialog(ui);
  const ShownScript& script = shown_script(ui, trace);
  const std::string ending = script.language == ScriptLanguage::latex ? ".tex" : ".py";
  if (has_just_opened(ui, DialogKind::save_script)) {
    ui.state.panels.get<ExportDialogState>().choice = ExportChoice();
    begin_form(ui, ui.settings.export_folder.empty() ? default_export_folder() : ui.settings.export_folder,
               script.name);
  }
  const std::string folder = expanded_path(ui.state.panels.get<ExportDialogState>().choice.folder);
  const std::string typed = ui.state.panels.get<ExportDialogState>().choice.file, stem = stem_of(typed, ending);
  SaveForm form{"Save script", "The script; the tensors that it reads are written beside it under the same name.",
                fmt::format("{}{}, {} lines", stem, ending, script.lines.size()), file_name_problem(stem), false};
  if (form.problem.empty()) {
    std::vector<std::string> names = {stem + ending};
    if (!script.data_name.empty()) {
      names.push_back(stem + ".safetensors");
      form.fact += ", and " + names.back();
    }
    for (const std::string& name : names) {
      std::error_code ignored;
      form.replaces = form.replaces || std::filesystem::exists(std::filesystem::path(folder) / name, ignored);
    }
  }
  if (!draw_form(ui, window, form)) return;
  remember_folder(ui.settings.export_folder, folder);
  ui.session.jobs.start(
      fmt::format("Save {}{}", stem, ending),
      [=, language = script.language](const CancelToken& cancel, const std::function<void(double)>&) {
        std::string names;
        for (const std::string& name : write_script(script_of(*trace, language, stem), folder, cancel)) {
          names += (names.empty() ? "" : " and ") + name;
        }
        return fmt::format("Wrote {} to {}", names, short_path(folder));
      });
  close_dialog(ui);
}

}  // namespace headscope::ui
