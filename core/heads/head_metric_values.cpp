#include "core/heads/head_metric_values.h"

#include <span>

#include "core/attention/hidden_weight.h"
#include "core/attention/weight_rows.h"
#include "core/heads/head_metric_rows.h"
#include "core/heads/head_metric_sums.h"
#include "core/heads/head_row_values.h"
#include "core/heads/sink_shares.h"
#include "core/tensor/row_strips.h"
#include "core/tensor/row_sums.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsBetweenChecks = 256;

}  // namespace

HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head, const TokenPlaces& places,
                         const CancelToken& cancel) {
  if (const WeightRows visit = weight_rows_of(trace, batch, head)) {
    HeadMetricRows rows(trace, batch, head, places);
    if (visit(
            {0, trace.query_len()}, [&](const WeightRow& row) { rows.add(row); }, cancel))
      return rows.metrics();
  }
  const Tensor matrix = matrix_at(trace.tensor(StageId::weights), batch, head);
  SinkShares sinks(trace, batch, head);
  HeadMetricSums sums;
  for_each_row(matrix, [&](const Index&, std::int64_t i, std::span<const float> w) {
    if (i % kRowsBetweenChecks == 0) cancel.check();
    const std::int64_t visible_keys = weighed_keys(trace, batch, head, i);
    const HeadRowValues row = head_row_values(i, w, visible_keys, places, sinks.of(i));
    if (sums.add(i, row)) sums.set_arc_key(static_cast<std::int64_t>(place_in_row(w, row.largest)));
  });
  return sums.metrics();
}

HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head) {
  return head_metrics(trace, batch, head, TokenPlaces(trace));
}

}  // namespace headscope
