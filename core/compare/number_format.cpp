#include "core/compare/number_format.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/compare/number_grid.h"

namespace headscope {

std::string_view format_name(NumberType format) {
  return format == NumberType::float32 ? "float32" : format == NumberType::float16 ? "float16" : "bfloat16";
}

double rounded_to(NumberType format, double value) {
  if (!std::isfinite(value) || value == 0) return value;
  if (format == NumberType::float32) return static_cast<double>(static_cast<float>(value));
  const std::span<const NumberGrid> grids = number_grids();
  const auto grid = std::find_if(grids.begin(), grids.end(),
                                 [=](const NumberGrid& each) { return each.name == format_name(format); });
  return rounded_to(*grid, value);
}

}  // namespace headscope
