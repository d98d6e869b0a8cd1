// In bfloat16 two mistakes may look like one that is none of them, within what rounding may do to any cell: then what
// leaves far less is named. Powers of 2 of scores that are not scaled are powers of e of scores times log 2, which lies
// 2 % beside the 1 / sqrt(2) of scores that are divided by the root of two heads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/compare/number_grid.h"
#include "core/diagnose/diagnose_arrays.h"
#include "core/tensor/tensor.h"

namespace headscope {
namespace {

using Names = std::vector<std::string>;
constexpr std::int64_t kHeads = 2, kLen = 8, kFeatures = 8;

const NumberGrid& half_of_eight_bits() {
  for (const NumberGrid& grid : number_grids()) {
    if (grid.option == std::string("bf16")) return grid;
  }
  return number_grids().front();
}

double kept(double value) {
  return rounded_to(half_of_eight_bits(), value);
}

Tensor drawn_heads(std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<float> values(static_cast<std::size_t>(kHeads * kLen * kFeatures));
  for (float& value : values) value = static_cast<float>(kept(normal(random)));
  return Tensor::of({1, kHeads, kLen, kFeatures}, {Axis::batch, Axis::head, Axis::position, Axis::feature},
                    std::move(values));
}

// The context of causal attention, every stage rounded: weights are powers of `base` of scale * q . k.
Tensor context_of(const AttentionArrays& ours, double scale, double base) {
  std::vector<float> context(static_cast<std::size_t>(ours.value.size()));
  const auto number = [](const Tensor& of, std::int64_t h, std::int64_t i, std::int64_t d) {
    return static_cast<double>(of.at({0, h, i, d}));
  };
  for (std::int64_t h = 0; h < kHeads; ++h) {
    for (std::int64_t i = 0; i < kLen; ++i) {
      std::vector<double> row;
      double sum = 0;
      for (std::int64_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::int64_t d = 0; d < kFeatures; ++d) dot += number(ours.query, h, i, d) * number(ours.key, h, j, d);
        row.push_back(std::pow(base, kept(scale * kept(dot))));
        sum += row.back();
      }
      for (std::int64_t d = 0; d < kFeatures; ++d) {
        double mixed = 0;
        for (std::size_t j = 0; j < row.size(); ++j) {
          mixed += kept(row[j] / sum) * number(ours.value, h, static_cast<std::int64_t>(j), d);
        }
        context[static_cast<std::size_t>((h * kLen + i) * kFeatures + d)] = static_cast<float>(kept(mixed));
      }
    }
  }
  return Tensor::of(ours.value.shape(), ours.value.axes(), std::move(context));
}

Names named_first(const AttentionArrays& ours, const Tensor& context) {
  const Diagnosis found = diagnose_arrays(ours, {{StageId::context, context}});
  return found.explanations.empty() ? Names{found.verdict()} : found.explanations.front().variants;
}

TEST(PoorFit, TwoMistakesThatLookLikeAThird) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    AttentionArrays ours{drawn_heads(random), drawn_heads(random), drawn_heads(random), {}, {}};
    ours.options.mask = {{MaskTerm::Kind::causal, 0, ""}};
    EXPECT_EQ(named_first(ours, context_of(ours, 1, 2)), (Names{"no-scale", "softmax-base-2"})) << seed;
    EXPECT_EQ(named_first(ours, context_of(ours, 1 / std::sqrt(2.0), std::exp(1.0))), Names{"scale-by-heads"}) << seed;
    EXPECT_EQ(named_first(ours, context_of(ours, 1 / std::sqrt(8.0), 2)), Names{"softmax-base-2"}) << seed;
    EXPECT_EQ(named_first(ours, context_of(ours, 1, std::exp(1.0))), Names{"no-scale"}) << seed;
  }
}

}  // namespace
}  // namespace headscope
