// The heavy steps of attention, as plain arrays: four primitives, and the passes that a backend may do faster in one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <span>

#include "core/backend/kernels/softmax.h"
#include "core/backend/linear.h"
#include "core/backend/score_rule.h"
#include "core/base/cancel.h"
#include "core/request/mask.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Per row of a softmax: with these, any weight can be computed again. [batch, heads, query_len] each. A sink counts as
// one score more.
struct RowStatistics {
  Tensor max;  // the largest score of the row; -inf when there is none
  Tensor sum;  // of exp(score - max)
};

// Which queries of [batch, heads, query_len] a pass computes.
struct QueryRange {
  Range batch, heads, queries;
};

// Where a pass of attention writes its results: writable tensors of the shape of the QueryRange; the last axis has no
// gaps, rows and slices may lie at any distance. A result whose tensor is empty is not computed.
struct AttentionResults {
  Tensor weights;            // [b, h, i, key_len], before dropout
  Tensor dropped;            // the same after dropout; wanted only when rule.drops()
  RowStatistics statistics;  // [b, h, i] each
  Tensor context;            // [b, h, i, value_head_dim]
};

// Whole rows of score-like stages, handed out while a pass has them in its caches.
struct StageRows {
  std::vector<StageId> stages;  // of raw_scores ... dropped_weights, in their order; dropped_weights when rule.drops()
  // Gets the cells of all keys, as the stage has them in row i of (batch b, head h). Called on the threads of the pass,
  // from several at once, for every row and stage once, in any order; an exception ends the pass.
  std::function<void(StageId stage, std::int64_t b, std::int64_t h, std::int64_t i, std::span<const float> cells)> read;
};

// A row of weights, before dropout, as a pass has it in its caches.
struct WeightRow {
  std::int64_t b = 0, h = 0, i = 0;
  KeySpans spans;                // every weight outside of them is 0
  const float* cells = nullptr;  // of all keys; only those of the spans mean something
  float factor = 1;              // above 0: weight j is cells[j] * factor, rounded to float
};
// Called on the threads of the pass, from several at once; an exception ends the pass.
using VisitWeights = std::function<void(const WeightRow& row)>;
// Hands out these rows of weights of one head, as Backend::visit_weights() does. False, and nothing is handed out,
// where there is no pass for it. Throws Cancelled.
using WeightRows = std::function<bool(Range rows, const VisitWeights& visit, const CancelToken& cancel)>;

// What scores are computed from. It refers to its members: they must live until the call that takes it returns.
struct ScoreOperands {
  const Tensor& query;    // [batch, heads, query_len, head_dim]
  const Tensor& key;      // [batch, kv_heads, key_len, head_dim]
  const ScoreRule& rule;  // what lies between query · key and weights · value
};

// Which cells of [batch, heads, query_len, key_len] are read.
struct ScoreCells {
  StageId stage{};  // raw_scores ... dropped_weights
  Region region;
  // Of the region's rows; saves the passes over whole rows that weights need. Null: computed when weights are read.
  const RowStatistics* statistics = nullptr;
};

// Every function gives the same bits for any thread count. Arguments are stored tensors (a weight may hold two-byte
// numbers), strided views allowed; results are dense. Only the cells of `region` are computed; the result has its
// shape. All functions are safe to call from several threads at once and throw Cancelled when `cancel` is set.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;    // "cpu", as --backend spells it
  virtual std::string description() const = 0;  // "CPU, 2 threads", for the status bar

  // y = x W^T + b.  x [batch, len, in], weight [out, in], bias [out] or empty -> [batch, len, out].
  virtual Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, const CancelToken& cancel) const = 0;

  // raw_scores[b,h,i,j] = sum_d query[b,h,i,d] * key[b,g,j,d], g = h / (heads / kv_heads); over `region` of
  // [batch, heads, query_len, key_len].
  virtual Tensor query_key_products(const Tensor& query, const Tensor& key, const Region& region,
                                    const CancelToken& cancel) const = 0;

  // weights[b,h,i,:] = exp(s - max) / sum over the keys. Hidden cells hold their fill in masked_scores already; one
  // that holds -inf gets exactly 0. A row whose every score is -inf gives NaN. `statistics` receives max and sum; null
  // when not wanted. Equals torch.softmax(masked_scores, dim=-1).
  virtual Tensor softmax_rows(const Tensor& masked_scores, RowStatistics* statistics,
                              const CancelToken& cancel) const = 0;

  // The same with the sinks of these heads [heads]: one score more of every row, whose weight is not among the weights.
  // A row whose every score is -inf gives zeros.
  virtual Tensor softmax_rows_beside_sinks(const Tensor& masked_scores, const Tensor& sinks, RowStatistics* statistics,
                                           const CancelToken& cancel) const;

  // context[b,h,i,d] = sum_j weights[b,h,i,j] * value[b,g,j,d]. A hidden cell whose weight is 0 is not read, so that
  // NaN in its value changes nothing.
  virtual Tensor weighted_values(const Tensor& weights, const Tensor& value, const HiddenCells& hidden,
                                 const CancelToken& cancel) const = 0;

  // linear() into the memory of y [batch, len, out], whose last axis has no gaps.
  virtual void linear_into(const Tensor& x, const Linear& layer, Tensor& y, const CancelToken& cancel) const;

  // The middle of attention for the queries of `part`: scores, weights, context by the rule (score_rule.h), every cell
  // with the bits that the primitives and the elementwise steps give one after the other. query, key and value are
  // whole; value [batch, kv_heads, key_len, value_head_dim] may be empty when no context is wanted.
  virtual void attention(const ScoreOperands& of, const Tensor& value, const QueryRange& part, AttentionResults& to,
                         const CancelToken& cancel) const;

  // attention(), which also hands out the rows of `part`, each cell with the bits of a stored stage.
  virtual void attention_with_rows(const ScoreOperands& of, const Tensor& value, const QueryRange& part,
                                   const StageRows& rows, AttentionResults& to, const CancelToken& cancel) const;

  // The numbers of the cells, row-major, with the bits that attention() gives.
  virtual void read_scores(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                           const CancelToken& cancel) const;

  // read_scores() of weights or dropped_weights over rows whose statistics are not known yet (`cells` has none);
  // returns them. A backend may compute both in one pass over the keys.
  virtual RowStatistics read_new_weights(const ScoreOperands& of, const ScoreCells& cells, std::span<float> out,
                                         const CancelToken& cancel) const;

  // Hands out each row of weights of `part` once, in any order, with the bits that attention() gives; returns their
  // statistics. Null, and nothing is handed out, of a backend that has no pass for it.
  virtual std::optional<RowStatistics> visit_weights(const ScoreOperands& of, const QueryRange& part,
                                                     const VisitWeights& visit, const CancelToken& cancel) const;
};

// The softmax of a rule's masked scores, those of `heads`: with its sinks where it has some.
Tensor softmax_of(const Backend& backend, const Tensor& masked_scores, const ScoreRule& rule, Range heads,
                  RowStatistics* statistics, const CancelToken& cancel);

// The plain oracle: double accumulation, one loop nest a step.
std::shared_ptr<const Backend> make_reference_backend();

// Packed weights, the widest vectors of the machine, every sum in a fixed order. threads 0: all cores.
std::shared_ptr<const Backend> make_cpu_backend(int threads);

// The registry: what `--backend` may name, in order of preference. backend_factory.h makes them.
struct BackendInfo {
  BackendChoice choice;
  const char* name;
  const char* description;
};
std::vector<BackendInfo> backends();

}  // namespace headscope
