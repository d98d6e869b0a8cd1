#include "core/compare/stage_errors.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/attention/stage_layout.h"
#include "core/request/stage_info.h"
#include "core/tensor/matrix_layout.h"

namespace headscope {
namespace {

// Whether the cell holds what the mask put there: that is not computed.
bool is_hidden_score(const Trace& trace, StageId stage, const Index& index) {
  const bool masked = stage == StageId::masked_scores ||
                      (stage == StageId::scores && trace.request.mask_order == MaskOrder::before_scale);
  return masked && trace.mask->hidden.hidden(index[0], index[1], index[2], index[3]);
}

void step(Index& index, const Shape& shape) {
  for (int axis = shape.count - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis) index[axis] = 0;
}

// One more cell. The mean holds the sum until finish().
void add(CellErrors& errors, const Index& index, double exact, double value) {
  if (!std::isfinite(exact)) {
    ++errors.unknown;
    return;
  }
  if (!std::isfinite(value)) {
    ++errors.lost;
    return;
  }
  const double error = std::abs(value - exact);
  errors.mean_error += error;
  ++errors.cells;
  if (error <= errors.max_error) return;
  errors.max_error = error;
  errors.cell = index;
  errors.exact = exact;
  errors.value = value;
}

// The axes of head and row; of a number for every head and query, its last two.
MatrixLayout place_axes(StageId stage) {
  MatrixLayout layout = stage_layout(stage);
  if (stage_info(stage).axes.back().axis == Axis::query) {
    layout.head = layout.rows;
    layout.rows = layout.columns;
  }
  return layout;
}

void finish(CellErrors& errors) {
  if (errors.cells > 0) errors.mean_error /= static_cast<double>(errors.cells);
}

void finish(std::vector<PlaceError>& places) {
  for (PlaceError& place : places) finish(place);
  std::stable_sort(places.begin(), places.end(), [](const PlaceError& a, const PlaceError& b) {
    return a.lost != b.lost ? a.lost > b.lost : a.max_error > b.max_error;
  });
}

}  // namespace

StageError stage_error(const Trace& trace, const Stage& stage, const std::vector<double>& exact,
                       const std::vector<double>& value, std::vector<float>& errors) {
  StageError result;
  result.stage = stage.id;
  errors.assign(exact.size(), 0.0F);
  const Shape& shape = stage.tensor.shape();
  const MatrixLayout layout = place_axes(stage.id);
  const std::int64_t rows = shape[layout.rows];
  result.heads.resize(layout.head < 0 ? 0 : static_cast<std::size_t>(shape[layout.head]));
  for (std::size_t h = 0; h < result.heads.size(); ++h) result.heads[h].place = static_cast<std::int64_t>(h);
  for (std::int64_t row = 0; row < shape[layout.batch] * rows; ++row) {
    PlaceError place;
    place.batch = row / rows;
    place.place = row % rows;
    result.rows.push_back(place);
  }
  Index index = shape;
  std::fill(index.values.begin(), index.values.end(), 0);
  for (std::size_t k = 0; k < exact.size(); ++k, step(index, shape)) {
    if (is_hidden_score(trace, stage.id, index)) continue;
    if (std::isfinite(exact[k])) {
      errors[k] = std::isfinite(value[k]) ? static_cast<float>(std::abs(value[k] - exact[k]))
                                          : std::numeric_limits<float>::quiet_NaN();
    }
    add(result, index, exact[k], value[k]);
    if (layout.head >= 0) add(result.heads[static_cast<std::size_t>(index[layout.head])], index, exact[k], value[k]);
    add(result.rows[static_cast<std::size_t>(index[layout.batch] * rows + index[layout.rows])], index, exact[k],
        value[k]);
  }
  finish(result);
  finish(result.heads);
  finish(result.rows);
  return result;
}

}  // namespace headscope
