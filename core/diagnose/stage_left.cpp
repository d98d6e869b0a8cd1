// This part of the comparer says what mistakes leave of the difference.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/diagnose/dropout_pattern.h"
#include "core/diagnose/leftover_lean.h"
#include "core/diagnose/rounding_allowance.h"
#include "core/diagnose/stage_comparer.h"

namespace headscope {
namespace {

constexpr double kNearlyAll = 0.02;  // of the squared difference: what is left by a mistake that may explain all
constexpr double kNearlyAllOfFloat32 = 1e-5;
constexpr double kSampleWork = 3e8, kFewestSamples = 2, kMostSamples = 8;  // of rounding

}  // namespace

std::optional<Remainder> StageComparer::left_of(const MistakeSet& mistakes) {
  const auto made = predicted(mistakes, made_grid_);
  if (!made || !(made->shape == theirs_.shape) || !acts(*made)) return std::nullopt;
  return left_with(mistakes, *made, theirs_, true);
}

// Returns what still differs. What rounding costs follows from the numbers, and a mistake changes them: where it
// explains nearly all, its own numbers say how far a cell may lie away.
Remainder StageComparer::left_with(const MistakeSet& mistakes, const WideStage& made, const WideStage& theirs,
                                   bool known) {
  const IsFilled filled = filled_in(predictor_.queries());
  const Remainder left = compare_stage(made, nullptr, theirs, known ? *tolerance_ : *of_rows_, filled, {{}, &pool_});
  if (fixed_ || !predictor_.by_lab()) return left;
  const bool half = format_.grid != nullptr;
  const bool near = !known || left.squares <= (half ? kNearlyAll : kNearlyAllOfFloat32) * plain_left_.squares;
  if (half ? !near && left.wrong > 0 : !near || left.wrong == 0) return left;
  const std::optional<WideStage> exact = half ? predicted(mistakes, nullptr) : std::optional(made);
  if (!exact || !(exact->shape == made.shape)) return left;
  Remainder closely = left;
  if (near) {
    Tolerance tolerance = *of_rows_;
    tolerance.allow_cells(allowance(mistakes, *exact));
    closely = compare_stage(made, half ? &*exact : nullptr, theirs, tolerance, filled, {{}, &pool_});
  }
  closely.leans =
      known && half && closely.wrong == 0 && leans(external_.stage, unrounded(), *exact, theirs, *format_.grid, filled);
  return closely;
}

std::vector<double> StageComparer::allowance(const MistakeSet& mistakes, const WideStage& exact) {
  if (fixed_ || !predictor_.by_lab() || exact.shape.count == 0) return {};
  const NumberGrid& grid = format_.grid != nullptr ? *format_.grid : float32_grid();
  const double cost = predictor_.cost() + predictor_.cost_of_heads();
  const auto most = static_cast<std::uint64_t>(std::clamp(kSampleWork / cost, kFewestSamples, kMostSamples));
  std::vector<std::optional<WideStage>> made(most + 1);  // the samples, and what the cells are sums of
  pool_.run(static_cast<std::int64_t>(made.size()), true, [&](std::int64_t k) {
    const auto seed = static_cast<std::uint64_t>(k);
    std::optional<WideStage>& to = made[seed];
    to = seed == 0 ? predictor_.summed(mistakes) : predictor_.scattered(mistakes, grid, seed * 0x9E3779B97F4A7C15ULL);
    if (to && external_.averaged) to = mean_over_heads(*to);
  });
  std::vector<WideStage> samples;
  for (std::size_t seed = 1; seed < made.size(); ++seed) {
    if (!made[seed]) return {};
    samples.push_back(std::move(*made[seed]));
  }
  const std::optional<WideStage>& summed = made.front();
  return rounding_allowance(format_, exact, samples, summed.value_or(WideStage{}), filled_in(predictor_.queries()));
}

bool StageComparer::says_nothing() const {
  constexpr std::size_t kFew = 8;
  const auto is_one = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [&](double each) { return each == values.front(); });
  };
  return theirs_.values.size() >= kFew && is_one(theirs_.values) && !is_one(plain_.values);
}

std::optional<Remainder> StageComparer::left_of_dropout(bool rescaled) const {
  constexpr double kMostSpread = 5;  // standard deviations of the share that is dropped
  const bool of_weights = external_.stage == StageId::weights || external_.stage == StageId::dropped_weights;
  if (!of_weights || !same_shape() || external_.averaged) return std::nullopt;
  const std::optional<DropoutPattern> pattern = dropout_pattern(plain_, theirs_);
  if (!pattern) return std::nullopt;
  const double factor = rescaled ? pattern->factor : 1;
  if (rescaled) {
    // A factor of 1 / (1 - p) belongs to a share p that is dropped.
    const double p = 1 - 1 / factor;
    const auto seen = static_cast<double>(
        std::count_if(plain_.values.begin(), plain_.values.end(), [](double each) { return each > 0; }));
    const double spread = std::sqrt(p * (1 - p) / seen);
    if (!(p > 0 && p < 1) || !(std::abs(pattern->share - p) <= kMostSpread * spread)) return std::nullopt;
  }
  WideStage made = plain_;
  for (std::size_t k = 0; k < made.values.size(); ++k) {
    made.values[k] = theirs_.values[k] == 0 ? 0 : made.values[k] * factor;
  }
  return compare_stage(made, nullptr, theirs_, *tolerance_, filled_);
}

// Whether the mistakes change anything that can be seen here.
bool StageComparer::acts(const WideStage& made) {
  // The lab's numbers beside the lab's: the engine's are rounded otherwise, and float32 alone may set them apart.
  const WideStage& right = made_right_.shape.count > 0 ? made_right_
                           : rounded_.shape.count > 0  ? rounded_
                                                       : unrounded();
  if (!(made.shape == right.shape)) return true;
  if (&right == &plain_ && predictor_.by_lab()) {
    return compare_stage(plain_, nullptr, made, *of_rows_, filled_, {{}, &pool_}).wrong > 0;
  }
  return !std::equal(made.values.begin(), made.values.end(), right.values.begin(), [](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b)) || (std::isfinite(b) && std::abs(a - b) <= 1e-9 * std::abs(b));
  });
}

}  // namespace headscope
