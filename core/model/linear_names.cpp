#include "core/model/linear_names.h"

#include <algorithm>

#include "core/base/assert.h"

namespace headscope {

LinearNames file_names_of(const LayerWeights& weights, const Linear& linear) {
  const bool blocked = weights.qkv_layout == QkvLayout::blocked;
  std::string prefix = "fc_out.";
  if (&linear == &weights.qkv) {
    prefix = blocked ? "in_proj_" : "qkv_layer.";
  } else if (&linear == &weights.query) {
    prefix = "queries.";
  } else if (&linear == &weights.key) {
    prefix = "keys.";
  } else if (&linear == &weights.value) {
    prefix = "values.";
  } else {
    HEADSCOPE_ASSERT(&linear == &weights.output, linear.weight_name);
    if (weights.fused()) prefix = blocked ? "out_proj." : "linear_layer.";
  }
  return {linear.weight_name.empty() ? prefix + "weight" : linear.weight_name,
          linear.bias_name.empty() ? prefix + "bias" : linear.bias_name};
}

namespace {

// A tensor whose row r is row `row_of(r)` of `tensor`.
template <typename RowOf>
Tensor with_rows(const Tensor& tensor, RowOf row_of) {
  return Tensor::computed(tensor.shape(), tensor.axes(), [tensor, row_of](const Region& region, std::span<float> out) {
    const auto in_row = static_cast<std::size_t>(element_count(region)) /
                        static_cast<std::size_t>(std::max<std::int64_t>(1, region[0].size()));
    Region one = region;
    for (std::int64_t row = region[0].begin; row < region[0].end; ++row) {
      const std::int64_t from = row_of(row);
      one[0] = {from, from + 1};
      tensor.read(one, out.subspan(static_cast<std::size_t>(row - region[0].begin) * in_row, in_row));
    }
  });
}

// The place of row `row` in a file whose heads of `size` rows stand pair by pair, and the reverse; size 0: the same.
std::int64_t pair_of_row(std::int64_t size, std::int64_t row) {
  if (size == 0) return row;
  const std::int64_t feature = row % size, half = size / 2;
  return row - feature + (feature < half ? 2 * feature : 2 * (feature - half) + 1);
}

std::int64_t row_of_pair(std::int64_t size, std::int64_t row) {
  if (size == 0) return row;
  const std::int64_t feature = row % size;
  return row - feature + feature / 2 + (feature % 2) * (size / 2);
}

}  // namespace

std::int64_t file_row(const Linear& linear, std::int64_t row) {
  return pair_of_row(linear.paired_head, row);
}

std::int64_t row_of_file(const Linear& linear, std::int64_t file_row) {
  return row_of_pair(linear.paired_head, file_row);
}

Tensor rows_as_in_file(const Linear& linear, const Tensor& tensor) {
  if (linear.paired_head == 0 || tensor.empty()) return tensor;
  return with_rows(tensor, [size = linear.paired_head](std::int64_t row) { return row_of_pair(size, row); });
}

Tensor rows_as_used(const Linear& linear, const Tensor& in_file) {
  if (linear.paired_head == 0 || in_file.empty()) return in_file;
  return with_rows(in_file, [size = linear.paired_head](std::int64_t row) { return pair_of_row(size, row); });
}

bool is_transposed(const Tensor& weight) {
  return weight.dim(1) > 1 && weight.strides()[0] == 1 && weight.strides()[1] == weight.dim(0) && weight.dim(0) > 1;
}

}  // namespace headscope
