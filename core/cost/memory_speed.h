// How fast this machine moves memory, beside kernels/peak.h, so that what a step costs can be held against both.
#pragma once

namespace headscope {

// Bytes a second that `threads` threads move at once, those read and those written together, measured now: copies
// between two blocks that no cache holds, the best of several. Takes a tenth of a second, and 128 MB of memory while it
// runs, less where less is free. More threads than cores do not raise it. Throws std::bad_alloc.
double measured_memory_speed(int threads);

}  // namespace headscope
