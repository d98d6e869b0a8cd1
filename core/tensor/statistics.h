// Summary numbers of a tensor: what the inspector, the manifest and colour ranges show.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace headscope {

// Over the finite values: min, max, mean, standard deviation (population, 1/n), L2 norm; double accumulation.
// With no finite value min, max, mean and std are NaN, l2_norm 0.
struct Statistics {
  std::int64_t count = 0;  // all values
  std::int64_t nan_count = 0;
  std::int64_t inf_count = 0;  // both signs
  double min = 0, max = 0, mean = 0, std = 0, l2_norm = 0;
};

Statistics statistics_of(const Tensor& tensor);

// Finite values counted in `bins` equal bins over [low, high]; values outside go to the end bins.
struct Histogram {
  double low = 0, high = 0;
  std::vector<std::int64_t> counts;
};
Histogram histogram_of(const Tensor& tensor, int bins);

}  // namespace headscope
