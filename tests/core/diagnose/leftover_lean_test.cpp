#include "core/diagnose/leftover_lean.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/compare/number_grid.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnose_arrays.h"
#include "core/diagnose/number_format.h"
#include "tests/core/diagnose/model_dumps.h"

namespace headscope {
namespace {

// softmax(factor * q . k) of one head under a causal mask, by the formula in double.
struct Scores {
  std::int64_t len, features = 8;
  std::vector<float> q, k;

  explicit Scores(std::int64_t places) : len(places), q(drawn(1)), k(drawn(2)) {}

  std::vector<float> drawn(unsigned seed) const {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<std::size_t>(len * features));
    for (float& each : values) {
      each = static_cast<float>(rounded_to(bfloat16(), static_cast<double>(normal(random))));
    }
    return values;
  }

  static const NumberGrid& bfloat16() {
    for (const NumberGrid& each : number_grids()) {
      if (each.option == "bf16") return each;
    }
    throw std::logic_error("no grid of bfloat16");
  }

  WideStage weights(double factor, const NumberGrid* grid = nullptr) const {
    WideStage made{{1, 1, len, len}, std::vector<double>(static_cast<std::size_t>(len * len), 0.0)};
    for (std::int64_t i = 0; i < len; ++i) {
      double sum = 0;
      double* row = made.values.data() + i * len;
      for (std::int64_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::int64_t f = 0; f < features; ++f) {
          dot += static_cast<double>(q[static_cast<std::size_t>(i * features + f)]) *
                 static_cast<double>(k[static_cast<std::size_t>(j * features + f)]);
        }
        row[j] = std::exp(grid != nullptr ? rounded_to(*grid, factor * dot) : factor * dot);
        sum += row[j];
      }
      for (std::int64_t j = 0; j <= i; ++j) row[j] = grid != nullptr ? rounded_to(*grid, row[j] / sum) : row[j] / sum;
    }
    return made;
  }
};

bool weights_lean(std::int64_t len, double real, double named) {
  const Scores scores(len);
  return leans(StageId::weights, scores.weights(1), scores.weights(named), scores.weights(real, &Scores::bfloat16()),
               Scores::bfloat16(), {});
}

TEST(LeftoverLean, RoundingLeansNowhere) {
  for (const double factor : {0.1, 0.3, 0.5, 1.7}) EXPECT_FALSE(weights_lean(24, factor, factor)) << factor;
}

TEST(LeftoverLean, AFactorThatNearlyFitsDoes) {
  for (const double off : {0.9, 1.1}) EXPECT_TRUE(weights_lean(48, 0.3 * off, 0.3)) << off;
}

TEST(LeftoverLean, AFactorThatIsRoundedItselfDoesNot) {
  EXPECT_FALSE(weights_lean(24, 0.3 * (1 + 1 / 512.0), 0.3));
}

TEST(LeftoverLean, FewCellsSayNothing) {
  EXPECT_FALSE(weights_lean(8, 0.33, 0.3));
}

TEST(LeftoverLean, OtherStagesAreAskedAlongWhatTheMistakeChanges) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  WideStage right{{1, 1, 16, 8}, std::vector<double>(128)};
  for (double& each : right.values) each = normal(random);
  WideStage made = right, near = right, rounded = right;
  for (std::size_t k = 0; k < right.values.size(); ++k) {
    made.values[k] = 2 * right.values[k];
    near.values[k] = 2.1 * right.values[k];
    rounded.values[k] = rounded_to(Scores::bfloat16(), made.values[k]);
  }
  EXPECT_TRUE(leans(StageId::scores, right, made, near, Scores::bfloat16(), {}));
  EXPECT_FALSE(leans(StageId::scores, right, made, rounded, Scores::bfloat16(), {}));
  EXPECT_FALSE(leans(StageId::scores, right, made, near, Scores::bfloat16(), [](std::size_t) { return true; }));
  near.shape = {1, 1, 8, 16};
  EXPECT_FALSE(leans(StageId::scores, right, made, near, Scores::bfloat16(), {}));
}

// Numbers times a factor, cut off or rounded, beside what they were.
std::optional<CommonFactor> factor_of(double factor, bool cut, std::size_t count = 512) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  WideStage right{{1, 1, static_cast<std::int64_t>(count / 8), 8}, std::vector<double>(count)};
  for (double& each : right.values) each = normal(random);
  WideStage theirs = right;
  for (double& each : theirs.values) {
    each *= factor;
    if (cut) {
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(each)) & 0xFFFF0000U;
      each = static_cast<double>(std::bit_cast<float>(bits));
    } else {
      each = rounded_to(Scores::bfloat16(), each);
    }
  }
  return common_factor(StageId::output, right, theirs, Scores::bfloat16(), {});
}

TEST(CommonFactor, IsFoundThoughEveryNumberIsNear) {
  for (const double factor : {1.01, 0.98, 1.03}) {
    const auto found = factor_of(factor, false);
    ASSERT_TRUE(found) << factor;
    EXPECT_NEAR(found->factor, factor, 1e-3);
    EXPECT_FALSE(found->of_scores);
  }
}

TEST(CommonFactor, IsNoneWhereNumbersAreRoundedOrCut) {
  EXPECT_FALSE(factor_of(1, false));
  EXPECT_FALSE(factor_of(1, true)) << "half a step too low, all of them";
  EXPECT_FALSE(factor_of(1 + 1 / 512.0, false)) << "a factor that is rounded itself";
  EXPECT_FALSE(factor_of(1.03, false, 56)) << "few numbers say nothing";
}

TEST(CommonFactor, OfScoresIsSeenInTheirSoftmax) {
  const Scores scores(48);
  const WideStage right = scores.weights(0.3);
  const auto found =
      common_factor(StageId::weights, right, scores.weights(0.3 * 1.05, &Scores::bfloat16()), Scores::bfloat16(), {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->of_scores);
  EXPECT_NEAR(found->factor, 1.05, 0.01);
  EXPECT_FALSE(
      common_factor(StageId::weights, right, scores.weights(0.3, &Scores::bfloat16()), Scores::bfloat16(), {}));
}

// Weights of bfloat16 with a factor of their own, 4 % beside that of scale-by-length, name nothing.
TEST(LeftoverLean, NoMistakeIsNamedForAFactorBesideIt) {
  const Scores scores(24);
  AttentionArrays ours;
  const auto heads = [&](const std::vector<float>& values) {
    return Tensor::of({1, 1, scores.len, scores.features}, {Axis::batch, Axis::head, Axis::position, Axis::feature},
                      values);
  };
  ours.query = heads(scores.q);
  ours.key = ours.value = heads(scores.k);
  ours.options.mask = {{MaskTerm::Kind::causal, 0, ""}};
  const double by_length = 1 / std::sqrt(static_cast<double>(scores.len));
  for (const double off : {1.0, 1.04}) {
    const WideStage made = scores.weights(by_length * off, &Scores::bfloat16());
    const Tensor theirs = Tensor::of(made.shape, {Axis::batch, Axis::head, Axis::query, Axis::key},
                                     {made.values.begin(), made.values.end()});
    const Diagnosis found = diagnose_arrays(ours, {{StageId::weights, theirs}});
    if (off == 1.0) {
      ASSERT_FALSE(found.explanations.empty());
      EXPECT_EQ(found.explanations.front().variants, std::vector<std::string>{"scale-by-length"});
    } else {
      EXPECT_EQ(found.verdict(), "differs");
    }
  }
}

}  // namespace
}  // namespace headscope
