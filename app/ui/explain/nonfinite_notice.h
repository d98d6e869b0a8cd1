// The first number of the shown result that is NaN or infinite: a bar says where it was made, and leads there.
#pragma once

#include <optional>

#include "app/ui/ui.h"

namespace headscope::ui {

// "First NaN." with where and why, of a result whose last stage holds such numbers; nullopt: it does not, a thread
// still looks for the first, or what is on screen says it already (rows that see no key). Call it every frame.
std::optional<Notice> nonfinite_notice(Ui& ui);

// Shows the number of nonfinite_notice(), in the layer where it was made.
void show_nonfinite(Ui& ui);

}  // namespace headscope::ui
