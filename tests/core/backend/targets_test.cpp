// The same numbers whatever vectors the processor has: core/backend/kernels/README.md states the bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/backend/every_target.h"

namespace headscope {
namespace {

// What a step gives, and for every number of it the sum of the sizes of what was added up for it.
struct Step {
  std::string name;
  Tensor result;
  std::vector<double> sizes;
};

// Distances of float32 numbers as large as `size`.
double in_ulps(double difference, double size) {
  const float at = static_cast<float>(std::max(size, static_cast<double>(std::numeric_limits<float>::min())));
  return difference / (static_cast<double>(std::nextafter(at, std::numeric_limits<float>::infinity())) - at);
}

// The largest difference in units of the last place of what was summed; NaN where one alone is NaN.
double distance(const Tensor& a, const Tensor& b, const std::vector<double>& sizes) {
  const std::vector<float> x = a.values(), y = b.values();
  double largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k] == y[k] || (std::isnan(x[k]) && std::isnan(y[k]))) continue;
    const double ulps = in_ulps(std::abs(static_cast<double>(x[k]) - y[k]), sizes[k]);
    if (!(ulps <= largest)) largest = ulps;
    if (std::isnan(largest)) return largest;
  }
  return largest;
}

std::vector<double> sizes_of_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  std::vector<double> sizes;
  for (std::int64_t i = 0; i < x.dim(1); ++i) {
    for (std::int64_t o = 0; o < weight.dim(0); ++o) {
      double sum = std::abs(static_cast<double>(bias.at(Index{o})));
      for (std::int64_t k = 0; k < x.dim(2); ++k)
        sum += std::abs(static_cast<double>(x.at(Index{0, i, k})) * weight.at(Index{o, k}));
      sizes.push_back(sum);
    }
  }
  return sizes;
}

// Of sum_d a[0, h, i, d] * b[0, h, j, d], or with `along` of sum_j a[0, h, i, j] * b[0, h, j, d].
std::vector<double> sizes_of_products(const Tensor& a, const Tensor& b, bool along) {
  std::vector<double> sizes;
  for (std::int64_t h = 0; h < a.dim(1); ++h) {
    for (std::int64_t i = 0; i < a.dim(2); ++i) {
      for (std::int64_t to = 0; to < b.dim(along ? 3 : 2); ++to) {
        double sum = 0;
        for (std::int64_t k = 0; k < a.dim(3); ++k) {
          const float other = along ? b.at(Index{0, h, k, to}) : b.at(Index{0, h, to, k});
          sum += std::abs(static_cast<double>(a.at(Index{0, h, i, k})) * other);
        }
        sizes.push_back(sum);
      }
    }
  }
  return sizes;
}

// Every step on inputs of its own, so that no step hands on the differences of the one before.
std::vector<Step> steps_of(const Backend& backend, std::int64_t len, std::int64_t width) {
  const CancelToken cancel;
  const Tensor x = random_tensor({1, len, width}, 1), weight = random_tensor({width + 3, width}, 2);
  const Tensor bias = random_tensor({width + 3}, 3);
  const Tensor query = random_tensor({1, 2, len, width}, 4), key = random_tensor({1, 2, len + 5, width}, 5);
  const Tensor value = random_tensor({1, 2, len + 5, 33}, 6), scores = random_tensor({1, 2, len, len + 5}, 7);
  const Tensor weights = make_reference_backend()->softmax_rows(scores, nullptr, cancel);
  const HiddenCells none(1, 1, len, len + 5);
  std::vector<Step> steps;
  steps.push_back({"linear", backend.linear(x, weight, bias, cancel), sizes_of_linear(x, weight, bias)});
  steps.push_back({"query key", backend.query_key_products(query, key, whole({1, 2, len, len + 5}), cancel),
                   sizes_of_products(query, key, false)});
  // Of exp(s - max) / sum: what is summed is 1 in units of the result.
  steps.push_back({"softmax", backend.softmax_rows(scores, nullptr, cancel),
                   std::vector<double>(static_cast<std::size_t>(scores.size()), 1.0)});
  steps.push_back(
      {"context", backend.weighted_values(weights, value, none, cancel), sizes_of_products(weights, value, true)});
  return steps;
}

TEST(Targets, EveryStepIsWithinTwoUnitsOfWhatIsSummedOnEveryTarget) {
  const auto backend = make_cpu_backend(2);
  double worst = 0;
  for (const auto& size : {std::pair{1, 7}, {9, 64}, {17, 96}, {50, 200}, {3, 1024}}) {
    const auto len = size.first, width = size.second;
    const std::vector<Step> best = steps_of(*backend, len, width);
    on_every_target([&](bool fused) {
      const std::vector<Step> here = steps_of(*backend, len, width);
      for (std::size_t k = 0; k < best.size(); ++k) {
        const double ulps = distance(here[k].result, best[k].result, best[k].sizes);
        EXPECT_TRUE(ulps <= 2) << best[k].name << ", " << len << " x " << width << ": " << ulps;
        if (fused) {
          EXPECT_EQ(ulps, 0) << best[k].name << ": the targets with fused multiply-add give the same bits";
        }
        worst = std::max(worst, ulps);
      }
    });
  }
  RecordProperty("largest_distance_in_ulps", std::to_string(worst));
}

// A whole request: what the steps before differ by is in it as well.
TEST(Targets, AWholeForwardIsTheSameToSixDigitsOnEveryTarget) {
  Request request;
  request.phrase = "the animal did not cross the street because it was too tired";
  request.d_model = 128;
  request.heads = 4;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  const auto stages_of = [&request] {
    Engine engine;
    return engine.run(request, CancelToken());
  };
  const auto best = stages_of();
  double worst = 0;
  on_every_target([&](bool fused) {
    const auto here = stages_of();
    for (const auto& stage : best->stages) {
      const Tensor& a = stage.tensor;
      const Tensor& b = here->find(stage.id)->tensor;
      double largest = 0;
      for (const float value : a.values()) {
        if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
      }
      const double ulps = distance(a, b, std::vector<double>(static_cast<std::size_t>(a.size()), largest));
      EXPECT_TRUE(ulps <= 8) << stage_name(stage.id) << ": " << ulps;
      if (fused) {
        EXPECT_EQ(ulps, 0) << stage_name(stage.id);
      }
      worst = std::max(worst, ulps);
    }
  });
  RecordProperty("largest_distance_in_ulps", std::to_string(worst));
}

}  // namespace
}  // namespace headscope
