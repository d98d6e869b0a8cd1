// find_problem once files are read: shapes against each other, and memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/attention/input_problem.h"
#include "core/attention/intervention_problem.h"
#include "core/attention/operation_text.h"
#include "core/attention/projection_steps.h"
#include "core/attention/readings.h"
#include "core/attention/stage_sizes.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/model/past.h"
#include "core/request/intervention_kinds.h"
#include "core/request/key_mask.h"
#include "core/request/mask.h"
#include "core/request/problem_checks.h"

namespace headscope {
namespace {

using MaybeProblem = std::optional<Problem>;

bool broadcasts(const Shape& from, const Shape& to) {
  if (from.count < 1 || from.count > to.count) return false;
  for (int axis = 0; axis < from.count; ++axis) {
    if (from[axis] != 1 && from[axis] != to[to.count - from.count + axis]) return false;
  }
  return true;
}

Problem refusal(const char* option, std::string title, std::string detail) {
  return {option, std::move(title), std::move(detail), {}};
}

// A projection's weight against the input that it is applied to and the features that its heads need.
MaybeProblem linear_problem(const char* option, const char* name, const Linear& linear, std::int64_t input_dim,
                            std::int64_t features) {
  const Shape& weight = linear.weight.shape();
  if (weight.count == 2 && weight[0] == features && weight[1] == input_dim &&
      (linear.bias.empty() || linear.bias.size() == features)) {
    return {};
  }
  return refusal(
      option, fmt::format("the {} weights do not fit", name),
      fmt::format("Found {} [out, in]{}; expected [{}, {}] for this input and these heads.", to_string(weight),
                  linear.bias.empty() ? "" : " with a bias of " + to_string(linear.bias.shape()), features, input_dim));
}

MaybeProblem size_problem(const Inputs& inputs) {
  for (const auto& [option, size] : {std::pair{"batch", inputs.batch},
                                     {"input", inputs.query_len},
                                     {"key-input", inputs.key_len},
                                     {"heads", inputs.num_heads},
                                     {"kv-heads", inputs.num_kv_heads},
                                     {"heads", inputs.head_dim},
                                     {"heads", inputs.value_head_dim}}) {
    if (size < 1) return refusal(option, "there is nothing to compute", "A size is 0: every axis holds at least 1.");
  }
  if (inputs.num_heads % inputs.num_kv_heads != 0) {
    return refusal("kv-heads", fmt::format("{} does not divide the {} heads", inputs.num_kv_heads, inputs.num_heads),
                   "Every key head serves the same number of query heads.");
  }
  return {};
}

MaybeProblem alone_problem(const Inputs& inputs) {
  const Shape query{inputs.batch, inputs.num_heads, inputs.query_len, inputs.head_dim};
  const Shape key{inputs.batch, inputs.num_kv_heads, inputs.key_len, inputs.head_dim};
  const Shape value{inputs.batch, inputs.num_kv_heads, inputs.key_len, inputs.value_head_dim};
  for (const auto& [option, found, expected] :
       {std::tuple{"query", &inputs.query, &query}, {"key", &inputs.key, &key}, {"value", &inputs.value, &value}}) {
    if (found->shape() == *expected) continue;
    return refusal(option, fmt::format("{} has another shape", option),
                   fmt::format("Found {}; expected {} [batch, heads, len, head_dim].", to_string(found->shape()),
                               to_string(*expected)));
  }
  return {};
}

MaybeProblem projection_problem(const Inputs& inputs) {
  const LayerWeights& weights = inputs.weights;
  const Tensor& key_x = inputs.key_x.empty() ? inputs.x : inputs.key_x;
  const Tensor& value_x = inputs.value_x.empty() ? key_x : inputs.value_x;
  const std::int64_t own_keys = inputs.key_len - past_len(inputs);
  for (const auto& [option, x, len] : {std::tuple{"input", &inputs.x, inputs.query_len},
                                       {"key-input", &key_x, own_keys},
                                       {"value-input", &value_x, own_keys}}) {
    if (x->rank() == 3 && x->dim(0) == inputs.batch && x->dim(1) == len) continue;
    return refusal(option, fmt::format("{} has another shape", option),
                   fmt::format("Found {}; expected [{}, {}, input_dim].", to_string(x->shape()), inputs.batch, len));
  }
  const std::int64_t queries = part_features(inputs, Part::query);
  const std::int64_t keys = part_features(inputs, Part::key);
  const std::int64_t values = part_features(inputs, Part::value);
  if (weights.fused()) {
    for (const Tensor* x : {&key_x, &value_x}) {
      if (x->dim(2) != inputs.x.dim(2)) {
        return refusal("key-input", "a fused projection takes one input width",
                       fmt::format("The queries have {} features, the keys or values {}.", inputs.x.dim(2), x->dim(2)));
      }
    }
    const std::int64_t rows = queries + keys + values;
    if (MaybeProblem problem = linear_problem("weights", "fused", weights.qkv, inputs.x.dim(2), rows)) return problem;
  } else {
    if (auto problem = linear_problem("weights", "query", weights.query, inputs.x.dim(2), queries)) return problem;
    if (auto problem = linear_problem("weights", "key", weights.key, key_x.dim(2), keys)) return problem;
    if (auto problem = linear_problem("weights", "value", weights.value, value_x.dim(2), values)) return problem;
  }
  if (weights.bias_k.empty() != weights.bias_v.empty() ||
      (!weights.bias_k.empty() && (weights.bias_k.size() != keys || weights.bias_v.size() != values))) {
    return refusal("weights", "bias_k and bias_v do not fit",
                   fmt::format("Expected both or neither, of {} and {} values.", keys, values));
  }
  if (weights.output.empty()) return {};
  return linear_problem("weights", "output", weights.output, inputs.num_heads * inputs.value_head_dim,
                        weights.output.weight.dim(0));
}

MaybeProblem variant_problem(const Request& request, const Inputs& inputs, std::int64_t key_len) {
  const LayerWeights& weights = inputs.weights;
  for (const auto& [variant, name, layout] :
       {std::tuple{Variant::qkv_blocked_as_per_head, "qkv-blocked-as-per-head", QkvLayout::blocked},
        {Variant::qkv_per_head_as_blocked, "qkv-per-head-as-blocked", QkvLayout::per_head}}) {
    if (!has_variant(request, variant)) continue;
    const char* wanted = layout == QkvLayout::blocked ? "blocked" : "per-head";
    if (!weights.fused()) {
      return refusal("variant", fmt::format("{} needs a fused projection", name),
                     "These queries, keys and values do not come from one matrix whose rows could be misread.");
    }
    if (weights.qkv_layout != layout) {
      return Problem{
          "variant",
          fmt::format("{} needs {} rows", name, wanted),
          fmt::format("The rows of this projection lie {}.", layout == QkvLayout::blocked ? "per head" : "in blocks"),
          {{fmt::format("{} rows", wanted), "qkv-layout", wanted}}};
    }
    if (inputs.num_kv_heads != inputs.num_heads || inputs.value_head_dim != inputs.head_dim) {
      return refusal("variant", fmt::format("{} needs heads of one size", name),
                     "Grouped or unequal heads cannot be read in the other layout.");
    }
  }
  if (has_variant(request, Variant::key_not_transposed) && key_len != inputs.head_dim) {
    return refusal("variant", "key-not-transposed needs as many keys as head features",
                   fmt::format("There are {} keys, and head_dim is {}; q · k has a shape only where they are equal.",
                               key_len, inputs.head_dim));
  }
  return {};
}

MaybeProblem mask_problem(const Request& request, const Inputs& inputs, std::int64_t key_len) {
  for (const MaskFile& file : inputs.mask_files) {
    const Shape scores{inputs.batch, inputs.num_heads, inputs.query_len, inputs.key_len};
    const Shape& shape = file.values.shape();
    // A file that says it of the keys is refused by build_mask(), which knows what it would be.
    const bool of_keys = is_of_keys(request.mask_kind) && !file.is_captured;
    if (of_keys || broadcasts(shape, scores)) continue;
    const std::string of_items = mask_of_batch_items(shape, scores);
    return refusal(
        "mask", "the mask has another shape",
        fmt::format("{} is {}; expected a shape that broadcasts to [batch, heads, query_len, key_len] = "
                    "{}.{}",
                    file.path, to_string(shape), to_string(scores), of_items.empty() ? "" : " " + of_items + '.'));
  }
  if (!inputs.mask_files.empty()) {
    try {
      build_mask(with_past(request, inputs), inputs.mask_files,
                 {.batch = inputs.batch,
                  .heads = inputs.num_heads,
                  .query_len = inputs.query_len,
                  .key_len = key_len,
                  .extra_key = key_len != inputs.key_len},
                 inputs.own_mask);
    } catch (const UsageError& error) {
      return refusal("mask", "the mask cannot be used", error.reason() + '.');
    }
  }
  const Shape weights{inputs.batch, inputs.num_heads, inputs.query_len, key_len};
  if (!inputs.dropout_mask.empty() && !broadcasts(inputs.dropout_mask.shape(), weights)) {
    return refusal("dropout-mask", "the dropout mask has another shape",
                   fmt::format("Found {}; expected a shape that broadcasts to {}.",
                               to_string(inputs.dropout_mask.shape()), to_string(weights)));
  }
  return {};
}

// Of a model that adds scores of relative positions to those of content, both scaled, before the mask.
MaybeProblem position_problem(const Request& request) {
  if (request.mask_order == MaskOrder::before_scale) {
    return Problem{"mask-order",
                   "this model adds scaled scores of relative positions",
                   "With the mask before the scale they would be scaled twice: the mask comes after scaling.",
                   {{"mask after scaling", "mask-order", "after-scale"}}};
  }
  if (!request.softcap) return {};
  return refusal("softcap", "this model adds scores of relative positions",
                 "A cap would bound the scores of content alone: this model has none.");
}

}  // namespace

std::optional<Problem> find_problem(const Request& request, const Inputs& inputs, std::int64_t memory_limit) {
  if (MaybeProblem problem = size_problem(inputs)) return problem;
  const bool alone = !inputs.query.empty();
  if (MaybeProblem problem = alone ? alone_problem(inputs) : projection_problem(inputs)) return problem;
  const std::int64_t key_len = inputs.key_len + (inputs.weights.bias_k.empty() ? 0 : 1);
  if (MaybeProblem problem = variant_problem(request, inputs, key_len)) return problem;
  if (has_variant(request, Variant::mask_inverted) && !asks_for_mask(request, inputs)) {
    return Problem{
        "variant", "mask-inverted has no mask to invert", "Choose a mask first.", {{"causal", "mask", "causal"}}};
  }
  if (!request.softcap && inputs.softcap && request.mask_order == MaskOrder::before_scale) {
    return Problem{"mask-order",
                   "this model caps its scores between scale and mask",
                   fmt::format("Its softcap is {}: the mask comes after scaling.", *inputs.softcap),
                   {{"mask after scaling", "mask-order", "after-scale"}}};
  }
  if (inputs.relative_positions != nullptr) {
    if (MaybeProblem problem = position_problem(request)) return problem;
  }
  const std::int64_t layers = inputs.checkpoint == nullptr ? 1 : inputs.checkpoint->architecture().num_layers;
  for (const LayerHead& place : ablated_heads(request)) {
    if (place.layer < 0 || place.layer >= layers) {
      return refusal("ablate", fmt::format("there is no layer {}", place.layer),
                     layers == 1 ? "This model has one layer, number 0."
                                 : fmt::format("The {} layers are 0 to {}.", layers, layers - 1));
    }
    if (MaybeProblem problem = ablate_problem(place.head, inputs.num_heads, place.layer)) return problem;
  }
  if (MaybeProblem problem = intervention_problem(request, inputs)) return problem;
  if (MaybeProblem problem = memory_problem(request, stage_sizes_of(inputs), memory_limit)) return problem;
  return mask_problem(request, inputs, key_len);
}

}  // namespace headscope
