// These functions find the rows of a stage, along its last axis, as patches and arrays name them. Internal to
// core/attention.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/assert.h"
#include "core/request/stage_info.h"
#include "core/tensor/shape.h"

namespace headscope {

// Returns the axes of what is named: a stage of attention, or rows of a model's stream, [batch, len, d_model].
inline const std::vector<StageAxis>& named_axes(std::string_view stage) {
  return stage_info(stage_named(stage).value_or(StageId::concat)).axes;
}

// Returns the axis whose indices are the positions that a patch or an array names.
inline int row_axis(const std::vector<StageAxis>& axes) {
  for (int axis = 0; axis < static_cast<int>(axes.size()); ++axis) {
    const Axis kind = axes[static_cast<std::size_t>(axis)].axis;
    if (kind == Axis::position || kind == Axis::query) return axis;
  }
  HEADSCOPE_ASSERT(false, "a stage without rows");
  return 0;
}

// Calls visit(index of the leading axes, offset of its row) for every row of a region.
template <typename Visit>
void visit_rows(const Region& region, const Visit& visit) {
  const int last = region.count - 1;
  std::int64_t rows = 1;
  for (int axis = 0; axis < last; ++axis) rows *= region[axis].size();
  for (std::int64_t row = 0; row < rows; ++row) {
    Index at;
    for (int axis = 0; axis < last; ++axis) at.push_back(0);
    std::int64_t left = row;
    for (int axis = last - 1; axis >= 0; --axis) {
      at[axis] = region[axis].begin + left % region[axis].size();
      left /= region[axis].size();
    }
    visit(at, row * region[last].size());
  }
}

}  // namespace headscope
