// Numbers drawn from a seed, the same on every machine. Internal to core/worksheet.
#pragma once

#include <cstdint>

namespace headscope {

// SplitMix64 (Steele, Lea and Flood 2014).
class DrawnNumbers {
 public:
  explicit DrawnNumbers(std::uint64_t seed) : state_(seed) {}

  // A whole number from `low` to `high`, both in. Of the 2^64 values of the generator a few more lead to the first ones
  // than to the others, which nobody notices in ranges this small.
  int between(int low, int high) { return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1)); }

 private:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace headscope
