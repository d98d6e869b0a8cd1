// Allocations that failed in this process, those of libraries that do not tell among them: after one a library may give
// less than it should, and no result may be published.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace headscope {

// An allocation failed for good. A program that puts itself between all code and the allocator calls it (app/memory);
// in others the count stays 0.
void note_failed_allocation() noexcept;
std::uint64_t failed_allocations() noexcept;

// Throws std::bad_alloc when an allocation has failed since the program began, or since forget_failed_allocations().
void check_memory();

// What failed until now no longer counts for check_memory(): a program that goes on calls it when it has told its user.
void forget_failed_allocations() noexcept;

// While this lives, check_memory() on its thread counts all that failed since it was made, forgotten or not: work whose
// result is published at its end begins with it. One at a time on a thread.
class MemoryWatch {
 public:
  MemoryWatch() noexcept;
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
};

// What the user is told of work that an exception has ended: its own words, or that memory was missing.
std::string failure_words(const std::exception& error);

// The file that is being read, for the sentence about missing memory: the one noted last. Keeps the first 1,000 bytes.
void note_file_in_work(std::string_view path) noexcept;
// "" when there was none. Valid until the next note.
const char* file_in_work() noexcept;

}  // namespace headscope
