// Scores, weights and context that are computed when they are read: what stands for matrices too large to keep.
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

// Safe to read from several threads at once. The statistics of a row, and its context, are computed when first needed
// and remembered: 8 and 4 * value_head_dim bytes a (batch, head, query).
class OnDemand : public std::enable_shared_from_this<OnDemand> {
 public:
  // query [batch, heads, query_len, head_dim], key and value [batch, kv_heads, key_len, ...], as Backend::attention().
  OnDemand(std::shared_ptr<const Backend> backend, Tensor query, Tensor key, Tensor value, ScoreRule rule);

  bool drops() const { return rule_.drops(); }

  // [batch, heads, query_len, key_len].
  Shape score_shape() const;

  // Cells of a score-like stage over `region` of score_shape(), row-major, with the bits that a stored stage has.
  void read_scores(StageId stage, const Region& region, std::span<float> out, const CancelToken& cancel = {}) const;

  // The matrix of a score-like stage where the backend's device leaves its pictures; null where they come back.
  // `edits`: what changes rows of it by hand, may be null; a frozen head's weights have no such matrix. Held by a
  // shared_ptr.
  std::shared_ptr<const DevicePyramid> device_pyramid(StageId stage, std::int64_t batch, std::int64_t head,
                                                      std::shared_ptr<const RowEdits> edits = nullptr) const;

  // Cells of the context [batch, heads, query_len, value_head_dim]; heads in `ablated` are 0.
  void read_context(const Region& region, const std::vector<std::int64_t>& ablated, std::span<float> out,
                    const CancelToken& cancel = {}) const;

  // max and sum of the rows of `part`, dense.
  RowStatistics statistics(const QueryRange& part, const CancelToken& cancel = {}) const;

  // How many (batch, head, query) rows there are, and of how many the statistics are known.
  std::int64_t rows() const;
  std::int64_t known_rows() const;

 private:
  // Has compute(b, h, queries) called for the runs of queries of `part` that are not in `known`; what it returns stores
  // one block of the result, with mutex_ held.
  template <typename Compute>
  void complete(std::vector<char>& known, const QueryRange& part, const Compute& compute) const;
  void know_context(const QueryRange& part, const CancelToken& cancel) const;
  // Whether `part` is made of whole blocks of rows of which no statistics are known.
  bool nothing_known(const QueryRange& part) const;
  // Rows `from` of the only head of `rows` become those of (b, h) from `to` on. With mutex_ held.
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

// [batch, heads, query, feature] merged to [batch, query, heads * feature], computed when read. transpose:
// concat[b,i,h*hd+d] = context[b,h,i,d]; direct: the same order of memory in the new shape.
Tensor merged_on_demand(const Tensor& context, Merge merge);

// y = x W^T + b, rows computed when read.
Tensor projected_on_demand(const Tensor& x, const Linear& layer, std::shared_ptr<const Backend> backend);

}  // namespace headscope
