// Allocations that failed in this process, those of libraries that do not tell among them: after one a library may give
// less than it should, and no result may be published.
#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

// An allocation failed for good. A program that puts itself between all code and the allocator calls it (app/memory);
// in others the count stays 0.
void note_failed_allocation() noexcept;
std::uint64_t failed_allocations() noexcept;

// Throws std::bad_alloc when an allocation has failed since the program began.
void check_memory();

// The file that is being read, for the sentence about missing memory: the one noted last. Keeps the first 1,000 bytes.
void note_file_in_work(std::string_view path) noexcept;
// "" when there was none. Valid until the next note.
const char* file_in_work() noexcept;

}  // namespace headscope
