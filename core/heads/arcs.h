// The strongest weights of some heads, as links from a query to a key: the lines of a bipartite drawing.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/tensor/shape.h"

namespace headscope {

struct Link {
  std::int64_t head = 0, query = 0, key = 0;
  float weight = 0;
  friend bool operator==(const Link&, const Link&) = default;
};

struct LinkRequest {
  std::int64_t batch = 0;
  std::vector<std::int64_t> heads;  // each at most once
  Range queries, keys;
  double hide_below = 0;        // links of a smaller weight are left out; so are those of 0, and NaN
  std::int64_t most = 1 << 20;  // of all that are left, the strongest
  friend bool operator==(const LinkRequest&, const LinkRequest&) = default;
};

struct Links {
  std::vector<Link> links;  // strongest first; of equal ones the lower head, query, key
  std::int64_t found = 0;   // that are strong enough, listed or not
};

// From `weights`, as softmax gave them. Reads them row by row: heads x queries x keys numbers. Throws Cancelled.
Links strongest_links(const Trace& trace, const LinkRequest& request, const CancelToken& cancel = {});

// The key with the largest weight in the row of `query`, the first of equal ones; 0 when no weight is above 0.
std::int64_t strongest_key(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query);

}  // namespace headscope
