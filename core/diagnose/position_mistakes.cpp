// This table lists mistakes in what positions add to the scores: ALiBi, and biases of relative positions.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/diagnose/mistake_rows.h"
#include "core/model/checkpoint.h"
#include "core/model/position_tables.h"
#include "core/request/alibi.h"
#include "core/request/mask.h"
#include "core/tensor/tensor.h"

namespace headscope {
namespace {

using S = StageId;

// The slopes of the terms alibi by the paper's formula; false where there is none, or another one.
bool take_slopes(Altered& what) {
  std::vector<std::int64_t> sizes;
  for (const std::vector<MaskTerm>* list : {&what.request.mask, &what.inputs.own_mask}) {
    for (const MaskTerm& term : *list) {
      if (term.kind == MaskTerm::Kind::alibi) sizes.push_back(term.size);
    }
  }
  if (sizes.size() != 1 || sizes.front() < 0) return false;
  const std::int64_t most = sizes.front() > 0 ? sizes.front() : kAlibiMost;
  std::vector<double> slopes;
  for (std::int64_t h = 0; h < what.inputs.num_heads; ++h) {
    slopes.push_back(static_cast<double>(alibi_slope(what.inputs.num_heads, h, most)));
  }
  what.faults.slopes = std::move(slopes);
  return true;
}

bool leave_alibi_out(Altered& what, int) {
  bool erased = false;
  for (std::vector<MaskTerm>* list : {&what.request.mask, &what.inputs.own_mask}) {
    erased =
        std::erase_if(*list, [](const MaskTerm& term) { return term.kind == MaskTerm::Kind::alibi; }) > 0 || erased;
  }
  return erased;
}

// 2^(-8 h / H) in place of 2^(-8 (h + 1) / H); and the formula of a power of two for any number of heads.
bool other_slopes(Altered& what, int variation) {
  if (!take_slopes(what)) return false;
  const std::vector<double> before = *what.faults.slopes;
  const auto heads = static_cast<double>(what.inputs.num_heads);
  for (std::size_t h = 0; h < before.size(); ++h) {
    (*what.faults.slopes)[h] = std::exp2(-8.0 * (static_cast<double>(h) + (variation == 0 ? 0 : 1)) / heads);
  }
  return *what.faults.slopes != before;
}

bool turn_slopes(Altered& what, int) {
  if (!take_slopes(what)) return false;
  for (double& slope : *what.faults.slopes) slope = -slope;
  return true;
}

bool sign_distances(Altered& what, int) {
  what.faults.slopes_signed = true;
  return take_slopes(what);
}

bool slopes_before_scale(Altered& what, int) {
  what.faults.slopes_before_scale = true;
  return take_slopes(what);
}

// The biases that the model takes from a table of relative positions; null where it has none.
MaskFile* relative_bias_of(Inputs& inputs) {
  for (MaskFile& file : inputs.mask_files) {
    if (!file.rows.empty()) return &file;
  }
  return nullptr;
}

bool leave_relative_out(Altered& what, int) {
  const MaskFile* bias = relative_bias_of(what.inputs);
  if (bias == nullptr) return false;
  std::erase_if(what.inputs.own_mask, [&](const MaskTerm& term) { return is_position_bias(what.inputs, term); });
  std::erase_if(what.inputs.mask_files, [](const MaskFile& file) { return !file.rows.empty(); });
  return true;
}

bool subtract_relative(Altered& what, int) {
  MaskFile* bias = relative_bias_of(what.inputs);
  if (bias == nullptr) return false;
  std::vector<float> values = bias->values.values();
  for (float& value : values) value = -value;
  bias->values = Tensor::of(bias->values.shape(), bias->values.axes(), std::move(values));
  return true;
}

bool transpose_relative(Altered& what, int) {
  MaskFile* bias = relative_bias_of(what.inputs);
  if (bias == nullptr || bias->values.dim(1) != bias->values.dim(2)) return false;
  bias->values = bias->values.permuted({0, 2, 1}).dense_copy();
  return true;
}

// The buckets of one direction for those of both, and of both for those of one.
bool exchange_directions(Altered& what, int) {
  MaskFile* bias = relative_bias_of(what.inputs);
  if (bias == nullptr || what.inputs.checkpoint == nullptr) return false;
  std::optional<RelativeRule> rule = what.inputs.checkpoint->architecture().relative;
  if (!rule || (!rule->both_directions && rule->buckets % 2 != 0)) return false;
  rule->both_directions = !rule->both_directions;
  *bias = relative_bias(*rule, what.inputs.checkpoint->embedding(), what.inputs.query_len, what.inputs.key_len);
  return true;
}

constexpr MistakeRow kRows[] = {
    {"alibi-missing", S::masked_scores, "the bias of distances is not added", "scores", "scores - slope * distance",
     leave_alibi_out},
    {"alibi-slopes", S::masked_scores, "the slopes are those of other heads", "2 ** (-8 * h / heads)",
     "2 ** (-8 * (h + 1) / heads)", other_slopes, 2},
    {"alibi-sign", S::masked_scores, "the bias of distances grows with the distance", "scores + slope * distance",
     "scores - slope * distance", turn_slopes},
    {"alibi-signed", S::masked_scores, "the bias of distances counts them with their sign: later keys gain",
     "slope * (j - i)", "-slope * (i - j).abs()", sign_distances},
    {"alibi-before-scale", S::scores, "the bias of distances is added before the scale",
     "(q @ k.T + alibi) / math.sqrt(head_dim)", "q @ k.T / math.sqrt(head_dim) + alibi", slopes_before_scale},
    {"relative-missing", S::masked_scores, "the bias of relative positions is not added", "scores",
     "scores + bias[:, bucket(j - i)]", leave_relative_out},
    {"relative-transposed", S::masked_scores, "the bias is that of the distance from the key to the query",
     "bias[:, bucket(i - j)]", "bias[:, bucket(j - i)]", transpose_relative},
    {"relative-directions", S::masked_scores,
     "distances of both directions share the buckets of one, or those of one are spread over both",
     "bucket(j - i, bidirectional=not is_encoder)", "bucket(j - i, bidirectional=is_encoder)", exchange_directions},
    {"relative-sign", S::masked_scores, "the bias of relative positions is subtracted",
     "scores - bias[:, bucket(j - i)]", "scores + bias[:, bucket(j - i)]", subtract_relative},
};

}  // namespace

std::span<const MistakeRow> position_mistakes() {
  return kRows;
}

}  // namespace headscope
