#include "core/compare/mistakes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/attention/projection_steps.h"
#include "core/attention/score_rule_of.h"
#include "core/model/past.h"
#include "core/request/key_mask.h"
#include "core/request/mask.h"

namespace headscope {
namespace {

bool is_self_attention(const Inputs& inputs) {
  return inputs.query.empty() && inputs.key_x.empty() && past_of(inputs) == nullptr;
}

template <Variant variant>
bool make_variant(Altered& what) {
  std::vector<Variant>& variants = what.request.variants;
  if (std::find(variants.begin(), variants.end(), variant) != variants.end()) return false;
  variants.insert(std::upper_bound(variants.begin(), variants.end(), variant), variant);
  return true;
}

bool merge_direct(Altered& what) {
  return std::exchange(what.request.merge, Merge::direct) != Merge::direct;
}

// Exchanges two of query, key and value, where both have the same sizes.
bool swap_roles(Altered& what, Part first, Part second) {
  Inputs& inputs = what.inputs;
  if (!inputs.query.empty()) {
    const auto tensor = [&](Part part) -> Tensor& {
      return part == Part::query ? inputs.query : part == Part::key ? inputs.key : inputs.value;
    };
    if (!(tensor(first).shape() == tensor(second).shape())) return false;
    std::swap(tensor(first), tensor(second));
    return true;
  }
  if (!is_self_attention(inputs) || inputs.head_rule != nullptr) return false;
  if (part_features(inputs, first) != part_features(inputs, second)) return false;
  separate_projections(what);
  const auto linear = [&](Part part) -> Linear& {
    LayerWeights& weights = inputs.weights;
    return part == Part::query ? weights.query : part == Part::key ? weights.key : weights.value;
  };
  std::swap(linear(first), linear(second));
  return true;
}

bool swap_query_key(Altered& what) {
  return swap_roles(what, Part::query, Part::key);
}
bool swap_key_value(Altered& what) {
  return swap_roles(what, Part::key, Part::value);
}
bool swap_query_value(Altered& what) {
  return swap_roles(what, Part::query, Part::value);
}

bool transpose(Linear& linear) {
  if (linear.empty() || linear.weight.dim(0) != linear.weight.dim(1)) return false;
  linear.weight = linear.weight.permuted({1, 0});
  return true;
}

bool transpose_projections(Altered& what) {
  if (what.inputs.weights.empty()) return false;
  separate_projections(what);
  bool changed = false;
  for (Linear* linear : {&what.inputs.weights.query, &what.inputs.weights.key, &what.inputs.weights.value}) {
    changed = transpose(*linear) || changed;
  }
  return changed;
}

bool transpose_output(Altered& what) {
  return transpose(what.inputs.weights.output);
}

bool drop_projection_bias(Altered& what) {
  LayerWeights& weights = what.inputs.weights;
  bool changed = false;
  for (Linear* linear : {&weights.qkv, &weights.query, &weights.key, &weights.value}) {
    changed = !std::exchange(linear->bias, Tensor()).empty() || changed;
  }
  return changed;
}

bool drop_output_bias(Altered& what) {
  return !std::exchange(what.inputs.weights.output.bias, Tensor()).empty();
}

Tensor reversed_groups(const Tensor& rows, std::int64_t groups) {
  const std::int64_t count = rows.dim(0), width = rows.rank() == 1 ? 1 : rows.dim(1);
  const std::int64_t size = count / groups;
  const std::vector<float> values = rows.values();
  std::vector<float> result(values.size());
  for (std::int64_t row = 0; row < count; ++row) {
    const std::int64_t from = (groups - 1 - row / size) * size + row % size;
    std::copy_n(values.begin() + from * width, width, result.begin() + row * width);
  }
  return Tensor::of(rows.shape(), rows.axes(), std::move(result));
}

Tensor reversed_heads(const Tensor& heads) {
  const Tensor dense = heads.permuted({1, 0, 2, 3}).dense_copy();
  const Tensor flat = dense.reshaped({dense.dim(0), dense.size() / dense.dim(0)}, {Axis::head, Axis::feature});
  return reversed_groups(flat, dense.dim(0)).reshaped(dense.shape(), dense.axes()).permuted({1, 0, 2, 3}).dense_copy();
}

bool reverse_heads(Altered& what) {
  Inputs& inputs = what.inputs;
  if (inputs.num_heads < 2 || inputs.num_kv_heads != inputs.num_heads) return false;
  if (!inputs.query.empty()) {
    for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) *tensor = reversed_heads(*tensor);
    return true;
  }
  if (!inputs.weights.bias_k.empty()) return false;
  separate_projections(what);
  for (Linear* linear : {&inputs.weights.query, &inputs.weights.key, &inputs.weights.value}) {
    linear->weight = reversed_groups(linear->weight, inputs.num_heads);
    if (!linear->bias.empty()) linear->bias = reversed_groups(linear->bias, inputs.num_heads);
  }
  return true;
}

// torch.nn.MultiheadAttention without batch_first reads [batch, len, features] as [len, batch, features].
bool read_batch_as_sequence(Altered& what) {
  Inputs& inputs = what.inputs;
  if (!is_self_attention(inputs) || inputs.checkpoint != nullptr) return false;
  inputs.x = inputs.x.permuted({1, 0, 2}).dense_copy();
  std::swap(inputs.batch, inputs.query_len);
  inputs.key_len = inputs.query_len;
  inputs.tokens.assign(static_cast<std::size_t>(inputs.query_len), "");
  inputs.key_tokens = inputs.tokens;
  inputs.offsets.clear();
  inputs.key_offsets.clear();
  inputs.token_ids.clear();
  inputs.token_types.clear();
  inputs.words.clear();
  what.batch_is_sequence = true;
  return true;
}

bool exchange_axes(Altered& what) {
  what.axes_exchanged = true;
  return what.inputs.batch > 1 || what.inputs.query_len > 1;
}

bool leave_mask_out(Altered& what) {
  const bool had = has_mask(what);
  what.request.mask.clear();
  what.request.paint.clear();
  what.inputs.mask_files.clear();
  what.inputs.own_mask.clear();
  return had;
}

bool align_other_way(Altered& what) {
  CausalAlign& align = what.request.causal_align;
  align = align == CausalAlign::top_left ? CausalAlign::bottom_right : CausalAlign::top_left;
  return has_mask(what) && what.inputs.query_len != what.inputs.key_len;
}

bool order_other_way(Altered& what) {
  const bool after = what.request.mask_order == MaskOrder::after_scale;
  what.request.mask_order = after ? MaskOrder::before_scale : MaskOrder::after_scale;
  return has_mask(what) && !softcap_of(what.request, what.inputs);  // which stands between both
}

template <MaskKind kind>
bool read_mask_as(Altered& what) {
  const MaskKind wanted = with_axes_of(what.request.mask_kind, kind);
  return !what.inputs.mask_files.empty() && std::exchange(what.request.mask_kind, wanted) != wanted;
}

template <FullyMasked policy>
bool treat_hidden_rows(Altered& what) {
  return has_mask(what) && std::exchange(what.request.fully_masked, policy) != policy;
}

bool fill_infinite(Altered& what) {
  return fill_with(what, -std::numeric_limits<double>::infinity());
}
bool fill_ten_thousand(Altered& what) {
  return fill_with(what, -1e4);
}
bool fill_huge(Altered& what) {
  return fill_with(what, -1e20);
}

bool scale_by_head_dim(Altered& what) {
  set_scale(what, 1.0 / static_cast<double>(what.inputs.head_dim));
  return true;
}
bool multiply_by_root(Altered& what) {
  set_scale(what, std::sqrt(static_cast<double>(what.inputs.head_dim)));
  return true;
}

bool leave_softcap_out(Altered& what) {
  const bool own = std::exchange(what.inputs.softcap, std::nullopt).has_value();
  return std::exchange(what.request.softcap, std::nullopt).has_value() || own;
}

bool leave_dropout_out(Altered& what) {
  const bool had = std::exchange(what.request.dropout, 0) > 0;
  what.request.dropout_mask.clear();
  what.inputs.dropout_mask = Tensor();
  return had;
}

}  // namespace

const std::vector<Mistake>& known_mistakes() {
  static const std::vector<Mistake> mistakes = {
      {"merge-direct", "the heads are merged by a reshape without transposing back", merge_direct},
      {"softmax-over-queries", "the softmax runs along the queries", make_variant<Variant::softmax_over_queries>},
      {"no-scale", "scores are not divided by the root of head_dim", make_variant<Variant::no_scale>},
      {"scale-by-d-model", "scores are divided by the root of d_model", make_variant<Variant::scale_by_d_model>},
      {"mask-inverted", "hidden and visible are exchanged", make_variant<Variant::mask_inverted>},
      {"mask-after-softmax", "weights are set to 0 after the softmax and not renormalised",
       make_variant<Variant::mask_after_softmax>},
      {"qkv-blocked-as-per-head", "rows [Q K V] of the fused projection are read per head",
       make_variant<Variant::qkv_blocked_as_per_head>},
      {"qkv-per-head-as-blocked", "rows [q_h k_h v_h] of the fused projection are read as [Q K V]",
       make_variant<Variant::qkv_per_head_as_blocked>},
      {"key-not-transposed", "queries are multiplied by the key matrix as it lies",
       make_variant<Variant::key_not_transposed>},
      {"query-key-swapped", "queries and keys have exchanged their roles", swap_query_key},
      {"key-value-swapped", "keys and values have exchanged their roles", swap_key_value},
      {"query-value-swapped", "queries and values have exchanged their roles", swap_query_value},
      {"projection-transposed", "the matrices of query, key and value are used transposed", transpose_projections},
      {"output-transposed", "the output matrix is used transposed", transpose_output},
      {"projection-bias-missing", "query, key and value are projected without their biases", drop_projection_bias},
      {"output-bias-missing", "the output projection has no bias", drop_output_bias},
      {"heads-reversed", "the heads stand in the opposite order", reverse_heads},
      {"batch-as-sequence", "[batch, len, features] is read as [len, batch, features]", read_batch_as_sequence},
      {"axes-exchanged", "the result is [len, batch, features]", exchange_axes},
      {"mask-missing", "the mask is not applied", leave_mask_out},
      {"causal-align", "the diagonal of the mask starts at the other corner", align_other_way},
      {"mask-order", "the mask is applied on the other side of the scaling", order_other_way},
      {"mask-kind-additive", "the mask file is added to the scores", read_mask_as<MaskKind::additive>},
      {"mask-kind-keep", "1 in the mask file means: may be seen", read_mask_as<MaskKind::keep>},
      {"mask-kind-hide", "1 in the mask file means: hidden", read_mask_as<MaskKind::hide>},
      {"fully-masked-zero", "rows whose every key is hidden are 0", treat_hidden_rows<FullyMasked::zero>},
      {"fully-masked-uniform", "rows whose every key is hidden are uniform", treat_hidden_rows<FullyMasked::uniform>},
      {"fully-masked-as-computed", "rows whose every key is hidden are what the formula gives",
       treat_hidden_rows<FullyMasked::as_computed>},
      {"mask-fill-infinite", "hidden scores are -inf", fill_infinite},
      {"mask-fill-1e4", "hidden scores are -10000", fill_ten_thousand},
      {"mask-fill-1e20", "hidden scores are -1e20", fill_huge},
      {"scale-by-head-dim", "scores are divided by head_dim, not by its root", scale_by_head_dim},
      {"scale-multiplied", "scores are multiplied by the root of head_dim", multiply_by_root},
      {"softcap-missing", "the softcap is not applied", leave_softcap_out},
      {"dropout-missing", "dropout is not applied", leave_dropout_out},
  };
  return mistakes;
}

}  // namespace headscope
