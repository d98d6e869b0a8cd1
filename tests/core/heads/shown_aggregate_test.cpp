#include "core/heads/shown_aggregate.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/core/heads/grouped_run.h"

namespace headscope {
namespace {

TEST(ShownAggregate, IsShownAsAMatrixOfOneHeadIs) {
  Request request = grouped_request();
  request.hide_tokens = HideTokens::first;
  request.renormalise = true;
  request.weighting = Weighting::value_norm;
  const auto trace = run(request);
  const ShownAggregate shown = shown_aggregate(Aggregate::mean, {trace.get()}, 1, showing_of(request));
  ASSERT_EQ(shown.matrix.dim(1), 5);
  ASSERT_NE(shown.mask, nullptr);
  const Tensor &weights = trace->tensor(StageId::weights), &value = trace->tensor(StageId::value);
  for (std::int64_t i = 0; i < 6; ++i) {
    std::vector<double> row(6, 0.0);
    double sum = 0;
    for (std::int64_t j = 1; j < 6; ++j) {
      for (std::int64_t h = 0; h < 4; ++h) {
        row[static_cast<std::size_t>(j)] +=
            static_cast<double>(weights.at({1, h, i, j})) * length_of(value, 1, h / 2, j) / 4;
      }
      sum += row[static_cast<std::size_t>(j)];
    }
    for (std::int64_t j = 1; j < 6; ++j) {
      const double expected = sum == 0 ? 0 : row[static_cast<std::size_t>(j)] / sum;
      EXPECT_TRUE(std::abs(static_cast<double>(shown.matrix.at({i, j - 1})) - expected) <= 1e-6) << i << ", " << j;
      EXPECT_EQ(shown.mask->hidden.hidden(0, 0, i, j - 1), j > i);
    }
  }
  request.renormalise = false;
  request.weighting = Weighting::weights;
  const ShownAggregate rollout = shown_aggregate(Aggregate::rollout, {trace.get()}, 0, showing_of(request));
  EXPECT_EQ(rollout.matrix.dim(0), 6) << "over all tokens, of which only the columns are hidden";
  EXPECT_EQ(rollout.matrix.dim(1), 5);
}

}  // namespace
}  // namespace headscope
