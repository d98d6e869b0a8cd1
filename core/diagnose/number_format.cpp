#include "core/diagnose/number_format.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace headscope {
namespace {

constexpr std::size_t kFewestNumbers = 16, kFewestKinds = 8;  // below them a format is a matter of chance
constexpr double kMostSteps = 127;

// Numbers that say something: finite, not 0.
std::vector<double> telling(std::span<const float> numbers) {
  std::vector<double> result;
  for (const float number : numbers) {
    if (std::isfinite(number) && number != 0) result.push_back(static_cast<double>(number));
  }
  return result;
}

bool all_on(const NumberGrid& grid, const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](double each) { return rounded_to(grid, each) == each; });
}

NumberFormat eight_bits(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double each : numbers) largest = std::max(largest, std::abs(each));
  return {"8-bit whole numbers", "i8", nullptr, largest / kMostSteps};
}

}  // namespace

const NumberGrid& float32_grid() {
  static constexpr NumberGrid grid{
      .name = "float32", .option = "f32", .digits = 24, .lowest = -126, .largest = 3.4028234663852886e38};
  return grid;
}

NumberFormat format_of(std::span<const float> numbers) {
  const std::vector<double> known = telling(numbers);
  if (known.size() < kFewestNumbers) return {};
  std::set<double> kinds;
  for (const double each : known) {
    kinds.insert(std::abs(each));
    if (kinds.size() >= kFewestKinds) break;
  }
  if (kinds.size() < kFewestKinds) return {};
  std::vector<const NumberGrid*> grids;
  for (const NumberGrid& grid : number_grids()) grids.push_back(&grid);
  std::stable_sort(grids.begin(), grids.end(),
                   [](const NumberGrid* a, const NumberGrid* b) { return a->digits < b->digits; });
  for (const NumberGrid* grid : grids) {
    if (all_on(*grid, known)) return {grid->name, grid->option, grid, 0};
  }
  const NumberFormat steps = eight_bits(known);
  const bool whole_steps = std::all_of(known.begin(), known.end(), [&](double each) {
    const double count = each / steps.step;
    return std::abs(count - std::nearbyint(count)) < 1e-3;
  });
  return whole_steps ? steps : NumberFormat{};
}

std::optional<NumberFormat> format_named(std::string_view option, std::span<const float> numbers) {
  if (option == "auto") return format_of(numbers);
  if (option == "f32") return NumberFormat{};
  if (option == "i8") return eight_bits(telling(numbers));
  for (const NumberGrid& grid : number_grids()) {
    if (grid.option == option) return NumberFormat{grid.name, grid.option, &grid, 0};
  }
  return std::nullopt;
}

}  // namespace headscope
