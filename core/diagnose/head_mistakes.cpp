// This table lists mistakes in projections, in the split into heads and back, with keys of a cache and in the output.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/attention/projection_steps.h"
#include "core/diagnose/mistake_rows.h"
#include "core/diagnose/part_order.h"
#include "core/model/head_rule.h"
#include "core/model/past.h"

namespace headscope {
namespace {

using S = StageId;
using Layout = LayerFaults::Layout;
using Groups = LayerFaults::Groups;

template <Layout split, Layout join>
bool lay_heads(Altered& what, int) {
  const bool alone = !what.inputs.query.empty();
  if (split != Layout::transposed && alone) return false;
  what.faults.split = split;
  what.faults.join = join;
  return what.inputs.num_heads > 1;
}

template <Groups keys, Groups values>
bool group_heads(Altered& what, int) {
  what.faults.key_groups = keys;
  what.faults.value_groups = values;
  const std::int64_t kv_heads = what.inputs.num_kv_heads;
  return kv_heads > 1 && (keys == Groups::first || kv_heads < what.inputs.num_heads);
}

template <LayerFaults::Joined heads>
bool join_heads(Altered& what, int) {
  what.faults.heads = heads;
  return what.inputs.num_heads > 1;
}

Linear& linear_of(LayerWeights& weights, Part part) {
  return part == Part::query ? weights.query : part == Part::key ? weights.key : weights.value;
}

bool value_by_key(Altered& what, int) {
  LayerWeights& weights = what.inputs.weights;
  if (weights.empty()) return false;
  separate_projections(what);
  if (!(weights.key.weight.shape() == weights.value.weight.shape())) return false;
  weights.value = weights.key;
  return true;
}

template <Part part>
bool leave_bias_out(Altered& what, int) {
  if (what.inputs.weights.empty()) return false;
  separate_projections(what);
  return !std::exchange(linear_of(what.inputs.weights, part).bias, Tensor()).empty();
}

// Row (h, d) of query, key and value of a weight that is read as [heads, features, 3].
Tensor rows_of_last_dimension(const Tensor& all, std::int64_t part) {
  const std::int64_t count = all.dim(0) / 3, width = all.rank() == 1 ? 1 : all.dim(1);
  const std::vector<float> values = all.values();
  std::vector<float> rows(static_cast<std::size_t>(count * width));
  for (std::int64_t row = 0; row < count; ++row) {
    std::copy_n(values.begin() + (3 * row + part) * width, width, rows.begin() + row * width);
  }
  Shape shape = all.shape();
  shape[0] = count;
  return Tensor::of(shape, all.axes(), std::move(rows));
}

bool read_last_dimension(Altered& what, int) {
  LayerWeights& weights = what.inputs.weights;
  if (!weights.fused() || what.inputs.num_heads != what.inputs.num_kv_heads) return false;
  if (what.inputs.head_dim != what.inputs.value_head_dim) return false;
  const Linear fused = weights.qkv;
  separate_projections(what);
  for (const Part part : {Part::query, Part::key, Part::value}) {
    Linear& linear = linear_of(weights, part);
    linear.weight = rows_of_last_dimension(fused.weight, static_cast<std::int64_t>(part));
    if (!fused.bias.empty()) linear.bias = rows_of_last_dimension(fused.bias, static_cast<std::int64_t>(part));
  }
  return true;
}

// Rows of a projection in the order that rotary positions do not turn: row `features[d]` of each head is row `d`.
Tensor rows_otherwise(const Tensor& rows, const std::vector<std::int64_t>& features) {
  const auto head_dim = static_cast<std::int64_t>(features.size());
  const std::int64_t width = rows.rank() == 1 ? 1 : rows.dim(1);
  const std::vector<float> from = rows.values();
  std::vector<float> to(from.size());
  for (std::int64_t row = 0; row < rows.dim(0); ++row) {
    const std::int64_t there = row / head_dim * head_dim + features[static_cast<std::size_t>(row % head_dim)];
    std::copy_n(from.begin() + row * width, width, to.begin() + there * width);
  }
  return Tensor::of(rows.shape(), rows.axes(), std::move(to));
}

bool permute_rows(Altered& what, int) {
  const Inputs& inputs = what.inputs;
  if (inputs.weights.empty() || inputs.head_rule == nullptr || inputs.head_rule->rotary == nullptr) return false;
  what.faults.rows_permuted = true;
  if (what.faults.pairs_exchanged) return false;  // rows and rotation in the other order are no mistake
  const RotaryRule& rule = inputs.head_rule->rotary->rule();
  const PartOrder order = other_features(rule, inputs.head_dim);
  separate_projections(what);
  for (const Part part : {Part::query, Part::key}) {
    Linear& linear = linear_of(what.inputs.weights, part);
    if (linear.empty() || linear.weight.dim(0) % inputs.head_dim != 0) return false;
    linear.weight = rows_otherwise(linear.weight, order.features);
    if (!linear.bias.empty()) linear.bias = rows_otherwise(linear.bias, order.features);
  }
  return rule.features >= 4;
}

bool leave_output_out(Altered& what, int) {
  const Linear& output = what.inputs.weights.output;
  what.faults.output_missing = true;
  return !output.empty() && output.weight.dim(0) == output.weight.dim(1);
}

bool add_residual(Altered& what, int) {
  const Linear& output = what.inputs.weights.output;
  what.faults.residual_added = true;
  return !output.empty() && !what.inputs.x.empty() && output.weight.dim(0) == what.inputs.x.dim(2);
}

bool roll_keys(Altered& what, int variation) {
  what.faults.roll_keys = variation == 0 ? 1 : -1;
  return what.inputs.key_len > 1;
}
bool roll_values(Altered& what, int variation) {
  what.faults.roll_values = variation == 0 ? 1 : -1;
  return what.inputs.key_len > 1;
}

// Keys and values of a ring buffer as they lie in it: from the oldest one on, around the end.
constexpr int kMostRing = 12;
bool leave_ring(Altered& what, int variation) {
  const std::int64_t by = variation + 1;
  what.faults.roll_keys = what.faults.roll_values = by;
  return by < what.inputs.key_len;
}

template <LayerFaults::Last last>
bool stale_last(Altered& what, int) {
  what.faults.last_key = last;
  return what.inputs.key_len > 1;
}

bool double_bias(Linear& linear) {
  if (linear.bias.empty()) return false;
  std::vector<float> values = linear.bias.values();
  for (float& value : values) value *= 2;
  linear.bias = Tensor::of(linear.bias.shape(), linear.bias.axes(), std::move(values));
  return true;
}

bool add_bias_twice(Altered& what, int) {
  bool changed = false;
  LayerWeights& weights = what.inputs.weights;
  for (Linear* linear : {&weights.qkv, &weights.query, &weights.key, &weights.value}) {
    changed = double_bias(*linear) || changed;
  }
  return changed;
}

template <Part part>
bool add_one_bias_twice(Altered& what, int) {
  if (what.inputs.weights.empty()) return false;
  separate_projections(what);
  return double_bias(linear_of(what.inputs.weights, part));
}

bool add_output_bias_twice(Altered& what, int) {
  return double_bias(what.inputs.weights.output);
}

bool past_at_the_end(Altered& what, int) {
  if (past_of(what.inputs) != nullptr) return !std::exchange(what.faults.past_last, true);
  const std::int64_t past = what.request.past;
  if (past <= 0 || past >= what.inputs.key_len || what.inputs.query.empty()) return false;
  what.faults.roll_keys = what.faults.roll_values = -past;
  return true;
}

bool forget_past(Altered& what, int) {
  const bool kept = past_of(what.inputs) != nullptr || what.request.past != 0;
  what.faults.mask_without_past = true;
  return kept && !what.request.mask.empty();
}

constexpr MistakeRow kRows[] = {
    {"split-by-view", S::query, "[batch, len, heads * features] is viewed as [batch, heads, len, features]",
     "x.view(B, H, S, D)", "x.view(B, S, H, D).transpose(1, 2)", lay_heads<Layout::viewed, Layout::transposed>},
    {"split-and-merge-by-view", S::query, "heads are split and merged by views, without transposing",
     "x.view(B, H, S, D), y.view(B, S, H * D)",
     "x.view(B, S, H, D).transpose(1, 2), y.transpose(1, 2).reshape(B, S, -1)",
     lay_heads<Layout::viewed, Layout::viewed>},
    {"split-features-first", S::query, "the features of a head lie apart: x is viewed as [batch, len, features, heads]",
     "x.view(B, S, D, H).permute(0, 3, 1, 2)", "x.view(B, S, H, D).transpose(1, 2)",
     lay_heads<Layout::features_first, Layout::transposed>},
    {"merge-features-first", S::concat, "heads are merged with their features apart, as [batch, len, features, heads]",
     "y.permute(0, 2, 3, 1).reshape(B, S, -1)", "y.transpose(1, 2).reshape(B, S, -1)",
     lay_heads<Layout::transposed, Layout::features_first>},
    {"heads-interleaved", S::query, "heads are split and merged with the features of a head apart",
     "rearrange(x, 'b s (d h) -> b h s d')", "rearrange(x, 'b s (h d) -> b h s d')",
     lay_heads<Layout::features_first, Layout::features_first>},
    {"heads-tiled", S::raw_scores, "key and value heads are repeated as 0 1 0 1 and not as 0 0 1 1",
     "k.repeat(1, H // G, 1, 1)", "k.repeat_interleave(H // G, dim=1)", group_heads<Groups::tiled, Groups::tiled>},
    {"heads-tiled-key", S::raw_scores, "key heads alone are repeated as 0 1 0 1 and not as 0 0 1 1",
     "k.repeat(1, H // G, 1, 1)", "k.repeat_interleave(H // G, dim=1)", group_heads<Groups::tiled, Groups::repeated>},
    {"heads-tiled-value", S::context, "value heads alone are repeated as 0 1 0 1 and not as 0 0 1 1",
     "v.repeat(1, H // G, 1, 1)", "v.repeat_interleave(H // G, dim=1)", group_heads<Groups::repeated, Groups::tiled>},
    {"one-head-for-all", S::raw_scores, "every head reads the keys and values of head 0", "k[:, :1], v[:, :1]", "k, v",
     group_heads<Groups::first, Groups::first>},
    {"heads-summed", S::concat, "every head's features hold the sum of all heads", "y.sum(1)",
     "y.transpose(1, 2).reshape(B, S, -1)", join_heads<LayerFaults::Joined::summed>},
    {"heads-averaged", S::concat, "every head's features hold the mean of all heads", "y.mean(1)",
     "y.transpose(1, 2).reshape(B, S, -1)", join_heads<LayerFaults::Joined::averaged>},
    {"value-by-key", S::value_proj, "values are made with the key projection", "v = self.k_proj(x)",
     "v = self.v_proj(x)", value_by_key},
    {"query-bias-missing", S::query_proj, "queries are projected without their bias", "F.linear(x, q_weight)",
     "F.linear(x, q_weight, q_bias)", leave_bias_out<Part::query>},
    {"key-bias-missing", S::key_proj, "keys are projected without their bias", "F.linear(x, k_weight)",
     "F.linear(x, k_weight, k_bias)", leave_bias_out<Part::key>},
    {"value-bias-missing", S::value_proj, "values are projected without their bias", "F.linear(x, v_weight)",
     "F.linear(x, v_weight, v_bias)", leave_bias_out<Part::value>},
    {"qkv-last-dimension", S::query_proj, "the fused projection is read as [heads, features, 3]",
     "qkv.view(B, S, H, D, 3).unbind(-1)", "qkv.view(B, S, 3, H, D).unbind(2)", read_last_dimension},
    {"rotary-rows-permuted", S::query_proj,
     "rows of the projections of queries and keys stand in the order of pairs, and positions turn halves, or the other "
     "way round",
     "q_proj.weight = w", "q_proj.weight = permute(w, n_heads)", permute_rows},
    {"output-missing", S::output, "the output projection is left out", "return y", "return self.out_proj(y)",
     leave_output_out},
    {"residual-added", S::output, "the input is added to the output", "return x + self.out_proj(y)",
     "return self.out_proj(y)", add_residual},
    {"key-shifted", S::key, "keys stand one place off", "k.roll(1, dims=-2)", "k", roll_keys, 2},
    {"value-shifted", S::value, "values stand one place off", "v.roll(1, dims=-2)", "v", roll_values, 2},
    {"ring-not-unrolled", S::key, "keys and values stand in the order of a ring buffer", "k = cache.buffer",
     "k = cache.buffer.roll(-cache.oldest, dims=-2)", leave_ring, kMostRing},
    {"last-key-stale", S::key, "the last key and value are those before them", "cache.read(); cache.append(k, v)",
     "cache.append(k, v); cache.read()", stale_last<LayerFaults::Last::repeated>},
    {"last-key-zero", S::key, "the last key and value are 0: the cache has a place for them that is not written",
     "cache.read(); cache.append(k, v)", "cache.append(k, v); cache.read()", stale_last<LayerFaults::Last::zero>},
    {"projection-bias-twice", S::query_proj, "the biases of query, key and value are added twice",
     "self.q_proj(x) + self.q_proj.bias", "self.q_proj(x)", add_bias_twice},
    {"query-bias-twice", S::query_proj, "the bias of the queries is added twice", "self.q_proj(x) + self.q_proj.bias",
     "self.q_proj(x)", add_one_bias_twice<Part::query>},
    {"key-bias-twice", S::key_proj, "the bias of the keys is added twice", "self.k_proj(x) + self.k_proj.bias",
     "self.k_proj(x)", add_one_bias_twice<Part::key>},
    {"value-bias-twice", S::value_proj, "the bias of the values is added twice", "self.v_proj(x) + self.v_proj.bias",
     "self.v_proj(x)", add_one_bias_twice<Part::value>},
    {"output-bias-twice", S::output, "the bias of the output projection is added twice",
     "self.out_proj(y) + self.out_proj.bias", "self.out_proj(y)", add_output_bias_twice},
    {"past-at-the-end", S::key, "the keys and values of the past stand behind the new ones",
     "torch.cat([k, past_k], dim=-2)", "torch.cat([past_k, k], dim=-2)", past_at_the_end},
    {"past-ignored-by-mask", S::masked_scores, "the mask takes the first query to stand at key 0",
     "torch.tril(torch.ones(Q, K))", "torch.tril(torch.ones(Q, K), diagonal=past)", forget_past},
};

}  // namespace

std::span<const MistakeRow> head_mistakes() {
  return kRows;
}

}  // namespace headscope
