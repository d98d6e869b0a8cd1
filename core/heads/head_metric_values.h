// The metrics of a head: entropy, distance, and the share of weight at the places that known kinds of heads attend to.
#pragma once

#include <cstdint>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/heads/head_metrics.h"
#include "core/heads/token_places.h"

namespace headscope {

// From `weights` of one batch item and head, exact also where they are computed when read: row by row, in double. Rows
// with NaN are left out; rows that see one key are left out of everything but the entropy, since their softmax is 1
// whatever the head does, unless a learned sink takes part in it (head_row_values.h). Throws Cancelled.
HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head, const TokenPlaces& places,
                         const CancelToken& cancel = {});
HeadMetrics head_metrics(const Trace& trace, std::int64_t batch, std::int64_t head);

}  // namespace headscope
