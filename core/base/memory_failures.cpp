#include "core/base/memory_failures.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <optional>

namespace headscope {

namespace {

std::atomic<std::uint64_t> failed{0}, forgotten{0};
thread_local std::optional<std::uint64_t> watched_since;  // of this thread's MemoryWatch

// Two places, so that who reads one while the next file is noted sees a whole path.
constexpr std::size_t kMostBytes = 1000;
std::array<std::array<char, kMostBytes + 1>, 2> paths{};
std::atomic<unsigned> noted{0};

}  // namespace

void note_failed_allocation() noexcept {
  failed.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t failed_allocations() noexcept {
  return failed.load(std::memory_order_relaxed);
}

void check_memory() {
  const std::uint64_t before = watched_since.value_or(forgotten.load(std::memory_order_relaxed));
  if (failed_allocations() > before) throw std::bad_alloc();
}

void forget_failed_allocations() noexcept {
  forgotten.store(failed_allocations(), std::memory_order_relaxed);
}

MemoryWatch::MemoryWatch() noexcept {
  watched_since = failed_allocations();
}

MemoryWatch::~MemoryWatch() {
  watched_since.reset();
}

std::string failure_words(const std::exception& error) {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  return memory ? "There is not enough memory for this." : error.what();
}

void note_file_in_work(std::string_view path) noexcept {
  const unsigned next = noted.load() + 1;
  std::array<char, kMostBytes + 1>& place = paths[next % 2];
  const std::size_t size = std::min(path.size(), kMostBytes);
  std::memcpy(place.data(), path.data(), size);
  place[size] = '\0';
  noted.store(next);
}

const char* file_in_work() noexcept {
  return paths[noted.load() % 2].data();
}

}  // namespace headscope
