// How the finite values of a matrix spread over its range: where nearly all of them lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

// Percentiles are within 1 % of the value that they name, and include it.
struct ValueSpread {
  std::int64_t count = 0;    // finite values; when 0, the rest is 0
  double min = 0, max = 0;   // of all
  double low = 0, high = 0;  // 1st and 99th percentile
  double narrowest = 0;      // the shortest of three stretches that hold 99 of 100 values: without the largest,
                             // without the smallest, without half of each
};

// Counts values in one pass. The order in which they come, and how they are cut into pieces, changes no bit.
class SpreadCounts {
 public:
  SpreadCounts();
  void add(std::span<const float> values);
  // Only where `hidden` is 0.
  void add_visible(std::span<const float> values, std::span<const std::uint8_t> hidden);
  ValueSpread result() const;

 private:
  void count(float value);
  double percentile(double share, bool upper_end) const;
  std::vector<std::int64_t> counts_;  // by sign, exponent and the first seven bits of the fraction, in order of value
  std::int64_t count_ = 0;
  float min_ = 0, max_ = 0;
};

}  // namespace headscope
