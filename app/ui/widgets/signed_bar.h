// A bar that grows from the middle: to the right for positive numbers, to the left for negative ones.
#pragma once

#include "app/ui/ui.h"

namespace headscope::ui {

// As long as half of the area where |value| is `largest`; nothing but its ground where a number is not finite.
void signed_bar(Ui& ui, const Rect& area, double value, double largest);

}  // namespace headscope::ui
