// The small control in a panel's header that closes the panel, or opens it again.
#pragma once

#include <string>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

constexpr float kCollapseWidth = 24;  // at 1x

// Cuts a button off the right side of `controls`, a panel's header; pressed, it pushes the command. `icon` points to
// where the panel goes.
void collapse_button(Ui& ui, Rect& controls, const std::string& name, Icon icon, const char* tooltip,
                     CommandId command);

}  // namespace headscope::ui
