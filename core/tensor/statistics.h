// Summary numbers of a tensor: what the inspector, the manifest and colour ranges show.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/tensor/block_sums.h"
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

// How many values are summed about one of them before the sums are joined: the values at the places k *
// kStatisticsBlock and after, in row-major order.
constexpr std::size_t kStatisticsBlock = 4096;

// The sums of a block of values, or of its last part.
struct StatisticsBlock {
  BlockSums sums;
  float origin = 0;  // about which they are: the first finite value
  std::int64_t count = 0;
};
StatisticsBlock statistics_block(std::span<const float> values);

// The same of values that come in pieces, in row-major order. How the values are cut into pieces changes no bit.
class StatisticsSum {
 public:
  void add(std::span<const float> values);
  // A whole block, when as many values as make whole blocks were added before.
  void add(const StatisticsBlock& block);
  Statistics result() const;

 private:
  std::vector<float> rest_;  // less than a block, not yet in the sums
  std::int64_t finite_ = 0, nan_ = 0, inf_ = 0;
  double mean_ = 0, squares_ = 0;  // mean of the finite values; sum of squared deviations from it
  float low_ = std::numeric_limits<float>::infinity(), high_ = -std::numeric_limits<float>::infinity();
};

// Finite values counted in `bins` equal bins over [low, high]; values outside go to the end bins.
// Reads the tensor twice.
struct Histogram {
  double low = 0, high = 0;
  std::vector<std::int64_t> counts;
};
Histogram histogram_of(const Tensor& tensor, int bins);

}  // namespace headscope
