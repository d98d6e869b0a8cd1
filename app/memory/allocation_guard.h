// Stands between every allocation of the program, libraries included, and the allocator.
#pragma once

#include <cstddef>

namespace headscope {

// Keeps this many bytes back. From now on an allocation that fails is tried again after they were given up; one that
// fails then is counted (core/base/memory_failures.h). Call it first of all. Does nothing under a sanitizer, which has
// an allocator of its own, and with another C library than glibc.
void keep_memory_reserve(std::size_t bytes = std::size_t{16} << 20) noexcept;

// Whether the reserve was given up.
bool memory_reserve_is_used() noexcept;

// Keeps as many bytes back again after they were given up. False: there are not that many.
bool renew_memory_reserve() noexcept;

}  // namespace headscope
