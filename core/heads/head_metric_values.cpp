#include "core/heads/head_metric_values.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/heads/head_row_values.h"
#include "core/heads/sink_shares.h"
#include "core/tensor/row_strips.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsBetweenChecks = 256;

struct Mean {
  double sum = 0;
  std::int64_t rows = 0;
  void add(double value) {
    sum += value;
    ++rows;
  }
};

class Sums {
 public:
  explicit Sums(const TokenPlaces& places) : places_(places) {}

  void add(std::int64_t i, std::span<const float> w, std::int64_t visible_keys, std::optional<double> sink_share) {
    const HeadRowValues row = head_row_values(i, w, visible_keys, places_, sink_share);
    for (const HeadMetric metric : all_head_metrics()) {
      if (row.has(metric)) means_[static_cast<std::size_t>(metric)].add(row[metric]);
    }
    if (row.has_choice && row.largest > arc_weight_) {
      arc_weight_ = row.largest;
      arc_query_ = i;
      arc_key_ = std::find(w.begin(), w.end(), row.largest) - w.begin();
    }
  }

  HeadMetrics metrics() const {
    HeadMetrics result;
    for (const HeadMetric metric : all_head_metrics()) {
      const Mean& mean = means_[static_cast<std::size_t>(metric)];
      if (mean.rows > 0) result[metric] = {mean.sum / static_cast<double>(mean.rows), mean.rows};
    }
    result.arc_query = arc_query_;
    result.arc_key = arc_key_;
    result.arc_weight = arc_weight_;
    return result;
  }

 private:
  const TokenPlaces& places_;
  std::array<Mean, kHeadMetrics> means_;
  std::int64_t arc_query_ = -1, arc_key_ = -1;
  double arc_weight_ = 0;
};

}  // namespace

HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head, const TokenPlaces& places,
                         const CancelToken& cancel) {
  const Tensor matrix = matrix_at(trace.tensor(StageId::weights), batch, head);
  SinkShares sink_shares(trace, batch, head);
  Sums sums(places);
  for_each_row(matrix, [&](const Index&, std::int64_t i, std::span<const float> weights) {
    if (i % kRowsBetweenChecks == 0) cancel.check();
    sums.add(i, weights, trace.mask->hidden.visible_count(batch, head, i), sink_shares.of(i));
  });
  return sums.metrics();
}

HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head) {
  return head_metrics(trace, batch, head, TokenPlaces(trace));
}

}  // namespace headscope
