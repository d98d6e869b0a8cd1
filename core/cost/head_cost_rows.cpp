// What is done to heads: of queries, then of keys, then of values.
#include <functional>
#include <utility>

#include "core/attention/trace.h"
#include "core/cost/cost_row_parts.h"
#include "core/cost/cost_rows.h"
#include "core/cost/cost_size.h"
#include "core/cost/layer_sizes.h"
#include "core/model/head_rule.h"
#include "core/model/inputs.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

using S = StageId;
using Z = CostSize;
using W = CostTensor;
using namespace cost_parts;

bool turns(const CostFacts& of) {
  return rule_of(of) != nullptr && rule_of(of)->rotary != nullptr;
}
// Whether the weights of the norm are those of all heads beside each other.
bool norms_by_head(const CostFacts& of) {
  return rule_of(of) != nullptr && (rule_of(of)->norm_whole || rule_of(of)->norm_own);
}
bool norm_is(const CostFacts& of, bool centred) {
  return rule_of(of) != nullptr && rule_of(of)->norm_centred == centred;
}
bool clips(const CostFacts& of) {
  return rule_of(of) != nullptr && rule_of(of)->clip > 0;
}

// A past is joined to what is projected; of attention alone the keys are given, the past among them.
bool joins_past(const CostFacts& of) {
  return has_past(of) && of.trace.inputs->query.empty();
}

CostRow copied(StageId stage, std::function<bool(const CostFacts&)> applies) {
  return {stage, "copy", std::move(applies), {}, {}, {moved(stage)}, true};
}

// The weights of a norm of every head, and those of all heads beside each other.
CostRow norm_of_each(StageId stage, CostTensor norm) {
  return {stage, "", [](const CostFacts& of) { return !norms_by_head(of); }, {}, {}, {weights(norm, {Z::head_dim})}};
}
CostRow norm_of_all(StageId stage, CostTensor norm, CostSize heads) {
  return {stage, "", norms_by_head, {}, {}, {weights(norm, {heads, Z::head_dim})}};
}

std::vector<CostRow> query_rows() {
  const std::vector<CostSize> all = {Z::batch, Z::heads, Z::queries, Z::head_dim};
  return {
      copied(S::query, [](const CostFacts& of) { return rule_of(of) != nullptr && rule_of(of)->changes_queries(); }),
      norm_of_each(S::query, W::query_norm),
      norm_of_all(S::query, W::query_norm, Z::heads),
      {S::query, "bounds", clips, {}, {times(kOfClip, all)}},
      {S::query,
       "RMS norm",
       [](const CostFacts& of) { return of.has(W::query_norm) && norm_is(of, false); },
       {},
       {times(kOfRmsNorm, all)}},
      {S::query,
       "LayerNorm",
       [](const CostFacts& of) { return of.has(W::query_norm) && norm_is(of, true); },
       {},
       {times(kOfCentredNorm, all)}},
      {S::query, "rotary positions", turns, {}, {times(kOfTurn, {Z::batch, Z::heads, Z::queries, Z::rotary_dim})}},
  };
}

// What a generation keeps of a stage, of a past before it, too.
CostRow cached(StageId stage, CostSize tokens, CostSize features) {
  const bool of_past = tokens == Z::past;
  const auto applies = [of_past](const CostFacts& of) { return !of.latent && (!of_past || has_past(of)); };
  return {stage,   of_past ? "cache of the past" : "cache",
          applies, {},
          {},      {},
          false,   {product({Z::batch, Z::kv_heads, tokens, features})}};
}

std::vector<CostRow> key_rows() {
  const std::vector<CostSize> fresh = {Z::batch, Z::kv_heads, Z::tokens, Z::head_dim};
  return {
      copied(S::key,
             [](const CostFacts& of) {
               return (rule_of(of) != nullptr && rule_of(of)->changes_keys()) || joins_past(of) || has_extra_key(of);
             }),
      norm_of_each(S::key, W::key_norm),
      norm_of_all(S::key, W::key_norm, Z::kv_heads),
      {S::key, "bounds", clips, {}, {times(kOfClip, fresh)}},
      {S::key,
       "RMS norm",
       [](const CostFacts& of) { return of.has(W::key_norm) && norm_is(of, false); },
       {},
       {times(kOfRmsNorm, fresh)}},
      {S::key,
       "LayerNorm",
       [](const CostFacts& of) { return of.has(W::key_norm) && norm_is(of, true); },
       {},
       {times(kOfCentredNorm, fresh)}},
      {S::key, "rotary positions", turns, {}, {times(kOfTurn, {Z::batch, Z::kv_heads, Z::tokens, Z::rotary_dim})}},
      cached(S::key, Z::tokens, Z::head_dim),
      cached(S::key, Z::past, Z::head_dim),
  };
}

std::vector<CostRow> value_rows() {
  return {
      copied(S::value, [](const CostFacts& of) { return clips(of) || joins_past(of) || has_extra_key(of); }),
      {S::value, "bounds", clips, {}, {times(kOfClip, {Z::batch, Z::kv_heads, Z::tokens, Z::value_head_dim})}},
      cached(S::value, Z::tokens, Z::value_head_dim),
      cached(S::value, Z::past, Z::value_head_dim),
  };
}

}  // namespace

std::vector<CostRow> head_cost_rows() {
  std::vector<CostRow> all;
  for (const auto& part : {query_rows(), key_rows(), value_rows()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace headscope
