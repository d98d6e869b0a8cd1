// A sum that does not depend on the order of its terms.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "core/base/assert.h"

namespace headscope {

// Terms are rounded to whole steps of 2^-40 (ties to even) and added as integers of 128 bits, so that any order and any
// grouping gives the same bits. A sum of n terms is within n 2^-41 of the exact one.
class ExactSum {
 public:
  static constexpr int kStepBits = 40;

  ExactSum() = default;
  // The two halves of the integer in two's complement, as files keep them.
  ExactSum(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}

  // |value| < 2^22.
  void add(double value) {
    HEADSCOPE_ASSERT(std::fabs(value) < 4194304.0, "a term of " + std::to_string(value));
    const std::int64_t steps = std::llrint(value * 0x1p40);  // a power of two: exact
    add(ExactSum(static_cast<std::uint64_t>(steps), steps < 0 ? ~std::uint64_t{0} : 0));
  }

  // |value| < 2^80: a sum over a phrase, which may be large.
  void add_large(double value) {
    HEADSCOPE_ASSERT(std::fabs(value) < 0x1p80, "a term of " + std::to_string(value));
    const double steps = std::nearbyint(std::ldexp(std::fabs(value), kStepBits));
    const double high = std::floor(std::ldexp(steps, -64));
    const auto low = static_cast<std::uint64_t>(steps - std::ldexp(high, 64));
    const ExactSum size(low, static_cast<std::uint64_t>(high));
    add(value < 0 ? ExactSum(~size.low_ + 1, ~size.high_ + (size.low_ == 0 ? 1 : 0)) : size);
  }

  void add(const ExactSum& other) {
    low_ += other.low_;
    high_ += other.high_ + (low_ < other.low_ ? 1 : 0);
  }

  // The sum as the nearest double or its neighbour.
  double value() const {
    const bool negative = high_ >> 63 != 0;
    const std::uint64_t low = negative ? ~low_ + 1 : low_;
    const std::uint64_t high = negative ? ~high_ + (low_ == 0 ? 1 : 0) : high_;
    const double size =
        std::ldexp(static_cast<double>(high), 64 - kStepBits) + std::ldexp(static_cast<double>(low), -kStepBits);
    return negative ? -size : size;
  }

  std::uint64_t low() const { return low_; }
  std::uint64_t high() const { return high_; }
  friend bool operator==(const ExactSum&, const ExactSum&) = default;

 private:
  std::uint64_t low_ = 0, high_ = 0;
};

}  // namespace headscope
