// The metrics of a head from rows of weights that a pass hands out, in any order and on several threads.
#pragma once

#include <cstdint>
#include <memory>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/heads/head_metrics.h"
#include "core/heads/token_places.h"

namespace headscope {

// The same numbers as head_metrics(), to the last bit. Keeps about 150 bytes a row.
class HeadMetricRows {
 public:
  // `trace` and `places` must outlive this. Reads what learned sinks take of the rows, where the head has one.
  HeadMetricRows(const Trace& trace, std::int64_t batch, std::int64_t head, const TokenPlaces& places);
  ~HeadMetricRows();

  // Adds a row of the head's weights, once each, from any thread.
  void add(const WeightRow& row);
  // When all rows were added.
  HeadMetrics metrics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
