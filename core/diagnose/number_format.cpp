#include "core/diagnose/number_format.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace headscope {
namespace {

constexpr std::size_t kFewestNumbers = 16, kFewestKinds = 8;  // below them a format is a matter of chance
constexpr int kFewestBits = 16;                               // of evidence that few numbers have to give
constexpr int kSimpleBits = 4;                                // a number of so few significant bits is in every format
constexpr double kMostSteps = 127;
constexpr double kOwnRounding = 1e-6;
constexpr int kFloat32Bits = 24;

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

// Whether a number of ours is on the grid: it may lie beside it by its own rounding.
bool holds(const NumberGrid& grid, double number) {
  return std::abs(rounded_to(grid, number) - number) <= kOwnRounding * std::abs(number);
}

NumberFormat eight_bits(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double each : numbers) largest = std::max(largest, std::abs(each));
  return {"8-bit whole numbers", "i8", nullptr, largest / kMostSteps};
}

// A number that is not 0 is one step at least: beside a huge one everything else would be 0 steps.
bool is_whole(double number, double step) {
  const double count = std::abs(number / step);
  return std::nearbyint(count) >= 1 && std::abs(count - std::nearbyint(count)) < 1e-3;
}

// Whether the numbers that say something are many and of many kinds. `held` says whether the format holds a number of
// ours exactly. A zero of ours, a hidden weight say, is beside any number; only whole ones may be exact beside it.
template <typename Held>
bool telling_enough(std::span<const float> numbers, std::span<const float> ours, Held&& held) {
  std::size_t count = 0;
  std::set<double> kinds;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (!std::isfinite(numbers[k]) || numbers[k] == 0) continue;
    const float own = ours.empty() || !std::isfinite(ours[k]) ? 0 : ours[k];
    if (own != 0 && held(static_cast<double>(own))) continue;
    if (own == 0 && !ours.empty() && std::nearbyint(numbers[k]) == numbers[k]) continue;
    ++count;
    if (kinds.size() < kFewestKinds) kinds.insert(std::abs(static_cast<double>(numbers[k])));
    if (count >= kFewestNumbers && kinds.size() >= kFewestKinds) return true;
  }
  return false;
}

// How many bits of a float32 number are used, from the first that is set to the last.
int significant_bits(double number) {
  int exponent = 0;
  double share = std::abs(std::frexp(number, &exponent));
  int bits = 0;
  for (; share > 0 && bits < kFloat32Bits; ++bits) {
    share = 2 * share;
    share -= std::floor(share);
  }
  return bits;
}

// Whether numbers that are too few for telling_enough() still say that they were rounded: each of another kind that
// needs more bits than a simple one has, is not whole, and stands beside one of ours that the grid does not hold, would
// be on the grid by a chance of 2 to the power of -(24 - digits).
bool few_say_enough(const NumberGrid& grid, std::span<const float> numbers, std::span<const float> ours) {
  if (ours.empty() || grid.digits <= kSimpleBits + 2) return false;
  std::set<double> kinds;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double own = static_cast<double>(ours[k]), number = static_cast<double>(numbers[k]);
    if (!std::isfinite(number) || !std::isfinite(own) || own == 0 || std::nearbyint(number) == number) continue;
    if (holds(grid, own)) continue;
    if (significant_bits(number) > kSimpleBits) kinds.insert(std::abs(number));
  }
  return static_cast<int>(kinds.size()) * (kFloat32Bits - grid.digits) >= kFewestBits;
}

// Grids, the coarsest first.
std::vector<const NumberGrid*> coarsest_first() {
  std::vector<const NumberGrid*> grids;
  for (const NumberGrid& grid : number_grids()) grids.push_back(&grid);
  std::stable_sort(grids.begin(), grids.end(),
                   [](const NumberGrid* a, const NumberGrid* b) { return a->digits < b->digits; });
  return grids;
}

}  // namespace

const NumberGrid& float32_grid() {
  static constexpr NumberGrid grid{
      .name = "float32", .option = "f32", .digits = 24, .lowest = -126, .largest = 3.4028234663852886e38};
  return grid;
}

NumberFormat format_of(std::span<const float> numbers, std::span<const float> ours) {
  if (ours.size() != numbers.size()) ours = {};
  const std::vector<double> known = telling(numbers);
  const bool many = telling_enough(numbers, {}, [](double) { return false; });
  for (const NumberGrid* grid : coarsest_first()) {
    if (!all_on(*grid, known)) continue;
    const auto held = [&](double each) { return holds(*grid, each); };
    const bool enough = many ? telling_enough(numbers, ours, held) : few_say_enough(*grid, numbers, ours);
    if (enough) return {grid->name, grid->option, grid, 0};
  }
  if (!many) return {};
  const NumberFormat steps = eight_bits(known);
  const bool whole = std::all_of(known.begin(), known.end(), [&](double each) { return is_whole(each, steps.step); });
  const auto held = [&](double each) { return is_whole(each, steps.step); };
  return whole && telling_enough(numbers, ours, held) ? steps : NumberFormat{};
}

std::optional<NumberFormat> format_named(std::string_view option, std::span<const float> numbers,
                                         std::span<const float> ours) {
  if (option == "auto") return format_of(numbers, ours);
  if (option == "f32") return NumberFormat{};
  if (option == "i8") return eight_bits(telling(numbers));
  for (const NumberGrid& grid : number_grids()) {
    if (grid.option == option) return NumberFormat{grid.name, grid.option, &grid, 0};
  }
  return std::nullopt;
}

}  // namespace headscope
