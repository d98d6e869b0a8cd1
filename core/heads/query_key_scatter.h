// The queries and keys of a head as points of one plane.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope {

struct ScatterPoint {
  double x = 0, y = 0;  // NaN: the vector holds a number that is not finite, and counts for nothing
};

struct QueryKeyScatter {
  std::vector<ScatterPoint> queries;     // [query_len]
  std::vector<ScatterPoint> keys;        // [key_len], with the key of bias_k
  std::array<double, 2> share = {0, 0};  // of the variance of all points, of x and of y: 0 to 1; 0 without variance
  std::int64_t features = 0;             // head_dim
  std::int64_t left_out = 0;             // vectors that are not finite
};

// Whether the trace has queries and keys: a capture of weights alone has none.
bool has_query_key_scatter(const Trace& trace);

// Principal components of the stages `query` and `key` (as they are multiplied: after norms and rotary positions) of a
// head h and its key and value head g = floor(h / (H/G)) together. With v the n vectors of both and m their mean,
//   C = 1/n sum (v - m)(v - m)^T,  C e = lambda e,  x = e_1 . (v - m),  y = e_2 . (v - m),  share = lambda / trace C
// e_1 and e_2 belong to the two largest lambda, in double (Eigen's SelfAdjointEigenSolver). Their signs: of each the
// component of largest absolute value, the first of equal ones, is positive. With one feature y is 0. The heads and the
// batch item must be there, and has_query_key_scatter(trace) must hold. Throws Cancelled.
QueryKeyScatter query_key_scatter(const Trace& trace, std::int64_t batch, std::int64_t head, const CancelToken& cancel);

}  // namespace headscope
