// Projections of the cpu backend: y = x W^T + b; with a weight that is kept packed here, with others in
// cpu_weight_strips.cpp.
#include <algorithm>
#include <vector>

#include "core/backend/cpu_backend.h"
#include "core/backend/kernels/gemm.h"
#include "core/backend/operands.h"
#include "core/backend/weight_rows.h"
#include "core/base/assert.h"
#include "core/base/per_thread.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

// A block of rows is packed once for every kBlockDepth inputs and stays in the second cache (400 KB) while the weight
// passes by. Where the cuts lie changes no bit.
constexpr std::int64_t kBlockRows = 96;
constexpr std::int64_t kBlockDepth = 1024;
// Panels between two looks at whether the caller has changed its mind: at most half a millisecond with AVX-512.
constexpr std::int64_t kPanelsAtOnce = 8;
// Tasks for every thread, so that one that comes late or runs slowly leaves little to wait for.
constexpr std::int64_t kTasksPerThread = 4;

// The part `index` of `count` nearly equal parts of [0, size).
Range part_of_range(std::int64_t size, std::int64_t count, std::int64_t index) {
  return {size * index / count, size * (index + 1) / count};
}

// Rows [rows.begin, rows.end) times the panels.
template <typename Rows>
void multiply_rows(const PackedMatrix& weight, const float* bias, const Rows& all, Range rows, Range panels,
                   const CancelToken& cancel) {
  static PerThread<std::vector<float>> packed_rows;
  std::vector<float>& packed = packed_rows.get();
  const std::int64_t depth_parts = std::max<std::int64_t>(1, parts_over(weight.in(), kBlockDepth));
  for (std::int64_t part = 0; part < depth_parts; ++part) {
    const Range depth = part_of_range(weight.in(), depth_parts, part);
    packed.resize(static_cast<std::size_t>(rows.size() * depth.size()));
    pack_rows(all.x + rows.begin * all.x_stride + depth.begin, all.x_stride, rows.size(), depth.size(), packed.data());
    const Block block{packed.data(), rows.size(), depth.begin, depth.size(), bias, all.y + rows.begin * all.y_stride,
                      all.y_stride,  part > 0};
    for (std::int64_t first = panels.begin; first < panels.end; first += kPanelsAtOnce) {
      cancel.check();
      multiply_block(weight, first, std::min(first + kPanelsAtOnce, panels.end), block);
    }
  }
}

}  // namespace

std::shared_ptr<const PackedMatrix> CpuBackend::packed(const Tensor& weight, const CancelToken& cancel) const {
  if (std::shared_ptr<const PackedMatrix> known = packed_weights_.find(weight)) return known;
  if (!packed_weights_.wants(weight)) return nullptr;
  const auto result = std::make_shared<PackedMatrix>(weight.dim(0), weight.dim(1), panel_type_of(weight));
  const std::int64_t panels = result->panels();
  run(parts_over(panels, kPanelsAtOnce), packing_work(weight), cancel, [&](std::int64_t task) {
    const std::int64_t first = task * kPanelsAtOnce, last = std::min(first + kPanelsAtOnce, panels);
    const Range rows{first * kPanelColumns, std::min(last * kPanelColumns, weight.dim(0))};
    result->pack(first, last, rows_of_weight(weight, rows, {0, weight.dim(1)}));
  });
  packed_weights_.keep(weight, result);
  return result;
}

void CpuBackend::multiply(const Tensor& x, const Tensor& weight, const Tensor& bias, RowsInMemory to,
                          const CancelToken& cancel) const {
  const LinearSizes size = linear_sizes(x, weight, bias);
  const Tensor in = with_unit_last_stride(x);
  const std::shared_ptr<const PackedMatrix> panels = packed(weight, cancel);
  const Tensor offsets = bias.empty() || bias.dense() ? bias : bias.dense_copy();
  const float* b = offsets.empty() ? nullptr : offsets.data();
  const Strides& xs = in.strides();
  // Batches whose rows go on at the same distance are one matrix.
  const std::int64_t x_row = size.len == 1 ? xs[0] : xs[1];
  if (size.len == 1) to.row_stride = to.batch_stride;
  const bool joined = size.batch == 1 || (xs[0] == size.len * x_row && to.batch_stride == size.len * to.row_stride);
  const std::int64_t matrices = joined ? 1 : size.batch;
  const std::int64_t rows = size.batch * size.len / matrices;
  const auto rows_of = [&](std::int64_t matrix) {
    return MatrixRows{in.data() + matrix * xs[0], x_row, to.first + matrix * to.batch_stride, to.row_stride, rows};
  };
  if (panels == nullptr) {
    std::vector<MatrixRows> all;
    for (std::int64_t matrix = 0; matrix < matrices; ++matrix) all.push_back(rows_of(matrix));
    multiply_in_strips(weight, b, all, cancel);
    return;
  }
  const double work = static_cast<double>(size.batch * size.len) * static_cast<double>(weight.size());
  const std::int64_t wanted = pool_.threads() == 1 ? 1 : parts_over(kTasksPerThread * pool_.threads(), matrices);
  if (rows <= kFewRows) {
    const std::int64_t columns = std::clamp<std::int64_t>(parts_over(panels->panels(), kPanelsAtOnce),
                                                          std::min(wanted, panels->panels()), panels->panels());
    run(matrices * columns, work, cancel, [&](std::int64_t task) {
      const MatrixRows few = rows_of(task / columns);
      const Range range = part_of_range(panels->panels(), columns, task % columns);
      multiply_few_rows(*panels, range.begin, range.end, {few.x, few.x_stride, few.count, b, few.y, few.y_stride});
    });
    return;
  }
  const std::int64_t row_parts = parts_over(rows, kBlockRows);
  const std::int64_t most_columns = std::max<std::int64_t>(1, panels->panels() / 4);
  std::int64_t columns = std::clamp<std::int64_t>(parts_over(wanted, row_parts), 1, most_columns);
  // Equal tasks whose number the threads do not share evenly would leave some of them with nothing to do at the end.
  while (columns < most_columns && matrices * row_parts * columns % pool_.threads() != 0) ++columns;
  run(matrices * row_parts * columns, work, cancel, [&](std::int64_t task) {
    const std::int64_t part = task / columns;
    multiply_rows(*panels, b, rows_of(part / row_parts), part_of_range(rows, row_parts, part % row_parts),
                  part_of_range(panels->panels(), columns, task % columns), cancel);
  });
}

Tensor CpuBackend::linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const {
  const LinearSizes size = linear_sizes(x, weight, bias);
  Tensor y = Tensor::zeros({size.batch, size.len, size.out}, {Axis::batch, Axis::position, Axis::feature});
  if (y.size() > 0) {
    multiply(x, weight, bias, {.first = y.mutable_data(), .batch_stride = y.strides()[0], .row_stride = y.strides()[1]},
             cancel);
  }
  return y;
}

void CpuBackend::linear_into(const Tensor& x, const Linear& layer, Tensor& y, const CancelToken& cancel) const {
  const LinearSizes size = linear_sizes(x, layer.weight, layer.bias);
  HEADSCOPE_ASSERT(y.shape() == (Shape{size.batch, size.len, size.out}) && (size.out == 1 || y.strides()[2] == 1),
                   to_string(y.shape()) + " for " + to_string(layer.weight.shape()));
  if (y.size() == 0) return;
  multiply(x, layer.weight, layer.bias,
           {.first = y.mutable_data(), .batch_stride = y.strides()[0], .row_stride = y.strides()[1]}, cancel);
}

}  // namespace headscope
