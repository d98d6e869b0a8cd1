// Which of its places the shell shows; panels set it too.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/session/main_view.h"
#include "app/ui/view_group.h"

namespace headscope::ui {

// What this frame shows of the parts that one opens and folds; for the menu and for leaving.
struct OnScreen {
  bool request = false, request_over = false;     // open; over the panels beside it
  bool pipeline = false, pipeline_names = false;  // with its pictures; by its names only
  bool has_concat = false, concat = false;        // there is a place for it; open
  bool has_inspector = false, inspector = false;
  bool enlarged = false;  // the inspector has the place of the heads too
};

struct ShellState {
  bool inspector_tab = false;       // heads and inspector share one place (a narrow window): the inspector is shown
  bool inspector_expanded = false;  // the inspector takes the place of the heads too
  OnScreen on_screen;
  std::optional<MainView> shown;                // the view of the last frame
  std::map<ViewGroup, MainView> last_of_group;  // that was shown
  std::string focus_before_view;    // the control that had the focus before another view than one layer was opened
  bool concat_header_only = false;  // concat was closed, or had no room, in the last frame
};

}  // namespace headscope::ui
