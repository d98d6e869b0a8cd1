#include "app/ui/widgets/collapse.h"

#include <cmath>

namespace headscope::ui {

void collapse_button(Ui& ui, Rect& controls, const std::string& name, Icon icon, const char* tooltip,
                     CommandId command) {
  const float side = ui.px(kCollapseWidth);
  const Rect place = take_right(controls, side, ui.px(4));
  const float top = std::round(controls.center().y - side / 2);
  if (icon_button(ui, name, {{place.min.x, top}, {place.max.x, top + side}}, icon, {true, false, tooltip})) {
    ui.push(command);
  }
}

}  // namespace headscope::ui
