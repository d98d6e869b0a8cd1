// Random numbers that are the same on every machine, from one seed: SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace headscope::ui {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // One of 0, 1, ... count - 1; count > 0.
  int below(int count) { return static_cast<int>(next() % static_cast<std::uint64_t>(count)); }
  // True once in `count` times.
  bool once_in(int count) { return below(count) == 0; }
  // One element of an array or a vector that is not empty.
  template <typename List>
  const auto& one_of(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace headscope::ui
