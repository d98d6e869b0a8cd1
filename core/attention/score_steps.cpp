#include "core/attention/score_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/assert.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Calls visit(b, h, i, offset of the row's first value) for every row of a dense [batch, heads, query, key] tensor.
template <typename Visit>
void visit_rows(const Shape& shape, const CancelToken& cancel, Visit&& visit) {
  std::int64_t offset = 0;
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      cancel.check();
      for (std::int64_t i = 0; i < shape[2]; ++i, offset += shape[3]) visit(b, h, i, offset);
    }
  }
}

template <typename Function>
Tensor mapped(const Tensor& from, const CancelToken& cancel, Function&& function) {
  HEADSCOPE_ASSERT(from.dense(), "not dense: " + to_string(from.shape()));
  Tensor result = Tensor::zeros(from.shape(), from.axes());
  const float* in = from.data();
  float* out = result.mutable_data();
  constexpr std::int64_t kBetweenChecks = std::int64_t{1} << 20;
  for (std::int64_t begin = 0; begin < from.size(); begin += kBetweenChecks) {
    cancel.check();
    const std::int64_t end = std::min(from.size(), begin + kBetweenChecks);
    for (std::int64_t i = begin; i < end; ++i) out[i] = function(in[i]);
  }
  return result;
}

// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

double scale_of(const Request& request, const Inputs& inputs) {
  if (has_variant(request, Variant::no_scale)) return 1.0;
  if (has_variant(request, Variant::scale_by_d_model)) {
    const bool alone = !inputs.query.empty();
    return 1.0 / std::sqrt(static_cast<double>(alone ? inputs.num_heads * inputs.head_dim : inputs.d_model));
  }
  return request.scale.value_or(1.0 / std::sqrt(static_cast<double>(inputs.head_dim)));
}

Tensor scaled_scores(const Tensor& raw, double scale, const CancelToken& cancel) {
  return mapped(raw, cancel, [scale](float x) { return static_cast<float>(x * scale); });
}

Tensor capped_scores(const Tensor& scores, double softcap, const CancelToken& cancel) {
  return mapped(scores, cancel, [softcap](float x) { return static_cast<float>(softcap * std::tanh(x / softcap)); });
}

Tensor masked_scores(const Tensor& scores, const Mask& mask, double fill, double scale, const CancelToken& cancel) {
  HEADSCOPE_ASSERT(scores.dense(), "not dense: " + to_string(scores.shape()));
  Tensor result = Tensor::zeros(scores.shape(), scores.axes());
  const std::int64_t columns = scores.dim(3);
  const bool below_float = fill < -static_cast<double>(std::numeric_limits<float>::max());
  const float single_fill = below_float ? -kInfinity : static_cast<float>(fill);
  const float hidden_value = single_fill == -kInfinity ? -kInfinity : static_cast<float>(single_fill * scale);
  const float* in = scores.data();
  float* out = result.mutable_data();
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(columns));
  visit_rows(scores.shape(), cancel, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
    mask.hidden.read_row(b, h, i, hidden);
    const float* added = nullptr;
    if (!mask.added.empty()) {
      const std::int64_t batch = mask.added.dim(0) == 1 ? 0 : b;
      const std::int64_t head = mask.added.dim(1) == 1 ? 0 : h;
      added = mask.added.data() + ((batch * mask.added.dim(1) + head) * mask.added.dim(2) + i) * columns;
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      float score = in[offset + j];
      if (added != nullptr) score += added[j];
      if (scale != 1.0) score = static_cast<float>(score * scale);
      out[offset + j] = hidden[static_cast<std::size_t>(j)] != 0 ? hidden_value : score;
    }
  });
  return result;
}

void clear_hidden(Tensor& weights, const HiddenCells& hidden) {
  float* w = weights.mutable_data();
  std::vector<std::uint8_t> row(static_cast<std::size_t>(weights.dim(3)));
  visit_rows(weights.shape(), {}, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
    hidden.read_row(b, h, i, row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      float& weight = w[offset + static_cast<std::int64_t>(j)];
      if (row[j] != 0) weight = 0.0F;
    }
  });
}

FullyMaskedRows fully_masked_rows(const HiddenCells& hidden, std::int64_t batch, std::int64_t heads) {
  FullyMaskedRows result;
  if (!hidden.any()) return result;
  const std::int64_t copies = (hidden.batch() == 1 ? batch : 1) * (hidden.heads() == 1 ? heads : 1);
  for (std::int64_t i = 0; i < hidden.query_len(); ++i) {
    const std::int64_t before = result.count;
    for (std::int64_t b = 0; b < hidden.batch(); ++b) {
      for (std::int64_t h = 0; h < hidden.heads(); ++h) {
        if (hidden.all_hidden(b, h, i)) result.count += copies;
      }
    }
    if (result.count > before) result.queries.push_back(i);
  }
  return result;
}

void apply_fully_masked(Tensor& weights, const HiddenCells& hidden, FullyMasked policy) {
  if (policy == FullyMasked::as_computed || !hidden.any()) return;
  const std::int64_t columns = weights.dim(3);
  const float value = policy == FullyMasked::zero ? 0.0F : 1.0F / static_cast<float>(columns);
  float* w = weights.mutable_data();
  visit_rows(weights.shape(), {}, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
    if (hidden.all_hidden(b, h, i)) std::fill_n(w + offset, columns, value);
  });
}

DropoutDraw::DropoutDraw(std::uint64_t seed, std::int64_t b, std::int64_t h, std::int64_t i) : row_(mixed(seed)) {
  for (std::int64_t place : {b, h, i}) row_ = mixed(row_ ^ static_cast<std::uint64_t>(place));
}

double DropoutDraw::at(std::int64_t j) const {
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(mixed(row_ ^ static_cast<std::uint64_t>(j)) >> 11) * kUnit;
}

Tensor dropped_weights(const Tensor& weights, double p, std::uint64_t seed, const Tensor& dropout_mask,
                       const CancelToken& cancel) {
  HEADSCOPE_ASSERT(weights.dense(), "not dense: " + to_string(weights.shape()));
  Tensor result = Tensor::zeros(weights.shape(), weights.axes());
  const float gain = p < 1.0 ? static_cast<float>(1.0 / (1.0 - p)) : 0.0F;
  Strides steps{0, 0, 0, 0};
  const std::vector<float> kept = dropout_mask.values();
  const Strides strides = row_major_strides(dropout_mask.shape());
  for (int axis = 0; axis < dropout_mask.rank(); ++axis) {
    const int to = 4 - dropout_mask.rank() + axis;
    HEADSCOPE_ASSERT(dropout_mask.dim(axis) == 1 || dropout_mask.dim(axis) == weights.dim(to),
                     to_string(dropout_mask.shape()) + " for weights " + to_string(weights.shape()));
    if (dropout_mask.dim(axis) > 1) steps[to] = strides[axis];
  }
  const float* in = weights.data();
  float* out = result.mutable_data();
  visit_rows(weights.shape(), cancel, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
    const DropoutDraw draw(seed, b, h, i);
    const std::int64_t row = b * steps[0] + h * steps[1] + i * steps[2];
    for (std::int64_t j = 0; j < weights.dim(3); ++j) {
      const bool keep = kept.empty() ? draw.at(j) >= p : kept[static_cast<std::size_t>(row + j * steps[3])] != 0.0F;
      out[offset + j] = in[offset + j] * (keep ? gain : 0.0F);
    }
  });
  return result;
}

Tensor merged_heads(const Tensor& context, Merge merge) {
  const Shape shape{context.dim(0), context.dim(2), context.dim(1) * context.dim(3)};
  const Axes axes{Axis::batch, Axis::position, Axis::feature};
  return merge == Merge::direct ? context.reshaped(shape, axes) : context.permuted({0, 2, 1, 3}).reshaped(shape, axes);
}

}  // namespace headscope
