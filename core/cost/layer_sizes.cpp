#include "core/cost/layer_sizes.h"

#include <cstdint>
#include <string>

#include "core/base/assert.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint.h"
#include "core/model/head_rule.h"
#include "core/model/past.h"
#include "core/model/position_tables.h"
#include "core/model/relative_positions.h"
#include "core/request/request.h"
#include "core/request/stage_info.h"

namespace headscope {
namespace {

using Z = CostSize;

double& at(CostSizes& sizes, CostSize size) {
  return sizes[static_cast<std::size_t>(size)];
}

// The sizes whose product is the size of an axis.
std::vector<CostSize> size_factors(StageSize size) {
  switch (size) {
    case StageSize::batch:
      return {Z::batch};
    case StageSize::queries:
      return {Z::queries};
    case StageSize::key_tokens:
      return {Z::tokens};
    case StageSize::keys:
      return {Z::keys};
    case StageSize::heads:
      return {Z::heads};
    case StageSize::kv_heads:
      return {Z::kv_heads};
    case StageSize::head_dim:
    case StageSize::head_qkv:  // three of them: numbers_of() has the 3
      return {Z::head_dim};
    case StageSize::value_head_dim:
      return {Z::value_head_dim};
    case StageSize::input_dim:
      return {Z::input_dim};
    case StageSize::key_input_dim:
      return {Z::key_input_dim};
    case StageSize::value_input_dim:
      return {Z::value_input_dim};
    case StageSize::qkv_rows:
      return {Z::qkv_rows};
    case StageSize::query_features:
      return {Z::heads, Z::head_dim};
    case StageSize::key_features:
      return {Z::kv_heads, Z::head_dim};
    case StageSize::value_features:
      return {Z::kv_heads, Z::value_head_dim};
    case StageSize::concat_features:
      return {Z::heads, Z::value_head_dim};
    case StageSize::output_rows:
      return {Z::model_width};
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(size)));
  return {};
}

// Rows of the table of relative positions that a text of `len` tokens reads.
double positions_read(const DisentangledRule& rule, double len) {
  const auto last = static_cast<std::int64_t>(len) - 1;
  return static_cast<double>(relative_row(rule, last) - relative_row(rule, -last) + 1);
}

void add_model_sizes(CostSizes& sizes, const Inputs& inputs) {
  if (inputs.head_rule != nullptr && inputs.head_rule->rotary != nullptr) {
    at(sizes, Z::rotary_dim) = static_cast<double>(inputs.head_rule->rotary->rule().features);
  }
  if (inputs.relative_positions != nullptr) {
    at(sizes, Z::positions) = static_cast<double>(inputs.relative_positions->rows.dim(1));
  }
  if (inputs.checkpoint == nullptr || !inputs.checkpoint->architecture().latents) return;
  const LatentRule& rule = *inputs.checkpoint->architecture().latents;
  at(sizes, Z::query_rank) = static_cast<double>(rule.query_rank);
  at(sizes, Z::key_rank) = static_cast<double>(rule.key_rank);
  at(sizes, Z::rotary_dim) = static_cast<double>(rule.rotary);
  at(sizes, Z::plain_dim) = static_cast<double>(inputs.head_dim - rule.rotary);
}

// The features of the vectors that a stage holds; `otherwise` where the trace has no such stage.
double features_of(const Trace& trace, StageId stage, double otherwise) {
  const Stage* vectors = trace.find(stage);
  return vectors == nullptr ? otherwise : static_cast<double>(vectors->tensor.dim(2));
}

}  // namespace

CostSizes cost_sizes_of(const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  CostSizes sizes{};
  const auto set = [&](CostSize size, std::int64_t number) { at(sizes, size) = static_cast<double>(number); };
  set(Z::batch, inputs.batch);
  set(Z::queries, inputs.query_len);
  set(Z::past, past_len(inputs));
  set(Z::tokens, inputs.key_len - past_len(inputs));
  set(Z::keys, inputs.key_len + (inputs.weights.bias_k.empty() ? 0 : 1));
  set(Z::heads, inputs.num_heads);
  set(Z::kv_heads, inputs.num_kv_heads);
  set(Z::head_dim, inputs.head_dim);
  set(Z::value_head_dim, inputs.value_head_dim);
  at(sizes, Z::input_dim) = features_of(trace, StageId::input, 0);
  at(sizes, Z::key_input_dim) = features_of(trace, StageId::key_input, at(sizes, Z::input_dim));
  at(sizes, Z::value_input_dim) = features_of(trace, StageId::value_input, at(sizes, Z::key_input_dim));
  if (inputs.weights.fused()) set(Z::qkv_rows, inputs.weights.qkv.weight.dim(0));
  set(Z::model_width, inputs.weights.output.empty() ? inputs.d_model : inputs.weights.output.weight.dim(0));
  const Tensor& added = trace.terms().added;
  if (!added.empty()) set(Z::added_matrices, added.dim(0) * added.dim(1));
  add_model_sizes(sizes, inputs);
  return sizes;
}

CostSizes twice_as_long(const CostSizes& sizes, const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  CostSizes longer = sizes;
  const bool behind_past = diagonal_of(trace.request, inputs) > 0 && inputs.key_len > inputs.query_len;
  const double extra = at(longer, Z::keys) - at(longer, Z::tokens) - at(longer, Z::past);
  if (at(longer, Z::past) > 0) {
    at(longer, Z::past) = 2 * at(longer, Z::past) + at(longer, Z::tokens);
  } else {
    at(longer, Z::tokens) *= 2;
    if (!behind_past && !shows_pool(trace.request)) at(longer, Z::queries) *= 2;
  }
  at(longer, Z::keys) = at(longer, Z::past) + at(longer, Z::tokens) + extra;
  if (inputs.relative_positions != nullptr) {
    at(longer, Z::positions) = positions_read(inputs.relative_positions->rule, at(longer, Z::queries));
  }
  return longer;
}

CostProduct numbers_of(StageId stage) {
  CostProduct product;
  for (const StageAxis& axis : stage_info(stage).axes) {
    if (axis.size == StageSize::head_qkv) product.factor *= 3;
    for (const CostSize size : size_factors(axis.size)) product.sizes.push_back(size);
  }
  return product;
}

}  // namespace headscope
