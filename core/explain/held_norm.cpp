#include "core/explain/held_norm.h"

#include <cmath>
#include <cstddef>

#include "core/base/assert.h"

namespace headscope {

HeldNorm::HeldNorm(const RowNorm& norm, std::span<const float> x)
    : centred_(norm.kind == Architecture::Norm::layer && !norm.scales), bias_(norm.weights.bias.values()) {
  const std::vector<float> weight = norm.weights.weight.values();
  if (weight.empty()) return;
  HEADSCOPE_ASSERT(weight.size() == x.size(), std::to_string(weight.size()) + " for " + std::to_string(x.size()));
  if (norm.scales) {
    factors_.assign(weight.begin(), weight.end());
    return;
  }
  const auto count = static_cast<double>(x.size());
  double sum = 0, squares = 0;
  for (const float each : x) sum += centred_ ? static_cast<double>(each) : 0;
  const double mean = sum / count;
  for (const float each : x) squares += (each - mean) * (each - mean);
  const double factor = 1 / std::sqrt(squares / count + norm.eps);
  for (const float each : weight) factors_.push_back(factor * (each + (norm.plus_one ? 1.0 : 0.0)));
}

double HeldNorm::of_bias(std::span<const double> direction) const {
  double sum = 0;
  for (std::size_t d = 0; d < bias_.size(); ++d) sum += direction[d] * bias_[d];
  return sum;
}

std::vector<double> HeldNorm::before(std::span<const double> direction) const {
  std::vector<double> result(direction.begin(), direction.end());
  if (factors_.empty()) return result;
  double sum = 0;
  for (std::size_t d = 0; d < result.size(); ++d) {
    result[d] *= factors_[d];
    sum += result[d];
  }
  if (!centred_) return result;
  const double mean = sum / static_cast<double>(result.size());
  for (double& each : result) each -= mean;
  return result;
}

std::vector<double> HeldNorm::after(std::span<const double> x) const {
  std::vector<double> result(x.begin(), x.end());
  if (factors_.empty()) return result;
  double sum = 0;
  for (const double each : result) sum += each;
  const double mean = centred_ ? sum / static_cast<double>(result.size()) : 0;
  for (std::size_t d = 0; d < result.size(); ++d) result[d] = (result[d] - mean) * factors_[d];
  return result;
}

}  // namespace headscope
