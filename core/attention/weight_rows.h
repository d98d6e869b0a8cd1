// The rows of a head's weights, for what looks at all of them and keeps none.
#pragma once

#include <cstdint>

#include "core/attention/trace.h"
#include "core/backend/backend.h"

namespace headscope {

// The rows of stage weights of (batch, head) as softmax has them in its caches, on several threads: many times as fast
// as reading the stage where it is computed when it is read. Null where it is stored, changed by hand, or shown
// otherwise than computed: then read it.
WeightRows weight_rows_of(const Trace& trace, std::int64_t batch, std::int64_t head);

}  // namespace headscope
