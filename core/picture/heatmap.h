// A matrix as pixels: the reference for the GL heatmap, and the code that exports draw with.
#pragma once

#include "core/base/image.h"
#include "core/picture/heatmap_spec.h"

namespace headscope {

// Draws the heatmap by the rules of heatmap_spec.h. Reads only visible rows and columns, strip by strip.
Image draw_heatmap(const HeatmapSpec& spec);

// The same heatmap with matrix and mask copied back from spec.device, which must be set.
HeatmapSpec brought_back(const HeatmapSpec& spec);

}  // namespace headscope
