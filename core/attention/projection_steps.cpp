#include "core/attention/projection_steps.h"

#include <algorithm>

#include "core/base/assert.h"

namespace headscope {

QkvLayout read_layout_of(const Request& request, const LayerWeights& weights) {
  if (has_variant(request, Variant::qkv_blocked_as_per_head)) return QkvLayout::per_head;
  if (has_variant(request, Variant::qkv_per_head_as_blocked)) return QkvLayout::blocked;
  return weights.qkv_layout;
}

std::int64_t part_features(const Inputs& inputs, Part part) {
  switch (part) {
    case Part::query:
      return inputs.num_heads * inputs.head_dim;
    case Part::key:
      return inputs.num_kv_heads * inputs.head_dim;
    case Part::value:
      return inputs.num_kv_heads * inputs.value_head_dim;
  }
  HEADSCOPE_ASSERT(false, "part " + std::to_string(static_cast<int>(part)));
  return 0;
}

namespace {

// Rows [begin, end) of every head's group of rows.
Tensor rows_of_heads(const Tensor& rows, std::int64_t heads, std::int64_t begin, std::int64_t end) {
  const std::int64_t group = rows.dim(0) / heads;
  if (rows.rank() == 1) {
    return rows.reshaped({heads, group}, {Axis::head, Axis::feature})
        .sliced(1, begin, end)
        .reshaped({heads * (end - begin)}, {Axis::feature});
  }
  return rows.reshaped({heads, group, rows.dim(1)}, {Axis::head, Axis::feature, Axis::feature})
      .sliced(1, begin, end)
      .reshaped({heads * (end - begin), rows.dim(1)}, {Axis::feature, Axis::feature});
}

}  // namespace

Linear part_of(const Inputs& inputs, QkvLayout layout, Part part) {
  const LayerWeights& weights = inputs.weights;
  if (!weights.fused()) {
    return part == Part::query ? weights.query : part == Part::key ? weights.key : weights.value;
  }
  Linear result = weights.qkv;
  if (layout == QkvLayout::blocked) {
    const std::int64_t keys = part_features(inputs, Part::query);
    const std::int64_t values = keys + part_features(inputs, Part::key);
    const std::int64_t begin = part == Part::query ? 0 : part == Part::key ? keys : values;
    const std::int64_t end = begin + part_features(inputs, part);
    return rows_of(weights.qkv, begin, end);
  }
  const std::int64_t begin = static_cast<std::int64_t>(part) * inputs.head_dim;
  const std::int64_t end = begin + inputs.head_dim;
  result.weight = rows_of_heads(result.weight, inputs.num_heads, begin, end);
  if (!result.bias.empty()) result.bias = rows_of_heads(result.bias, inputs.num_heads, begin, end);
  return result;
}

Tensor split_heads(const Tensor& projected, std::int64_t heads) {
  return projected
      .reshaped({projected.dim(0), projected.dim(1), heads, projected.dim(2) / heads},
                {Axis::batch, Axis::position, Axis::head, Axis::feature})
      .permuted({0, 2, 1, 3});
}

Tensor with_bias_position(const Tensor& heads, const Tensor& bias) {
  const std::int64_t len = heads.dim(2);
  const std::int64_t features = heads.dim(3);
  Tensor result = Tensor::zeros({heads.dim(0), heads.dim(1), len + 1, features}, heads.axes());
  const std::vector<float> extra = bias.values();
  HEADSCOPE_ASSERT(static_cast<std::int64_t>(extra.size()) == heads.dim(1) * features,
                   "bias " + to_string(bias.shape()) + " for " + to_string(heads.shape()));
  float* out = result.mutable_data();
  for (std::int64_t b = 0; b < heads.dim(0); ++b) {
    for (std::int64_t h = 0; h < heads.dim(1); ++h) {
      const std::size_t count = static_cast<std::size_t>(len * features);
      heads.read({{b, b + 1}, {h, h + 1}, {0, len}, {0, features}}, std::span<float>(out, count));
      out = std::copy_n(extra.data() + h * features, features, out + count);
    }
  }
  return result;
}

}  // namespace headscope
