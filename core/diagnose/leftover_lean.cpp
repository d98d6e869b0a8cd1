#include "core/diagnose/leftover_lean.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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

}  // namespace

bool leans(StageId stage, const WideStage& right, const WideStage& made, const WideStage& theirs,
           const NumberGrid& grid, const IsFilled& filled) {
  if (!(made.shape == theirs.shape)) return false;
  const std::vector<double> direction = direction_of(stage, right, made);
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
  if (cells < kFewest || !(rest > 0) || !(size > 0)) return false;
  // Few cells decide where a row looks at one key: as many as would give this spread if all were alike.
  const double deciding = size * size / fourth;
  const double factor = std::abs(along) / size, error = std::sqrt(rest / (size * deciding));
  return std::abs(along) > kMostAlong * std::sqrt(rest * size) &&
         factor > std::ldexp(1.0, -grid.digits - 1) + kErrors * error;
}

}  // namespace headscope
