// The four steps against numbers worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/assert.h"
#include "tests/core/attention/made_inputs.h"
#include "tests/core/backend/both_backends.h"

namespace headscope {
namespace {

constexpr float kStepsInfinity = std::numeric_limits<float>::infinity();
constexpr float kStepsNan = std::numeric_limits<float>::quiet_NaN();

class Steps : public EveryBackend {
 protected:
  std::vector<float> softmax(std::vector<float> row, RowStatistics* statistics = nullptr) const {
    const auto count = static_cast<std::int64_t>(row.size());
    return backend()->softmax_rows(tensor_of({1, 1, 1, count}, std::move(row)), statistics, cancel).values();
  }
};

TEST_P(Steps, LinearIsXTimesTransposedWeightPlusBias) {
  const Tensor x = tensor_of({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor weight = tensor_of({2, 3}, {1, 0, -1, 2, 1, 0.5F});
  const Tensor bias = tensor_of({2}, {10, 20});
  const Tensor y = backend()->linear(x, weight, bias, cancel);
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(y.axes()[2], Axis::feature);
  EXPECT_EQ(y.values(), (std::vector<float>{8, 25.5F, 8, 36}));
  EXPECT_EQ(backend()->linear(x, weight, {}, cancel).values(), (std::vector<float>{-2, 5.5F, -2, 16}));
}

TEST_P(Steps, LinearTakesATransposedWeightAndStridedInput) {
  const Tensor x = tensor_of({1, 3, 2}, {1, 4, 2, 5, 3, 6}).permuted({0, 2, 1});
  const Tensor weight = tensor_of({3, 2}, {1, 2, 0, 1, -1, 0.5F}).permuted({1, 0});
  EXPECT_EQ(backend()->linear(x, weight, {}, cancel).values(), (std::vector<float>{-2, 5.5F, -2, 16}));
}

TEST_P(Steps, QueryKeyProductsUseTheGroupOfTheHead) {
  const Tensor query = tensor_of({1, 4, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor key = tensor_of({1, 2, 2, 2}, {1, 0, 0, 1, 10, 0, 0, 10});
  const Tensor scores = backend()->query_key_products(query, key, whole({1, 4, 1, 2}), cancel);
  EXPECT_EQ(scores.axes()[3], Axis::key);
  EXPECT_EQ(scores.values(), (std::vector<float>{1, 2, 3, 4, 50, 60, 70, 80}));
}

TEST_P(Steps, ShapesThatDoNotFitAreABug) {
  const Tensor query = random_tensor({1, 3, 2, 2}, 1);
  const Tensor key = random_tensor({1, 2, 2, 2}, 2);
  EXPECT_THROW(backend()->query_key_products(query, key, whole({1, 3, 2, 2}), cancel), Bug);
  EXPECT_THROW(backend()->linear(random_tensor({1, 2, 3}, 1), random_tensor({2, 4}, 2), {}, cancel), Bug);
  EXPECT_THROW(backend()->weighted_values(random_tensor({1, 2, 2, 3}, 1), key, HiddenCells(1, 1, 2, 3), cancel), Bug);
}

TEST_P(Steps, SoftmaxOfEqualScoresIsUniform) {
  EXPECT_EQ(softmax({7, 7, 7, 7}), (std::vector<float>(4, 0.25F)));
}

TEST_P(Steps, SoftmaxGivesExactlyZeroForMinusInfinity) {
  const std::vector<float> weights = softmax({0, -kStepsInfinity, 0, -kStepsInfinity});
  EXPECT_EQ(weights, (std::vector<float>{0.5F, 0, 0.5F, 0}));
}

TEST_P(Steps, SoftmaxOfTheLargestScoresIsNotNan) {
  EXPECT_EQ(softmax({3e38F, -3e38F}), (std::vector<float>{1, 0}));
  EXPECT_EQ(softmax({-3e38F, -3e38F}), (std::vector<float>{0.5F, 0.5F}));
  EXPECT_EQ(softmax({3e38F, 3e38F}), (std::vector<float>{0.5F, 0.5F}));
  EXPECT_EQ(softmax({-3.4e38F, -kStepsInfinity}), (std::vector<float>{1, 0}));
  EXPECT_EQ(softmax({-1e20F, -1e20F, -1e20F}), (std::vector<float>(3, 1.0F / 3)));
}

TEST_P(Steps, SoftmaxOfScoresFarFromZeroIsThatOfTheirDifferences) {
  const std::vector<float> near = softmax({1, 2, 3});
  const std::vector<float> far = softmax({10001, 10002, 10003});
  for (int j = 0; j < 3; ++j) EXPECT_TRUE(std::abs(near[j] - far[j]) <= 1e-6) << j;
  EXPECT_TRUE(std::abs(near[2] - 0.6652409557748219) <= 1e-7);
}

TEST_P(Steps, SoftmaxOfARowWithoutAScoreIsNan) {
  RowStatistics rows;
  for (float weight : softmax({-kStepsInfinity, -kStepsInfinity}, &rows)) EXPECT_TRUE(std::isnan(weight));
  EXPECT_EQ(rows.max.values()[0], -kStepsInfinity);
  EXPECT_EQ(rows.sum.values()[0], 0);
}

TEST_P(Steps, SoftmaxOfNanOrPlusInfinityIsNanInThatRowOnly) {
  const Tensor scores =
      tensor_of({1, 1, 4, 3}, {1, 2, 3, kStepsNan, 1, 1, 1, kStepsInfinity, 1, 1, 1, -kStepsInfinity});
  RowStatistics rows;
  const std::vector<float> weights = backend()->softmax_rows(scores, &rows, cancel).values();
  for (int cell = 0; cell < 12; ++cell) EXPECT_EQ(std::isnan(weights[cell]), 3 <= cell && cell < 9) << cell;
  EXPECT_TRUE(std::isnan(rows.max.values()[1]));
  EXPECT_TRUE(std::isnan(rows.sum.values()[1]));
  EXPECT_EQ(rows.max.values()[2], kStepsInfinity);
}

TEST_P(Steps, SoftmaxNanAfterALargerScoreIsSeen) {
  for (float weight : softmax({5, 1, kStepsNan, 2})) EXPECT_TRUE(std::isnan(weight));
}

TEST_P(Steps, RowStatisticsGiveEveryWeightAgain) {
  const Tensor scores = random_tensor({2, 3, 5, 7}, 3);
  RowStatistics rows;
  const Tensor weights = backend()->softmax_rows(scores, &rows, cancel);
  EXPECT_EQ(rows.max.shape(), (Shape{2, 3, 5}));
  for (std::int64_t i = 0; i < 5; ++i) {
    const double weight = std::exp(scores.at({1, 2, i, 4}) - rows.max.at({1, 2, i})) / rows.sum.at({1, 2, i});
    EXPECT_TRUE(std::abs(weight - weights.at({1, 2, i, 4})) <= 1e-6);
  }
}

TEST_P(Steps, WeightedValuesSumTheValuesOfTheGroup) {
  const Tensor weights = tensor_of({1, 2, 1, 2}, {0.25F, 0.75F, 1, 0});
  const Tensor value = tensor_of({1, 1, 2, 3}, {1, 2, 3, 5, 6, 7});
  const Tensor context = backend()->weighted_values(weights, value, HiddenCells(1, 1, 1, 2), cancel);
  EXPECT_EQ(context.shape(), (Shape{1, 2, 1, 3}));
  EXPECT_EQ(context.values(), (std::vector<float>{4, 5, 6, 1, 2, 3}));
}

TEST_P(Steps, AHiddenCellOfWeightZeroIsNotRead) {
  const Tensor weights = tensor_of({1, 1, 2, 2}, {1, 0, 0.5F, 0.5F});
  const Tensor value = tensor_of({1, 1, 2, 2}, {1, 2, kStepsNan, kStepsInfinity});
  HiddenCells hidden(1, 1, 2, 2);
  hidden.mutable_row(0, 0, 0)[1] = 1;
  hidden.refresh_any();
  const std::vector<float> context = backend()->weighted_values(weights, value, hidden, cancel).values();
  EXPECT_EQ(context[0], 1);
  EXPECT_EQ(context[1], 2);
  EXPECT_TRUE(std::isnan(context[2]));
  EXPECT_EQ(context[3], kStepsInfinity);
}

TEST_P(Steps, AVisibleCellOfWeightZeroIsReadAsTorchDoes) {
  const Tensor value = tensor_of({1, 1, 2, 1}, {1, kStepsNan});
  const Tensor weights = tensor_of({1, 1, 1, 2}, {1, 0});
  EXPECT_TRUE(std::isnan(backend()->weighted_values(weights, value, HiddenCells(1, 1, 1, 2), cancel).values()[0]));
}

TEST_P(Steps, AHiddenCellWithAWeightIsReadAsTheTutorialsDo) {
  const Tensor value = tensor_of({1, 1, 2, 1}, {1, 3});
  const Tensor weights = tensor_of({1, 1, 1, 2}, {0.5F, 0.5F});
  HiddenCells hidden(1, 1, 1, 2);
  hidden.mutable_row(0, 0, 0)[1] = 1;
  hidden.refresh_any();
  EXPECT_EQ(backend()->weighted_values(weights, value, hidden, cancel).values()[0], 2);
}

TEST_P(Steps, OppositeInfinitiesMeetAsNan) {
  const Tensor value = tensor_of({1, 1, 3, 2}, {kStepsInfinity, kStepsInfinity, -kStepsInfinity, 1, 0, 0});
  const Tensor weights = tensor_of({1, 1, 1, 3}, {0.5F, 0.25F, 0.25F});
  const auto context = backend()->weighted_values(weights, value, HiddenCells(1, 1, 1, 3), cancel).values();
  EXPECT_TRUE(std::isnan(context[0]));
  EXPECT_EQ(context[1], kStepsInfinity);
}

TEST_P(Steps, ACancelledTokenStopsEveryStep) {
  CancelToken stopped;
  stopped.cancel();
  const Tensor four = random_tensor({1, 2, 3, 3}, 1);
  EXPECT_THROW(backend()->linear(random_tensor({1, 2, 3}, 1), random_tensor({2, 3}, 2), {}, stopped), Cancelled);
  EXPECT_THROW(backend()->query_key_products(four, four, whole({1, 2, 3, 3}), stopped), Cancelled);
  EXPECT_THROW(backend()->softmax_rows(four, nullptr, stopped), Cancelled);
  EXPECT_THROW(backend()->weighted_values(four, four, HiddenCells(1, 1, 3, 3), stopped), Cancelled);
}

HEADSCOPE_FOR_EVERY_BACKEND(Steps);

}  // namespace
}  // namespace headscope
