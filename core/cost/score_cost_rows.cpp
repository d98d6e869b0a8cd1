// Scores and weights.
#include <utility>

#include "core/attention/trace.h"
#include "core/cost/cost_row_parts.h"
#include "core/cost/cost_rows.h"
#include "core/cost/cost_size.h"
#include "core/cost/layer_sizes.h"
#include "core/request/request.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

using S = StageId;
using Z = CostSize;
using W = CostTensor;
using namespace cost_parts;

std::vector<CostRow> position_rows() {
  const CostProduct projected = product({Z::positions, Z::model_width, Z::heads, Z::head_dim});
  const MovedNumbers table = numbers(product({Z::positions, Z::model_width}));
  return {
      {S::c2p,
       "products with keys of positions",
       {},
       {projected, product({Z::batch, Z::heads, Z::queries, Z::positions, Z::head_dim})},
       {numbers_of(S::c2p)},
       {moved(S::query), table, weights(W::position_key, {Z::heads, Z::head_dim, Z::model_width}),
        weights(W::position_key_bias, {Z::heads, Z::head_dim})},
       true},
      {S::p2c,
       "products with queries of positions",
       {},
       {projected, product({Z::batch, Z::kv_heads, Z::keys, Z::positions, Z::head_dim})},
       {numbers_of(S::p2c)},
       {moved(S::key), table, weights(W::position_query, {Z::heads, Z::head_dim, Z::model_width}),
        weights(W::position_query_bias, {Z::heads, Z::head_dim})},
       true},
  };
}

// ---- what is added to scores: in which stage, and what
using Applies = bool (*)(const CostFacts& of);

bool adds_matrices(const CostFacts& of) {
  return of.sizes[static_cast<std::size_t>(Z::added_matrices)] > 0;
}
bool adds_c2p(const CostFacts& of) {
  return of.trace.find(S::c2p) != nullptr;
}
bool adds_p2c(const CostFacts& of) {
  return of.trace.find(S::p2c) != nullptr;
}

// Once, in the first of scores, capped_scores and masked_scores that does it.
bool adds_before_scale(const CostFacts& of) {
  return of.trace.request.mask_order == MaskOrder::before_scale;
}
bool adds_before_cap(const CostFacts& of) {
  return !adds_before_scale(of) && of.trace.as_computed().softcap.has_value() &&
         of.trace.as_computed().softcap_order == SoftcapOrder::after_mask;
}
bool adds_with_mask(const CostFacts& of) {
  return !adds_before_scale(of) && !adds_before_cap(of);
}

CostRow added(StageId stage, Applies stage_adds, std::string_view step, Applies is_there, MovedNumbers read) {
  const auto applies = [stage_adds, is_there](const CostFacts& of) { return stage_adds(of) && is_there(of); };
  return {stage, step, applies, {}, {numbers_of(stage)}, {std::move(read)}};
}

void add_added(std::vector<CostRow>& rows, StageId stage, Applies stage_adds) {
  rows.push_back(added(stage, stage_adds, "what is added", adds_matrices,
                       numbers(product({Z::added_matrices, Z::queries, Z::keys}))));
  rows.push_back(added(stage, stage_adds, "scores of positions", adds_c2p, moved(S::c2p)));
  rows.push_back(added(stage, stage_adds, "scores of positions", adds_p2c, moved(S::p2c)));
}

std::vector<CostRow> score_rows() {
  std::vector<CostRow> rows = {
      {S::raw_scores,
       "products of queries and keys",
       {},
       {product({Z::batch, Z::heads, Z::queries, Z::keys, Z::head_dim})},
       {},
       {moved(S::query), moved(S::key)},
       true},
      {S::scores, "scale", {}, {}, {numbers_of(S::scores)}, {moved(S::raw_scores)}, true},
  };
  add_added(rows, S::scores, adds_before_scale);
  rows.push_back({S::capped_scores,
                  "soft cap",
                  {},
                  {},
                  {times(kOfSoftcap, numbers_of(S::capped_scores))},
                  {moved(S::scores)},
                  true});
  add_added(rows, S::capped_scores, adds_before_cap);
  rows.push_back({S::masked_scores, "mask", {}, {}, {}, {moved(S::scores)}, true});
  add_added(rows, S::masked_scores, adds_with_mask);
  return rows;
}

std::vector<CostRow> weight_rows() {
  return {
      {S::weights, "softmax", {}, {}, {times(kOfSoftmax, numbers_of(S::weights))}, {moved(S::masked_scores)}, true},
      {S::weights,
       "sink",
       [](const CostFacts& of) { return of.trace.find(S::sink_weights) != nullptr; },
       {},
       {times(kOfSinkInSoftmax, {Z::batch, Z::heads, Z::queries})},
       {numbers(product({Z::heads}))}},
      {S::dropped_weights, "dropout", {}, {}, {numbers_of(S::dropped_weights)}, {moved(S::weights)}, true},
      // From the largest score and the sum of every row, which the softmax knows.
      {S::sink_weights,
       "share of the sink",
       {},
       {},
       {times(kOfSinkShare, numbers_of(S::sink_weights))},
       {numbers(times(2, numbers_of(S::sink_weights))), numbers(product({Z::heads}))},
       true},
  };
}

}  // namespace

std::vector<CostRow> score_cost_rows() {
  std::vector<CostRow> all = position_rows();
  for (const auto& part : {score_rows(), weight_rows()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace headscope
