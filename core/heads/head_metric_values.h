// The metrics of a head: entropy, distance, and the share of weight at the places that known kinds of heads attend to.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/heads/head_metric_kind.h"

namespace headscope {

// A mean and over how many rows it was taken; NaN over none.
struct MetricValue {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::int64_t rows = 0;
};

struct HeadMetrics {
  std::array<MetricValue, kHeadMetrics> values;
  std::int64_t arc_query = -1, arc_key = -1;  // place of the largest weight of rows with two keys or more; -1: none
  double arc_weight = 0;

  const MetricValue& operator[](HeadMetric metric) const { return values[static_cast<std::size_t>(metric)]; }
  MetricValue& operator[](HeadMetric metric) { return values[static_cast<std::size_t>(metric)]; }
};

// What the metrics need to know about the tokens of a trace, the same for all its heads.
class TokenPlaces {
 public:
  explicit TokenPlaces(const Trace& trace);

  // Queries and keys are the same tokens: only then there are neighbours, distances and earlier occurrences.
  bool positions_agree() const { return positions_agree_; }
  std::int64_t token_len() const { return token_len_; }
  // Key positions of special tokens ([CLS], <s> ...), increasing.
  const std::vector<std::int64_t>& special_keys() const { return special_keys_; }
  // The positions p + 1 of all p < i - 1 that hold the token of position i, increasing: the keys that an induction head
  // attends to.
  std::vector<std::int64_t> after_earlier(std::int64_t i) const;

 private:
  template <typename Token>
  void find_repeats(const std::vector<Token>& tokens);

  bool positions_agree_ = false;
  std::int64_t token_len_ = 0;
  std::vector<std::int64_t> special_keys_;
  std::vector<std::size_t> token_of_;                 // the distinct token at each position
  std::vector<std::vector<std::int64_t>> positions_;  // of each distinct token
};

// From `weights` of one batch item and head, exact also where they are computed when read: row by row, in double. Rows
// with NaN are left out; rows that see one key are left out of everything but the entropy, since their softmax is 1
// whatever the head does. Throws Cancelled.
HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head, const TokenPlaces& places,
                         const CancelToken& cancel = {});
HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head);

}  // namespace headscope
