// The largest weights of some heads, as arcs from a query to a key: the lines of a bipartite drawing.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/tensor/shape.h"

namespace headscope {

struct Arc {
  std::int64_t head = 0, query = 0, key = 0;
  float weight = 0;
  friend bool operator==(const Arc&, const Arc&) = default;
};

struct ArcRequest {
  std::int64_t batch = 0;
  std::vector<std::int64_t> heads;  // each at most once
  Range queries, keys;
  double hide_below = 0;        // arcs of a smaller weight are left out; so are those of 0, and NaN
  std::int64_t most = 1 << 20;  // only the strongest of the others
  friend bool operator==(const ArcRequest&, const ArcRequest&) = default;
};

struct Arcs {
  std::vector<Arc> arcs;   // strongest first; of equal ones the lower head, query, key
  std::int64_t found = 0;  // arcs with a weight of at least hide_below, listed or not
};

// From the stage `weights` (before dropout), read row by row: heads x queries x keys numbers. Throws Cancelled.
Arcs strongest_arcs(const Trace& trace, const ArcRequest& request, const CancelToken& cancel = {});

// The key with the largest weight in the row of `query`, the first of equal ones; 0 when no weight is above 0.
std::int64_t strongest_key(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query);

}  // namespace headscope
