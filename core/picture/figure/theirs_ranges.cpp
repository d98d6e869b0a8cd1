#include "core/picture/figure/theirs_ranges.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/picture/color_map.h"
#include "core/picture/fitted_range.h"
#include "core/request/mask.h"
#include "core/request/stage.h"

namespace headscope {

void set_shared_range(const ViewSpec& view, const StagePicture& stage, HeatmapSpec& theirs, HeatmapSpec& ours) {
  const bool weight_like = is_weight_like(stage.stage());
  ValueRange range{0, 1, view.log_scale, view.range == RangeKind::row};
  if (view.range == RangeKind::fixed) {
    range.low = view.range_low;
    range.high = view.range_high;
  } else if (view.range == RangeKind::fit) {
    SpreadCounts counts;
    for (const HeatmapSpec* each : {&theirs, &ours}) {
      add_visible(counts, each->matrix, each->mask.get(), each->batch, each->head);
    }
    const ValueRange own = fitted_range(counts.result(), !weight_like);
    range.low = own.low;
    range.high = own.high;
  } else if (!range.per_row) {
    for (const HeatmapSpec* each : {&theirs, &ours}) {
      const ValueRange own =
          automatic_range(each->matrix, weight_like, !weight_like, each->mask.get(), each->batch, each->head);
      range.low = each == &theirs ? own.low : std::min(range.low, own.low);
      range.high = each == &theirs ? own.high : std::max(range.high, own.high);
    }
    if (stage.zero_to_one()) range.low = std::min(0.0, range.low), range.high = std::max(1.0, range.high);
  }
  theirs.range = ours.range = range;
  if (!range.per_row) return;
  theirs.row_ranges = ours.row_ranges =
      std::make_shared<const std::vector<ValueRange>>(shared_row_ranges(theirs, ours));
}

void set_difference_range(const ViewSpec& view, HeatmapSpec& difference) {
  difference.map = view.colormap.value_or(default_color_map(true, view.theme));
  difference.range = automatic_range(difference.matrix, false, true, difference.mask.get());
  if (!(difference.range.low < 0)) difference.range = {-1, 1};  // no cell has a number
}

}  // namespace headscope
