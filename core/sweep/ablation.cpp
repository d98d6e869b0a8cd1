#include "core/sweep/ablation.h"

#include <cstddef>
#include <optional>

#include "core/base/assert.h"
#include "core/request/stage.h"

namespace headscope {
namespace {

// Sizes of a stage without keys.
struct Sizes {
  std::int64_t batch = 0, heads = 1, positions = 0, features = 0;
};

Sizes sizes_of(const Tensor& numbers) {
  HEADSCOPE_ASSERT(numbers.rank() == 3 || numbers.rank() == 4, to_string(numbers.shape()));
  const bool heads = numbers.rank() == 4;
  return {numbers.dim(0), heads ? numbers.dim(1) : 1, numbers.dim(heads ? 2 : 1), numbers.dim(heads ? 3 : 2)};
}

}  // namespace

bool has_mean(const std::string& stage) {
  const std::optional<StageId> id = stage_named(stage);
  return !id || !is_score_like(*id);
}

void StageMeans::add(std::int64_t layer, const std::string& stage, const Tensor& numbers) {
  const Sizes sizes = sizes_of(numbers);
  const std::vector<float> values = numbers.sliced(0, 0, 1).values();
  Mean& mean = means_[{layer, stage}];
  mean.sum.resize(static_cast<std::size_t>(sizes.heads * sizes.features));
  HEADSCOPE_ASSERT(std::ssize(mean.sum) == sizes.heads * sizes.features, to_string(numbers.shape()));
  mean.positions += sizes.positions;
  std::size_t at = 0;
  for (std::int64_t h = 0; h < sizes.heads; ++h) {
    for (std::int64_t i = 0; i < sizes.positions; ++i) {
      for (std::int64_t d = 0; d < sizes.features; ++d, ++at) {
        mean.sum[static_cast<std::size_t>(h * sizes.features + d)] += static_cast<double>(values[at]);
      }
    }
  }
}

Tensor StageMeans::filled(std::int64_t layer, const std::string& stage, const Tensor& numbers) const {
  const Sizes sizes = sizes_of(numbers);
  const auto found = means_.find({layer, stage});
  HEADSCOPE_ASSERT(found != means_.end() && std::ssize(found->second.sum) == sizes.heads * sizes.features, stage);
  const Mean& mean = found->second;
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(numbers.size()));
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    for (std::int64_t h = 0; h < sizes.heads; ++h) {
      for (std::int64_t i = 0; i < sizes.positions; ++i) {
        for (std::int64_t d = 0; d < sizes.features; ++d) {
          const double sum = mean.sum[static_cast<std::size_t>(h * sizes.features + d)];
          values.push_back(static_cast<float>(sum / static_cast<double>(mean.positions)));
        }
      }
    }
  }
  return Tensor::of(numbers.shape(), numbers.axes(), std::move(values));
}

}  // namespace headscope
