#include "core/diagnose/leftover_lean.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headscope {
namespace {

constexpr std::size_t kFewest = 64;  // cells that say something
constexpr double kMostAlong = 0.4;   // of the rest, along one direction
constexpr double kErrors = 5;        // standard errors of a factor that is read off rounded cells

// Weights of this row as they move with the logarithm of the factor of their scores.
void add_temperature(const WideStage& weights, std::size_t first, std::size_t width, std::vector<double>& direction) {
  double mean = 0;
  for (std::size_t k = first; k < first + width; ++k) {
    if (weights.values[k] > 0) mean += weights.values[k] * std::log(weights.values[k]);
  }
  for (std::size_t k = first; k < first + width; ++k) {
    const double w = weights.values[k];
    direction.push_back(w > 0 ? w * (std::log(w) - mean) : 0);
  }
}

std::vector<double> direction_of(StageId stage, const WideStage& right, const WideStage& made) {
  std::vector<double> direction;
  direction.reserve(made.values.size());
  if (stage == StageId::weights) {
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(1, made.shape[made.shape.count - 1]));
    for (std::size_t first = 0; first < made.values.size(); first += width) {
      add_temperature(made, first, width, direction);
    }
    return direction;
  }
  if (!(right.shape == made.shape)) return {};
  for (std::size_t k = 0; k < made.values.size(); ++k) direction.push_back(made.values[k] - right.values[k]);
  return direction;
}

// The rest theirs - made along a direction.
struct Along {
  double share = 0;   // of the rest, as the cosine of the angle between them
  double factor = 0;  // by how much theirs go that way, in lengths of the direction; negative: the other way
  double error = 0;   // the factor's standard error
};

// Nothing where too few cells say something.
std::optional<Along> rest_along(const std::vector<double>& direction, const WideStage& made, const WideStage& theirs,
                                const IsFilled& filled) {
  double along = 0, rest = 0, size = 0, fourth = 0;
  std::size_t cells = 0;
  for (std::size_t k = 0; k < direction.size(); ++k) {
    const double r = theirs.values[k] - made.values[k], u = direction[k];
    if (!std::isfinite(r) || !std::isfinite(u) || u == 0 || (filled && filled(k))) continue;
    ++cells;
    along += r * u;
    rest += r * r;
    size += u * u;
    fourth += u * u * u * u;
  }
  if (cells < kFewest || !(rest > 0) || !(size > 0)) return std::nullopt;
  // Few cells decide where a row looks at one key: as many as would give this spread if all were alike.
  const double deciding = size * size / fourth;
  return Along{std::abs(along) / std::sqrt(rest * size), along / size, std::sqrt(rest / (size * deciding))};
}

bool is_more_than(double step, double error, const Along& found) {
  return found.share > kMostAlong && std::abs(found.factor) > step + kErrors * error;
}

}  // namespace

bool leans(StageId stage, const WideStage& right, const WideStage& made, const WideStage& theirs,
           const NumberGrid& grid, const IsFilled& filled) {
  if (!(made.shape == theirs.shape)) return false;
  const std::optional<Along> found = rest_along(direction_of(stage, right, made), made, theirs, filled);
  return found && is_more_than(std::ldexp(1.0, -grid.digits - 1), found->error, *found);
}

std::optional<CommonFactor> common_factor(StageId stage, const WideStage& exact, const WideStage& theirs,
                                          const NumberGrid& grid, const IsFilled& filled) {
  if (!(exact.shape == theirs.shape)) return std::nullopt;
  const double step = std::ldexp(1.0, 1 - grid.digits);
  std::vector<std::pair<bool, std::vector<double>>> directions = {{false, exact.values}};
  if (stage == StageId::weights) directions.emplace_back(true, direction_of(stage, exact, exact));
  double best = 0;
  std::optional<CommonFactor> result;
  for (const auto& [of_scores, direction] : directions) {
    const std::optional<Along> found = rest_along(direction, exact, theirs, filled);
    if (!found || found->share <= best) continue;
    // What the factor explains is no noise: the error follows from what is left without it.
    const double error = found->error * std::sqrt(std::max(0.0, 1 - found->share * found->share));
    if (!is_more_than(step, error, *found)) continue;
    best = found->share;
    result = {1 + found->factor, of_scores};
  }
  return result;
}

}  // namespace headscope
