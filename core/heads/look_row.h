// A row of weights in short: the largest ones, and the sum of the others.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/trace.h"

namespace headscope {

struct LookedAt {
  std::int64_t key = 0;
  double weight = 0;
};

// largest: at most `most` weights of the row, largest first, equal ones by key. others: how many keys are left that the
// query may look at, with the sum of their weights. A key that the mask hides is left out where it weighs nothing.
// finite: no weight of the row is NaN or infinite; else nothing is listed.
struct LookRow {
  std::vector<LookedAt> largest;
  std::int64_t others = 0;
  double others_sum = 0;
  bool finite = true;
};

// Reads one row of `weights`, in double. Asserts that the trace has weights and that the place is inside.
LookRow look_row(const Trace& trace, std::int64_t batch, std::int64_t head, std::int64_t query, std::int64_t most);

}  // namespace headscope
