// The program's picture for title bars and task lists: the same drawing as assets/headscope.svg.
#pragma once

#include "core/base/image.h"

namespace headscope {

// Nine cells of a heatmap, transparent around; `size` pixels on a side, 8 or more.
Image app_icon(int size);

}  // namespace headscope
