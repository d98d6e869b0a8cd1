#include "app/ui/widgets/signed_bar.h"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

void signed_bar(Ui& ui, const Rect& area, double value, double largest) {
  const float middle = std::round(area.center().y), half = ui.px(5), zero = std::round(area.center().x);
  fill({{area.min.x, middle - half}, {area.max.x, middle + half}}, ui.colors.well);
  if (std::isfinite(value) && value != 0 && largest > 0) {
    const float end = zero + area.width() / 2 * static_cast<float>(value / largest);
    fill({{std::min(zero, end), middle - half}, {std::max({zero, end, zero + 1}), middle + half}},
         value < 0 ? ui.colors.bar_negative : ui.colors.bar_positive);
  }
  vertical_line(ui, zero, middle - half - ui.px(1), middle + half + ui.px(1), ui.colors.text3);
}

}  // namespace headscope::ui
