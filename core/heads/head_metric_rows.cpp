#include "core/heads/head_metric_rows.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/attention/hidden_weight.h"
#include "core/heads/head_metric_sums.h"
#include "core/heads/head_row_values.h"
#include "core/heads/sink_shares.h"
#include "core/tensor/row_sums.h"

namespace headscope {
namespace {

struct RowFound {
  HeadRowValues values;
  std::int64_t key = -1;  // of its largest weight, where that may be the head's
};

}  // namespace

struct HeadMetricRows::Impl {
  const Trace& trace;
  const std::int64_t batch, head;
  const TokenPlaces& places;
  std::vector<std::optional<double>> sinks;  // empty: none takes part
  std::vector<RowFound> rows;
  std::atomic<float> largest = 0;  // of all rows so far
  std::mutex mutex;
  std::vector<std::vector<float>> lines;  // of zeros, as long as a row; those that no thread uses now

  Impl(const Trace& of, std::int64_t b, std::int64_t h, const TokenPlaces& with)
      : trace(of), batch(b), head(h), places(with), rows(static_cast<std::size_t>(of.query_len())) {
    SinkShares shares(trace, batch, head);
    if (rows.empty() || !shares.of(0)) return;
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) sinks.push_back(shares.of(i));
  }

  std::vector<float> take_line() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (lines.empty()) return std::vector<float>(static_cast<std::size_t>(trace.key_len()));
    std::vector<float> line = std::move(lines.back());
    lines.pop_back();
    return line;
  }

  void give_back(std::vector<float> line) {
    const std::lock_guard<std::mutex> lock(mutex);
    lines.push_back(std::move(line));
  }

  // Raises `largest` to `weight`; false when it is larger already.
  bool may_be_largest(float weight) {
    float before = largest.load();
    while (weight > before) {
      if (largest.compare_exchange_weak(before, weight)) return true;
    }
    return weight == before;
  }
};

HeadMetricRows::HeadMetricRows(const Trace& trace, std::int64_t batch, std::int64_t head, const TokenPlaces& places)
    : impl_(std::make_unique<Impl>(trace, batch, head, places)) {}

HeadMetricRows::~HeadMetricRows() = default;

void HeadMetricRows::add(const WeightRow& row) {
  std::vector<float> line = impl_->take_line();
  for (const KeySpan& span : {row.spans.first, row.spans.second}) {
    for (std::int64_t j = span.begin; j < span.end; ++j) {
      line[static_cast<std::size_t>(j)] = row.cells[j] * row.factor;
    }
  }
  const auto i = static_cast<std::size_t>(row.i);
  RowFound& found = impl_->rows[i];
  const std::int64_t visible = weighed_keys(impl_->trace, impl_->batch, impl_->head, row.i);
  const std::optional<double> sink = impl_->sinks.empty() ? std::nullopt : impl_->sinks[i];
  found.values = head_row_values(row.i, line, visible, impl_->places, sink);
  if (found.values.has_choice && impl_->may_be_largest(found.values.largest)) {
    found.key = static_cast<std::int64_t>(place_in_row(line, found.values.largest));
  }
  for (const KeySpan& span : {row.spans.first, row.spans.second}) {
    std::fill(line.begin() + span.begin, line.begin() + span.end, 0.0F);
  }
  impl_->give_back(std::move(line));
}

HeadMetrics HeadMetricRows::metrics() const {
  HeadMetricSums sums;
  for (std::size_t i = 0; i < impl_->rows.size(); ++i) {
    const RowFound& row = impl_->rows[i];
    if (sums.add(static_cast<std::int64_t>(i), row.values)) sums.set_arc_key(row.key);
  }
  return sums.metrics();
}

}  // namespace headscope
