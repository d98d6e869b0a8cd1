// What a figure needs of all weights of a head. Where they are computed when they are read, one pass gives all of it.
#pragma once

#include <cstdint>

#include "core/heads/pattern.h"
#include "core/picture/figure/figure_sheet.h"

namespace headscope {

// The summary of the weights of a head. `spec` is the head's map, sized and with its range: its pixels are chosen on
// the way where that costs less than afterwards. Throws Cancelled.
HeadSummary look_at_head(const Sheet& sheet, const StagePicture& stage, std::int64_t head, HeatmapSpec& spec);

// The pixels alone, of a map without a summary: of one that is sized and has its range.
void choose_pixels(const Sheet& sheet, const StagePicture& stage, HeatmapSpec& spec);

}  // namespace headscope
