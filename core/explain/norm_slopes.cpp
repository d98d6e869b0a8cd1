#include "core/explain/norm_slopes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headscope {

std::vector<double> norm_slopes(const RowNorm& norm, std::vector<double> x, std::int64_t own) {
  if (norm.scales) {
    std::fill(x.begin(), x.end(), 0.0);
    x[static_cast<std::size_t>(own)] = static_cast<double>(norm.weights.weight.at({own}));
    return x;
  }
  const auto count = static_cast<double>(x.size());
  const bool centred = norm.kind == Architecture::Norm::layer;
  double mean = 0, squares = 0;
  for (const double each : x) mean += centred ? each / count : 0;
  for (double& each : x) each -= mean;
  for (const double each : x) squares += each * each / count;
  const auto at = static_cast<std::size_t>(own);
  const double factor = 1 / std::sqrt(squares + norm.eps);
  const double weight = static_cast<double>(norm.weights.weight.at({own})) + (norm.plus_one ? 1 : 0);
  std::vector<double> slopes(x.size());
  for (std::size_t d = 0; d < x.size(); ++d) {
    const double unit = (d == at ? 1.0 : 0.0) - (centred ? 1 / count : 0.0);
    slopes[d] = weight * factor * (unit - x[at] * x[d] * factor * factor / count);
  }
  return slopes;
}

}  // namespace headscope
