// Latents, and what vectors are projected to.
#include "core/attention/trace.h"
#include "core/cost/cost_row_parts.h"
#include "core/cost/cost_rows.h"
#include "core/cost/cost_size.h"
#include "core/cost/layer_sizes.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

using S = StageId;
using Z = CostSize;
using W = CostTensor;
using namespace cost_parts;

std::vector<CostRow> latent_rows() {
  return {
      {S::input,
       "latent of queries",
       [](const CostFacts& of) { return of.latent && of.has(W::query_latent); },
       {product({Z::batch, Z::queries, Z::model_width, Z::query_rank})},
       {times(kOfRmsNorm, {Z::batch, Z::queries, Z::query_rank})},
       {numbers(product({Z::batch, Z::queries, Z::model_width})),
        weights(W::query_latent, {Z::query_rank, Z::model_width}), weights(W::query_latent_bias, {Z::query_rank}),
        weights(W::query_latent_norm, {Z::query_rank})},
       true},
      {S::key_input,
       "latent of keys and values",
       [](const CostFacts& of) { return of.latent; },
       {product({Z::batch, Z::tokens, Z::model_width, Z::key_input_dim})},
       {times(kOfRmsNorm, {Z::batch, Z::tokens, Z::key_rank})},
       {numbers(product({Z::batch, Z::tokens, Z::model_width})),
        weights(W::key_latent, {Z::key_input_dim, Z::model_width}), weights(W::key_latent_bias, {Z::key_input_dim}),
        weights(W::key_latent_norm, {Z::key_rank})},
       true,
       {product({Z::batch, Z::tokens, Z::key_input_dim})}},
      {S::value_input,
       "copy of the latent",
       [](const CostFacts& of) { return of.latent; },
       {},
       {},
       {numbers(numbers_of(S::value_input))},
       true},
  };
}

using Applies = bool (*)(const CostFacts& of);

// Keys or values of vectors that a stage holds, with so many features each.
CostRow of_vectors(StageId stage, Applies applies, StageId vectors, CostSize features) {
  const bool key = stage == S::key_proj;
  const CostSize head_dim = key ? Z::head_dim : Z::value_head_dim;
  return {stage,
          "projection",
          applies,
          {product({Z::batch, Z::tokens, features, Z::kv_heads, head_dim})},
          {},
          {moved(vectors), weights(key ? W::key : W::value, {Z::kv_heads, head_dim, features}),
           weights(key ? W::key_bias : W::value_bias, {Z::kv_heads, head_dim})},
          true};
}

bool of_self(const CostFacts& of) {
  return is_separate(of) && !is_cross(of);
}
bool keys_of_others(const CostFacts& of) {
  return is_separate(of) && is_cross(of) && !of.latent;
}
bool values_of_others(const CostFacts& of) {
  return is_separate(of) && is_cross(of);
}

std::vector<CostRow> projection_rows() {
  return {
      {S::qkv,
       "projection",
       {},
       {product({Z::batch, Z::queries, Z::input_dim, Z::qkv_rows})},
       {},
       {moved(S::input), weights(W::qkv, {Z::qkv_rows, Z::input_dim}), weights(W::qkv_bias, {Z::qkv_rows})},
       true},
      {S::query_proj,
       "projection",
       is_separate,
       {product({Z::batch, Z::queries, Z::input_dim, Z::heads, Z::head_dim})},
       {},
       {moved(S::input), weights(W::query, {Z::heads, Z::head_dim, Z::input_dim}),
        weights(W::query_bias, {Z::heads, Z::head_dim})},
       true},
      of_vectors(S::key_proj, of_self, S::input, Z::input_dim),
      of_vectors(S::key_proj, keys_of_others, S::key_input, Z::key_input_dim),
      // The features of a key that rotary positions turn are copied from the latent, and no product.
      {S::key_proj,
       "projection of the latent",
       [](const CostFacts& of) { return of.latent; },
       {product({Z::batch, Z::tokens, Z::key_rank, Z::kv_heads, Z::plain_dim})},
       {},
       {moved(S::key_input), weights(W::key, {Z::kv_heads, Z::plain_dim, Z::key_rank})},
       true},
      of_vectors(S::value_proj, of_self, S::input, Z::input_dim),
      of_vectors(S::value_proj, values_of_others, S::value_input, Z::value_input_dim),
  };
}

}  // namespace

std::vector<CostRow> input_cost_rows() {
  std::vector<CostRow> all = latent_rows();
  const std::vector<CostRow> projections = projection_rows();
  all.insert(all.end(), projections.begin(), projections.end());
  return all;
}

}  // namespace headscope
