#include "app/ui/export_actions.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "app/session/desktop_programs.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/file_name.h"

namespace headscope::ui {

namespace {

struct Action {
  const char* name;
  const char* label;
  const char* tooltip;
  const char* (*obstacle)();  // what is missing when it is not possible
  bool (*possible)();
  void (*act)(const std::string& path);
  bool pictures_only = false;
};

void show_in_folder(const std::string& path) {
  open_with_desktop(std::filesystem::path(path).parent_path().string());
}

constexpr Action kActions[] = {
    {"copy", "Copy image", "The picture goes to the clipboard.", why_no_image_copier, can_copy_image, copy_image, true},
    {"folder", "Show in folder", "Opens the folder that holds the file.", why_no_opener, can_open, show_in_folder},
    {"open", "Open", "Opens the file with the program for its kind.", why_no_opener, can_open, open_with_desktop},
};

}  // namespace

void draw_export_actions(Ui& ui, const Job& job, Rect& line) {
  const ExportDialogState& state = ui.state.panels.get<ExportDialogState>();
  if (job.failed || state.written.empty() || job.title != state.written_title) return;
  for (const Action& action : kActions) {
    if (action.pictures_only && !has_ending(state.written, ".png")) continue;
    const float width = std::ceil(text_width(ui, Type::words12, action.label)) + ui.px(24);
    if (line.width() < width + ui.px(360)) return;
    const Rect place = take_right(line, width, ui.px(8));
    const float top = std::round(line.center().y - ui.px(12));
    ControlState control;
    control.enabled = action.possible();
    control.tooltip = control.enabled ? action.tooltip : action.obstacle();
    const std::string name = std::string("notice/job/") + action.name;
    if (button(ui, name, {{place.min.x, top}, {place.max.x, top + ui.px(24)}}, action.label, control)) {
      action.act(state.written);
    }
  }
}

}  // namespace headscope::ui
