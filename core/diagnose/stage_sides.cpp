#include "core/diagnose/stage_sides.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "core/attention/stage_layout.h"
#include "core/base/assert.h"
#include "core/compare/wide_stage.h"
#include "core/diagnose/layout_readings.h"
#include "core/diagnose/part_order.h"
#include "core/diagnose/stage_predictor.h"
#include "core/tensor/matrix_layout.h"

namespace headscope {
namespace {

// The reading that the diagnosis chose. Of three axes it may have taken [len, batch, features], which is no reading.
LayoutReading chosen_reading(const Trace& ours, const ExternalStage& theirs, const StageComparison& found) {
  if (found.order) return {found.read_as, in_own_order(*found.order, ours, theirs.stage, theirs.tensor), false};
  for (LayoutReading& reading : layout_readings(ours, theirs.stage, theirs.tensor)) {
    if (reading.as == found.read_as) return std::move(reading);
  }
  HEADSCOPE_ASSERT(theirs.tensor.rank() == 3, "a stage of " + to_string(theirs.tensor.shape()) + " was not read");
  return {"[len, batch, features]", theirs.tensor.permuted({1, 0, 2}).dense_copy(), false};
}

// [batch, heads, queries, keys] -> [batch, 1, queries, keys].
Tensor mean_over_heads(const Tensor& tensor) {
  const std::int64_t batch = tensor.dim(0), heads = tensor.dim(1), cells = tensor.dim(2) * tensor.dim(3);
  const std::vector<float> values = tensor.values();
  std::vector<float> mean(static_cast<std::size_t>(batch * cells));
  for (std::int64_t k = 0; k < batch * cells; ++k) {
    double sum = 0;
    for (std::int64_t h = 0; h < heads; ++h) {
      sum += static_cast<double>(values[static_cast<std::size_t>((k / cells * heads + h) * cells + k % cells)]);
    }
    mean[static_cast<std::size_t>(k)] = static_cast<float>(sum / static_cast<double>(heads));
  }
  return Tensor::of({batch, 1, tensor.dim(2), tensor.dim(3)}, tensor.axes(), std::move(mean));
}

// Ours as it follows from their stages before; nothing where it does not follow from them here.
std::optional<Tensor> predicted_stage(const Trace& ours, StageId stage, const GivenStages& given,
                                      const std::shared_ptr<const Backend>& backend, const CancelToken& cancel) {
  const Tensor& own = ours.tensor(stage);
  if (given.empty() || own.size() > kMostSidesCells) return std::nullopt;
  StagePredictor predictor(ours, stage, given, backend, cancel);
  const std::optional<WideStage> made = predictor.predicted({}, nullptr);
  if (!made || !(made->shape == own.shape())) return std::nullopt;
  return Tensor::of(own.shape(), own.axes(), {made->values.begin(), made->values.end()});
}

Tensor less(const Tensor& theirs, const Tensor& ours) {
  return Tensor::computed(ours.shape(), ours.axes(), [theirs, ours](const Region& region, std::span<float> out) {
    theirs.read(region, out);
    std::vector<float> own(out.size());
    ours.read(region, own);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const bool same = out[k] == own[k] || (std::isnan(out[k]) && std::isnan(own[k]));
      out[k] = same ? 0.0F : out[k] - own[k];
    }
  });
}

// Takes down cells of one matrix.
class Marker {
 public:
  Marker(std::int64_t rows, std::int64_t columns) {
    marks_.rows.resize(static_cast<std::size_t>(rows));
    marks_.columns.resize(static_cast<std::size_t>(columns));
    if (rows * columns <= kMostSidesCells) marks_.cells.resize(static_cast<std::size_t>(rows * columns));
  }
  void add(std::int64_t row, std::int64_t column) {
    marks_.rows[static_cast<std::size_t>(row)] = marks_.columns[static_cast<std::size_t>(column)] = 1;
    if (marks_.cells.empty()) {
      ++marks_.count;
      return;
    }
    std::uint8_t& cell =
        marks_.cells[static_cast<std::size_t>(row) * marks_.columns.size() + static_cast<std::size_t>(column)];
    marks_.count += cell == 0 ? 1 : 0;
    cell = 1;
  }
  WrongCells taken() { return std::move(marks_); }

 private:
  WrongCells marks_;
};

}  // namespace

StageSides stage_sides(const Trace& ours, const ExternalStage& theirs, const StageComparison& found,
                       const GivenStages& given, const std::shared_ptr<const Backend>& backend,
                       const CancelToken& cancel) {
  LayoutReading reading = chosen_reading(ours, theirs, found);
  StageSides sides;
  sides.theirs = std::move(reading.tensor);
  sides.read_as = std::move(reading.as);
  sides.averaged = reading.averaged;
  const std::optional<Tensor> made = predicted_stage(ours, theirs.stage, given, backend, cancel);
  sides.from_given = made.has_value();
  sides.ours = made ? *made : ours.tensor(theirs.stage);
  if (sides.averaged) sides.ours = mean_over_heads(sides.ours);
  HEADSCOPE_ASSERT(sides.theirs.shape() == sides.ours.shape(), "theirs was read in another shape");
  sides.difference = less(sides.theirs, sides.ours);
  return sides;
}

WrongCells wrong_cells(const Trace& ours, const StageComparison& found, const StageSides& sides, std::int64_t batch,
                       std::int64_t head) {
  const MatrixLayout layout = stage_layout(found.stage);
  const Shape& shape = sides.ours.shape();
  const std::int64_t rows = shape[layout.rows], columns = shape[layout.columns];
  Marker marker(rows, columns);
  const Where& where = found.where;
  for (std::int64_t place : where.places) {
    Index at = shape;
    for (int axis = shape.count - 1; axis >= 0; --axis) {
      at[axis] = place % shape[axis];
      place /= shape[axis];
    }
    if (at[layout.batch] != batch || (layout.head >= 0 && at[layout.head] != head)) continue;
    marker.add(at[layout.rows], at[layout.columns]);
  }
  if (where.cells <= static_cast<std::int64_t>(where.places.size())) return marker.taken();
  const bool fills =
      found.stage == StageId::masked_scores || found.stage == StageId::scores || found.stage == StageId::capped_scores;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::vector<float> row = matrix_of(sides.difference, layout, batch, head, {i, i + 1}, {0, columns}).values();
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto away = static_cast<double>(std::abs(row[static_cast<std::size_t>(j)]));
      if (!(away <= found.allowed) && !(fills && ours.mask->hidden.hidden(batch, head, i, j))) marker.add(i, j);
    }
  }
  return marker.taken();
}

}  // namespace headscope
