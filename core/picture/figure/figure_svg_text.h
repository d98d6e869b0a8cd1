// Colours, numbers and fonts as an SVG document writes them. Internal to core/picture.
#pragma once

#include <string>

#include "core/picture/figure/figure_plan.h"

namespace headscope {

// "#rrggbb".
std::string svg_color(Rgba color);

// The attributes of a colour: fill="#rrggbb", and its opacity when it is translucent. `attribute`: "fill".
std::string svg_paint(const char* attribute, Rgba color);

// At most two decimals, none where there are none.
std::string svg_number(double value);

// The classes of a text of this role, which the document's style describes.
const char* svg_class(FontRole role);

// The definition of the pattern "hatch", which fills hidden cells: that of the plan's first hatched item, else of its
// first map; "" for a plan with neither.
std::string svg_hatch(const FigurePlan& plan);

}  // namespace headscope
