// Large blocks go back to the system when they are freed.
#pragma once

#include <cstddef>

namespace headscope {

// Blocks of at least this many bytes are mapped each by itself: those of one matrix of 362 x 362 numbers.
inline constexpr std::size_t kMappedBlock = std::size_t{512} << 10;

// From now on the allocator maps blocks of at least kMappedBlock bytes each by itself, and unmaps them when they are
// freed. By itself glibc raises that limit, up to 32 MiB, each time that a mapped block is freed: the large blocks of
// one result after another then come to lie between small ones that live on, and the process only grows. Call it first
// of all. Does nothing with another C library than glibc.
void return_large_blocks() noexcept;

}  // namespace headscope
