#include "core/base/memory_advice.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

namespace headscope {

namespace {

constexpr std::uint64_t kLarge = 1'000'000'000;

// Two places, so that who reads one while the next file is noted sees a whole path.
constexpr std::size_t kMostBytes = 1000;
std::array<std::array<char, kMostBytes + 1>, 2> paths{};
std::atomic<unsigned> noted{0};

}  // namespace

void note_large_file(std::string_view path, std::uint64_t bytes) noexcept {
  if (bytes < kLarge) return;
  const unsigned next = noted.load() + 1;
  std::array<char, kMostBytes + 1>& place = paths[next % 2];
  const std::size_t size = std::min(path.size(), kMostBytes);
  std::memcpy(place.data(), path.data(), size);
  place[size] = '\0';
  noted.store(next);
}

const char* large_file_in_use() noexcept {
  return paths[noted.load() % 2].data();
}

const char* memory_advice() noexcept {
  if (*large_file_in_use() == '\0') return "a shorter phrase or a smaller batch needs less";
  return "its numbers need as much memory once more while they are used: a smaller file, the same numbers as float16 "
         "or "
         "bfloat16, or a machine with more memory would do";
}

}  // namespace headscope
