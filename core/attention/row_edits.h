// Rows of scores and weights that edits and frozen heads change, and all later stages up to the context. Internal to
// core/attention.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/attention/interventions.h"
#include "core/attention/trace_builder.h"
#include "core/backend/backend.h"
#include "core/backend/device_backend.h"
#include "core/backend/score_rule.h"

namespace headscope {

// Safe to use from several threads at once: it keeps no results. A row is computed stage after stage by the backend's
// primitives, which give the same bits as its passes, so that only numbers that depend on an edit change.
class RowEdits {
 public:
  // For attention whose softmax runs over keys, as Backend::attention() computes it.
  RowEdits(const Request& request, const Inputs& inputs, const Heads& heads, ScoreRule rule,
           std::shared_ptr<const Backend> backend);

  bool any() const { return !rows_.empty() || !frozen_.empty(); }

  // Whether the weights of head h are frozen.
  bool freezes(std::int64_t h) const { return frozen(h) != nullptr; }

  // The rows of `queries` that edits of this score-like stage or of an earlier one change, in a head that is not
  // frozen.
  std::vector<ChangedRow> changed_rows(StageId stage, std::int64_t b, std::int64_t h, Range queries, Range keys,
                                       const CancelToken& cancel) const;

  // Rewrites the cells of a region of a score-like stage, row-major, that frozen heads and edits of this stage or an
  // earlier one change.
  void apply(StageId stage, const Region& region, std::span<float> values, const CancelToken& cancel) const;

  // The same for the context [batch, heads, query_len, value_head_dim], before heads are switched off.
  void apply_to_context(const Region& region, std::span<float> values, const CancelToken& cancel) const;

  // The same for the whole results of a pass.
  void apply(AttentionResults& results, const CancelToken& cancel) const;

  // Frozen heads and edits in stored whole stages, for attention_step_by_step().
  void freeze(Tensor& weights) const;
  bool edits(StageId stage) const;
  Tensor edited(StageId stage, const Tensor& tensor) const;

 private:
  struct Row {
    std::int64_t b = 0, h = 0, i = 0;
    StageId from{};  // the first stage that an edit changes
  };
  struct Computed {
    Tensor score, weights, dropped;  // [1, 1, queries, key_len]; `score` is the stage that compute() was called for
    RowStatistics statistics;
    const Tensor& kept() const { return dropped.empty() ? weights : dropped; }
    const Tensor& of(StageId stage) const {
      return stage == StageId::weights ? weights : stage == StageId::dropped_weights ? kept() : score;
    }
  };
  Computed compute(StageId stage, std::int64_t b, std::int64_t h, Range queries, const CancelToken& cancel) const;
  Tensor context(const Tensor& weights, std::int64_t b, std::int64_t h, Range queries, const CancelToken& cancel) const;
  template <typename Visit>
  void visit(StageId stage, const Region& rows, const CancelToken& cancel, const Visit& visit) const;
  std::vector<NumberEdit>& edits_at(StageId stage);
  const std::vector<NumberEdit>& edits_at(StageId stage) const;
  const FrozenHead* frozen(std::int64_t h) const;

  Heads heads_;
  ScoreRule rule_;
  std::shared_ptr<const Backend> backend_;
  std::int64_t diagonal_ = 0;
  std::vector<std::vector<NumberEdit>> edits_;  // of raw_scores ... dropped_weights
  std::vector<FrozenHead> frozen_;
  std::vector<Row> rows_;  // sorted by b, h, i, each once; not of frozen heads
};

}  // namespace headscope
