// Scores, weights and context that are computed when they are read, for matrices too large to keep.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/backend/backend.h"
#include "core/backend/score_rule.h"
#include "core/tensor/tensor.h"

namespace headscope {

class DevicePyramid;
class RowEdits;

// Safe to read from several threads at once. The statistics of a row and its context are computed when first needed,
// then kept: 8 and 4 * value_head_dim bytes a (batch, head, query).
class OnDemand : public std::enable_shared_from_this<OnDemand> {
 public:
  // query [batch, heads, query_len, head_dim], key and value [batch, kv_heads, key_len, ...], as Backend::attention().
  OnDemand(std::shared_ptr<const Backend> backend, Tensor query, Tensor key, Tensor value, ScoreRule rule);

  bool drops() const { return rule_.drops(); }

  // [batch, heads, query_len, key_len].
  Shape score_shape() const;

  // Cells of a score-like stage over `region` of score_shape(), row-major, with the bits that a stored stage has.
  void read_scores(StageId stage, const Region& region, std::span<float> out, const CancelToken& cancel = {}) const;

  // The pyramid of a score-like stage on the backend's device; null when no window draws from that device. `edits`:
  // interventions that change rows of the stage, or null; the weights of a frozen head have no pyramid. This object
  // must be owned by a shared_ptr.
  std::shared_ptr<const DevicePyramid> device_pyramid(StageId stage, std::int64_t batch, std::int64_t head,
                                                      std::shared_ptr<const RowEdits> edits = nullptr) const;

  // Cells of the context [batch, heads, query_len, value_head_dim]; heads in `ablated` are 0.
  void read_context(const Region& region, const std::vector<std::int64_t>& ablated, std::span<float> out,
                    const CancelToken& cancel = {}) const;

  // Hands out whole rows of score-like stages of head (b, h), all of them in one pass, with the bits of read_scores();
  // the statistics of the rows and their context are known afterwards. `queries` begins at a multiple of kRowsTogether
  // and ends at one, or with the last query.
  void visit_rows(std::int64_t b, std::int64_t h, Range queries, const StageRows& rows,
                  const CancelToken& cancel = {}) const;

  // Hands out the rows of weights of head (b, h), before dropout, with the bits of read_scores() (see
  // Backend::visit_weights()); their statistics are known afterwards. False, and nothing is handed out, where the
  // backend has no pass for it.
  bool visit_weights(std::int64_t b, std::int64_t h, Range queries, const VisitWeights& visit,
                     const CancelToken& cancel = {}) const;

  // How many queries of one head visit_rows() is given best: their scores are a piece of work for all threads.
  std::int64_t queries_at_once() const;

  // max and sum of the rows of `part`, dense.
  RowStatistics statistics(const QueryRange& part, const CancelToken& cancel = {}) const;

  // How many (batch, head, query) rows there are, and for how many the statistics are known.
  std::int64_t rows() const;
  std::int64_t known_rows() const;

 private:
  // Calls compute(b, heads, queries) for the runs of queries of `part` that are not in `known`: of one head, and of
  // those after it where a device computes. It returns a function that stores one block of one head's result; that
  // function is called with mutex_ held.
  template <typename Compute>
  void complete(std::vector<char>& known, const QueryRange& part, const Compute& compute) const;
  void know_context(const QueryRange& part, const CancelToken& cancel) const;
  // Whether these queries are whole blocks of rows.
  bool whole_blocks(Range queries) const;
  // Stores the statistics of the rows of `part`, which are whole blocks.
  void know_statistics(const RowStatistics& rows, const QueryRange& part) const;
  // Whether `part` consists of whole blocks of rows without known statistics.
  bool nothing_known(const QueryRange& part) const;
  // The same of context rows.
  void keep_context(const Tensor& rows, std::int64_t b, std::int64_t h, std::int64_t from, Range to) const;
  // Stores rows `from` of `rows`, which has one head, as the statistics of (b, h) from row `to` on. Call it with mutex_
  // held.
  void keep_statistics(const RowStatistics& rows, std::int64_t b, std::int64_t h, Range from, std::int64_t to) const;
  std::int64_t blocks_per_head() const;

  const std::shared_ptr<const Backend> backend_;
  const Tensor query_, key_, value_;
  const ScoreRule rule_;

  mutable std::mutex mutex_;  // guards what follows; never held while computing
  mutable RowStatistics statistics_;
  mutable Tensor context_;
  mutable std::vector<char> statistics_known_, context_known_;  // per block of rows
  mutable std::int64_t known_rows_ = 0;
};

}  // namespace headscope
