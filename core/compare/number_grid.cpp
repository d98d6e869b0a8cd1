#include "core/compare/number_grid.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace headscope {
namespace {

constexpr NumberGrid kGrids[] = {
    {.name = "float16", .option = "f16", .digits = 11, .lowest = -14, .largest = 65504},
    {.name = "bfloat16", .option = "bf16", .digits = 8, .lowest = -126, .largest = 3.3895313892515355e38},
    {.name = "float8 e4m3", .option = "f8e4m3", .digits = 4, .lowest = -6, .largest = 448},
    {.name = "float8 e5m2", .option = "f8e5m2", .digits = 3, .lowest = -14, .largest = 57344},
    {.name = "TF32", .option = "tf32", .digits = 11, .lowest = -126, .largest = 3.4011621342146535e38},
};

}  // namespace

std::span<const NumberGrid> number_grids() {
  return kGrids;
}

double rounded_to(const NumberGrid& grid, double value) {
  if (!std::isfinite(value) || value == 0) return value;
  double rounded = 0;
  if (std::abs(value) >= std::ldexp(1, grid.lowest)) {
    // The digits that are kept, in the bits of a double: half of the last one is added, less where it is even.
    const int dropped = std::numeric_limits<double>::digits - grid.digits;
    const std::uint64_t last = std::uint64_t{1} << dropped;
    std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    bits += last / 2 - 1 + ((bits & last) != 0 ? 1 : 0);
    rounded = std::bit_cast<double>(bits & ~(last - 1));
  } else {
    const int last = grid.lowest - (grid.digits - 1);
    rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  }
  return std::abs(rounded) > grid.largest ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

}  // namespace headscope
