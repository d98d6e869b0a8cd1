#include "core/tensor/value_spread.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "core/base/assert.h"

namespace headscope {
namespace {

constexpr std::uint32_t kSign = 0x80000000U, kRest = 0xFFFFU;

// Whole numbers in the order of the values.
std::uint32_t ordered(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

float value_of(std::uint32_t order) {
  return std::bit_cast<float>((order & kSign) != 0 ? order & ~kSign : ~order);
}

}  // namespace

SpreadCounts::SpreadCounts() : counts_(std::size_t{1} << 16, 0) {}

void SpreadCounts::count(float value) {
  if (!std::isfinite(value)) return;
  if (value == 0) value = 0;  // of either sign
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  ++count_;
  ++counts_[ordered(value) >> 16];
}

void SpreadCounts::add(std::span<const float> values) {
  for (const float value : values) count(value);
}

void SpreadCounts::add_visible(std::span<const float> values, std::span<const std::uint8_t> hidden) {
  HEADSCOPE_ASSERT(values.size() == hidden.size(), "a mask of another length");
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (hidden[j] == 0) count(values[j]);
  }
}

double SpreadCounts::percentile(double share, bool upper_end) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count_)));
  std::int64_t below = 0;
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    below += counts_[k];
    if (counts_[k] == 0 || below < wanted) continue;
    const std::uint32_t first = static_cast<std::uint32_t>(k) << 16;
    return static_cast<double>(std::clamp(value_of(upper_end ? first | kRest : first), min_, max_));
  }
  return static_cast<double>(max_);
}

ValueSpread SpreadCounts::result() const {
  ValueSpread spread;
  spread.count = count_;
  if (count_ == 0) return spread;
  spread.min = static_cast<double>(min_);
  spread.max = static_cast<double>(max_);
  spread.low = percentile(0.01, false);
  spread.high = percentile(0.99, true);
  spread.narrowest =
      std::min({spread.high - spread.min, spread.max - spread.low, percentile(0.995, true) - percentile(0.005, false)});
  return spread;
}

}  // namespace headscope
