// What an edited attention weight does to its row, in words.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/attention/trace.h"
#include "core/request/interventions.h"

namespace headscope {

// "its row now sums to 1.5": of weights[b, h, i, ...] as they stand in `trace`; "" where the row sums to 1 within 1e-6.
std::string row_sum_text(const Trace& trace, std::span<const std::int64_t> index);

// The same of an edit that `trace` was computed with, in the layer that it names; "" for edits of other tensors, for
// those that are off, and where the layer's weights are not kept.
std::string edited_row_text(const Trace& trace, const NumberEdit& edit);

}  // namespace headscope
