#include "core/backend/score_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Calls visit(b, h, i, offset of the row's first value) for every row of a dense tensor that holds `region` of
// [batch, heads, query, key]; b, h, i count in the whole.
template <typename Visit>
void visit_rows(const Region& region, const CancelToken& cancel, Visit&& visit) {
  std::int64_t offset = 0;
  for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
    for (std::int64_t h = region[1].begin; h < region[1].end; ++h) {
      cancel.check();
      for (std::int64_t i = region[2].begin; i < region[2].end; ++i, offset += region[3].size()) visit(b, h, i, offset);
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

Tensor scaled_scores(const Tensor& raw, double scale, const CancelToken& cancel) {
  return mapped(raw, cancel, [scale](float x) { return static_cast<float>(x * scale); });
}

Tensor capped_scores(const Tensor& scores, double softcap, const CancelToken& cancel) {
  return mapped(scores, cancel, [softcap](float x) { return static_cast<float>(softcap * std::tanh(x / softcap)); });
}

// What the mask adds to the keys of a row from `first` on; null where it adds nothing.
const float* added_row(const Mask& mask, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t first) {
  const Tensor& added = mask.added;
  if (added.empty()) return nullptr;
  const std::int64_t batch = added.dim(0) == 1 ? 0 : b, head = added.dim(1) == 1 ? 0 : h;
  return added.data() + ((batch * added.dim(1) + head) * added.dim(2) + i) * added.dim(3) + first;
}

Tensor with_added(const Tensor& scores, const Mask& mask, const Region& region, const CancelToken& cancel) {
  HEADSCOPE_ASSERT(scores.dense(), "not dense: " + to_string(scores.shape()));
  Tensor result = Tensor::zeros(scores.shape(), scores.axes());
  const float* in = scores.data();
  float* out = result.mutable_data();
  visit_rows(region, cancel, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
    const float* added = added_row(mask, b, h, i, region[3].begin);
    for (std::int64_t j = 0; j < region[3].size(); ++j) out[offset + j] = in[offset + j] + added[j];
  });
  return result;
}

// hidden ? fill : (scores + added) * scale, where the fill is multiplied too, but -inf stays -inf; what is capped
// after the mask holds what it adds already.
Tensor masked_scores(const Tensor& scores, const ScoreRule& rule, double scale, const Region& region,
                     const CancelToken& cancel) {
  HEADSCOPE_ASSERT(scores.dense(), "not dense: " + to_string(scores.shape()));
  Tensor result = Tensor::zeros(scores.shape(), scores.axes());
  const Mask& mask = *rule.mask;
  const std::int64_t columns = region[3].size();
  const std::int64_t first = region[3].begin;
  const bool below_float = rule.mask_fill < -static_cast<double>(std::numeric_limits<float>::max());
  const float single_fill = below_float ? -kInfinity : static_cast<float>(rule.mask_fill);
  const float hidden_value = single_fill == -kInfinity ? -kInfinity : static_cast<float>(single_fill * scale);
  const float* in = scores.data();
  float* out = result.mutable_data();
  const bool hides = !rule.mask_after_softmax && mask.hidden.any();
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(columns), 0);
  visit_rows(region, cancel, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
    if (hides) mask.hidden.read_row(b, h, i, hidden, first);
    const float* added = rule.caps_added() ? nullptr : added_row(mask, b, h, i, first);
    for (std::int64_t j = 0; j < columns; ++j) {
      float score = in[offset + j];
      if (added != nullptr) score += added[j];
      if (scale != 1.0) score = static_cast<float>(score * scale);
      out[offset + j] = hidden[static_cast<std::size_t>(j)] != 0 ? hidden_value : score;
    }
  });
  return result;
}

}  // namespace

Tensor score_stage(StageId stage, const Tensor& raw, const ScoreRule& rule, const Region& region,
                   const CancelToken& cancel) {
  HEADSCOPE_ASSERT(is_score_like(stage) && !is_weight_like(stage), std::string(stage_name(stage)));
  if (stage == StageId::raw_scores) return raw;
  if (rule.mask_order == MaskOrder::before_scale && rule.masks()) {
    return masked_scores(raw, rule, rule.scale, region, cancel);
  }
  const Tensor scores = rule.scale == 1.0 ? raw : scaled_scores(raw, rule.scale, cancel);
  if (stage == StageId::scores) return scores;
  const Tensor summed = rule.caps_added() ? with_added(scores, *rule.mask, region, cancel) : scores;
  const Tensor capped = rule.softcap ? capped_scores(summed, *rule.softcap, cancel) : scores;
  if (stage == StageId::capped_scores || !rule.masks()) return capped;
  return masked_scores(capped, rule, 1.0, region, cancel);
}

Tensor next_score_stage(StageId stage, const Tensor& before, const ScoreRule& rule, const Region& region,
                        const CancelToken& cancel) {
  HEADSCOPE_ASSERT(StageId::scores <= stage && stage <= StageId::masked_scores, std::string(stage_name(stage)));
  if (stage == StageId::scores) return score_stage(stage, before, rule, region, cancel);
  if (stage == StageId::masked_scores && rule.mask_order == MaskOrder::before_scale && rule.masks()) return before;
  if (stage == StageId::masked_scores && rule.caps_added()) return masked_scores(before, rule, 1.0, region, cancel);
  ScoreRule step = rule;
  step.scale = 1.0;
  if (stage == StageId::masked_scores) step.softcap.reset();
  return score_stage(stage, before, step, region, cancel);
}

void finish_weights(Tensor& weights, const ScoreRule& rule, const Region& region) {
  const HiddenCells& hidden = rule.mask->hidden;
  if (!hidden.any() || (!rule.mask_after_softmax && rule.fully_masked == FullyMasked::as_computed)) return;
  HEADSCOPE_ASSERT(weights.dense(), "not dense: " + to_string(weights.shape()));
  const std::int64_t columns = hidden.key_len();
  HEADSCOPE_ASSERT(region[3] == (Range{0, columns}), "a part of a row of " + std::to_string(columns));
  const float filled = rule.fully_masked == FullyMasked::zero ? 0.0F : 1.0F / static_cast<float>(columns);
  float* w = weights.mutable_data();
  std::vector<std::uint8_t> row(static_cast<std::size_t>(columns));
  visit_rows(region, {}, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
    if (rule.fully_masked != FullyMasked::as_computed && hidden.all_hidden(b, h, i)) {
      std::fill_n(w + offset, columns, filled);
    } else if (rule.mask_after_softmax) {
      hidden.read_row(b, h, i, row);
      for (std::size_t j = 0; j < row.size(); ++j) {
        float& weight = w[offset + static_cast<std::int64_t>(j)];
        if (row[j] != 0) weight = 0.0F;
      }
    }
  });
}

float dropout_gain(double p) {
  return p < 1.0 ? static_cast<float>(1.0 / (1.0 - p)) : 0.0F;
}

DropoutDraw::DropoutDraw(std::uint64_t seed, std::int64_t b, std::int64_t h, std::int64_t i) : row_(mixed(seed)) {
  for (std::int64_t place : {b, h, i}) row_ = mixed(row_ ^ static_cast<std::uint64_t>(place));
}

double DropoutDraw::at(std::int64_t j) const {
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(mixed(row_ ^ static_cast<std::uint64_t>(j)) >> 11) * kUnit;
}

Tensor dropped_weights(const Tensor& weights, const ScoreRule& rule, const Region& region, const CancelToken& cancel) {
  HEADSCOPE_ASSERT(weights.dense(), "not dense: " + to_string(weights.shape()));
  Tensor result = Tensor::zeros(weights.shape(), weights.axes());
  const double p = rule.dropout;
  const Tensor& mask = rule.dropout_mask;
  const float gain = dropout_gain(p);
  Strides steps{0, 0, 0, 0};
  const std::vector<float> kept = mask.values();
  const Strides strides = row_major_strides(mask.shape());
  for (int axis = 0; axis < mask.rank(); ++axis) {
    if (mask.dim(axis) > 1) steps[4 - mask.rank() + axis] = strides[axis];
  }
  const float* in = weights.data();
  float* out = result.mutable_data();
  const std::int64_t columns = region[3].size();
  visit_rows(region, cancel, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t offset) {
    const DropoutDraw draw(rule.dropout_seed, b, h, i);
    const std::int64_t row = b * steps[0] + h * steps[1] + i * steps[2];
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::int64_t key = region[3].begin + j;
      const bool keep = kept.empty() ? draw.at(key) >= p : kept[static_cast<std::size_t>(row + key * steps[3])] != 0.0F;
      out[offset + j] = in[offset + j] * (keep ? gain : 0.0F);
    }
  });
  return result;
}

}  // namespace headscope
