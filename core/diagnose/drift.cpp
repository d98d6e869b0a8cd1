#include "core/diagnose/drift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr double kFloat32Drift = 1e-6;

// Knuth's multiplicative hash: neighbours get signs that have no pattern.
double sign_at(std::size_t place) {
  return ((static_cast<std::uint64_t>(place + 1) * 0x9E3779B97F4A7C15ULL) >> 63) != 0 ? 1.0 : -1.0;
}

}  // namespace

Tensor drifted(const Tensor& numbers, const NumberFormat& format, bool by_rows) {
  std::vector<float> values = numbers.values();
  const auto width = static_cast<std::size_t>(numbers.rank() > 0 ? numbers.dim(numbers.rank() - 1) : 1);
  for (std::size_t first = 0; first < values.size(); first += width) {
    double squares = 0;
    for (std::size_t k = first; k < first + width; ++k) {
      const auto value = static_cast<double>(values[k]);
      if (std::isfinite(value)) squares += value * value;
    }
    const double size = std::sqrt(squares / static_cast<double>(width));
    for (std::size_t k = first; k < first + width; ++k) {
      const auto value = static_cast<double>(values[k]);
      if (!std::isfinite(value)) continue;
      double step = std::max(kFloat32Drift * (by_rows ? size : std::abs(value)), format.step / 2);
      if (format.grid != nullptr) step = std::ldexp(std::abs(value), -format.grid->digits);
      values[k] = static_cast<float>(value + sign_at(k) * step);
    }
  }
  return Tensor::of(numbers.shape(), numbers.axes(), std::move(values));
}

}  // namespace headscope
