// The result: every named tensor of one forward, and what made it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/model/inputs.h"
#include "core/request/mask.h"
#include "core/request/request.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct HiddenWeight;
struct ModelTrace;
class OnDemand;
struct PositionHeads;
class RowEdits;

struct Stage {
  StageId id{};
  Tensor tensor;
  std::string operation;  // how it came from the stages before: "x · Wqkv + b", "÷ √64", "+ causal mask", "softmax"
  bool equals_previous = false;  // the same numbers as the stage before: "masked_scores = scores"
  double seconds =
      0;  // time of computing it (weights: with dropout and context); 0 for views and stages computed when read
};

// Immutable once made; shared between threads.
struct Trace {
  Request request;
  std::shared_ptr<const Inputs> inputs;  // tokens, sizes, weights
  std::vector<Stage> stages;             // in the order of StageId; only those that this request has
  std::shared_ptr<const Mask> mask;      // key_len includes the key of bias_k
  // Of a layer with relative positions that queries and keys meet (position_scores.h): their keys and queries, and the
  // mask without what they add to it. Null without.
  std::shared_ptr<const PositionHeads> position_heads;
  std::shared_ptr<const Mask> mask_of_terms;
  // The mask as its terms make it.
  const Mask& terms() const { return mask_of_terms != nullptr ? *mask_of_terms : *mask; }
  RowStatistics row_statistics;                    // of the softmax (not with softmax-over-queries, nor on demand)
  std::shared_ptr<const OnDemand> on_demand;       // set when weights and context are computed when read
  std::shared_ptr<const RowEdits> row_edits;       // interventions in stages that are computed when read; null: none
  std::int64_t fully_masked_rows = 0;              // rows (batch, head, query) of weights whose every key is hidden
  std::vector<std::int64_t> fully_masked_queries;  // the query positions of such rows, increasing, each once
  // Positions at the front whose query, key and value rows were taken from the trace before, and queries at the front
  // whose rows of weights and later stages were, too: Reuse::same_positions(), same_queries(). 0 where nothing was.
  std::int64_t kept_positions = 0, kept_queries = 0;
  bool seeded_weights = false;
  std::string backend;  // Backend::name()
  std::string backend_description;
  std::shared_ptr<const ModelTrace> model;  // the model of which this is a layer; null for a single layer
  // True: after a token was replaced, weights, context, concat and output were made from updated row sums, as near to
  // the exact numbers as preview.h says; a trace of these follows.
  bool preview = false;
  std::string notice;  // a sentence when another backend than the requested one had to compute; else ""
  double scale = 0;    // the factor of raw_scores
  double seconds = 0;  // of the forward
  // The request with what the model decides where the request is silent: its softcap. Null: nothing is.
  std::shared_ptr<const Request> filled;
  std::shared_ptr<const HiddenWeight> hidden_weight;  // what hidden cells weigh (hidden_weight.h); null: nothing
  std::vector<std::string> readings;  // sentences about what could have been read otherwise (readings.h)
  // What the parameters of a stage's formula are read from.
  const Request& as_computed() const { return filled != nullptr ? *filled : request; }

  // Null when this request has no such stage.
  const Stage* find(StageId id) const;
  // Asserts that the request has it.
  const Tensor& tensor(StageId id) const;
  std::int64_t query_len() const { return inputs->query_len; }
  std::int64_t key_len() const { return mask->hidden.key_len(); }  // with the key of bias_k
  std::int64_t num_heads() const { return inputs->num_heads; }
  // Names of the rows and columns of a score-like stage: tokens, key_tokens plus "bias_k".
  std::vector<std::string> query_labels() const;
  std::vector<std::string> key_labels() const;
};

// Where cell (position i, feature d) of concat comes from in context.
struct Provenance {
  std::int64_t head = 0;
  std::int64_t position = 0;
  std::int64_t feature = 0;  // within the head
};
Provenance provenance_of(Merge merge, std::int64_t heads, std::int64_t query_len, std::int64_t value_head_dim,
                         std::int64_t i, std::int64_t d);

// The effect of Merge::direct on a row: how many different tokens and heads are mixed into one row at most, and whether
// some cell of row i comes from a token after i, which a causal mask should prevent.
struct MergeReport {
  std::int64_t tokens_per_row = 1;  // the most over rows
  std::int64_t heads_per_row = 1;
  bool future_leaks = false;  // only found when the mask has a causal or prefix term
  std::int64_t first_leaking_row = -1, leaked_token = -1;
};
MergeReport merge_report(const Request& request, std::int64_t heads, std::int64_t query_len,
                         std::int64_t value_head_dim);

}  // namespace headscope
