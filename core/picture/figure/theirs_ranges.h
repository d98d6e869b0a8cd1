// The colours of a stage of other code beside ours. Internal to core/picture.
#pragma once

#include "core/picture/figure/figure_stage.h"
#include "core/picture/heatmap_spec.h"
#include "core/picture/view_spec.h"

namespace headscope {

// Gives `theirs` and `ours`, two maps of one stage, the range that the view asks for: the same for both, by rows one
// for each row of both.
void set_shared_range(const ViewSpec& view, const StagePicture& stage, HeatmapSpec& theirs, HeatmapSpec& ours);

// Gives theirs - ours a range of its own around zero, linear whatever the view asks for: half of its numbers are
// negative, and have no logarithm.
void set_difference_range(const ViewSpec& view, HeatmapSpec& difference);

}  // namespace headscope
