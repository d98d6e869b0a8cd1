// Which of its places the shell shows; panels set it too.
#pragma once

namespace headscope::ui {

struct ShellState {
  bool inspector_tab = false;       // heads and inspector share one place (a narrow window): the inspector is shown
  bool inspector_expanded = false;  // the inspector takes the place of the heads too
};

}  // namespace headscope::ui
