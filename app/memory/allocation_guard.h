// Stands between every allocation of the program, libraries included, and the allocator.
#pragma once

namespace headscope {

// Keeps memory back. From now on an allocation that fails is tried again after it was given up, which is possible once;
// one that fails then is counted (core/base/memory_failures.h). Call it first of all. Does nothing under a sanitizer,
// which has an allocator of its own, and with another C library than glibc.
void keep_memory_reserve() noexcept;

// Whether the reserve was given up.
bool memory_reserve_is_used() noexcept;

}  // namespace headscope
