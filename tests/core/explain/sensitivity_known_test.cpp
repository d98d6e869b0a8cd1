// Derivatives that are known without a second run.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "core/explain/sensitivity.h"
#include "core/model/own_arrays.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

using Given = std::vector<std::pair<const char*, const char*>>;

Request options(Request request, const Given& given) {
  for (const auto& [option, value] : given) find_request_option(option)->set(request, value);
  return request;
}

TEST(Sensitivity, OfAnOutputByAWeightIsTheValueThroughTheOutputMatrix) {
  const Inputs inputs = fused_inputs(QkvLayout::per_head);
  const auto trace = traced(phrase_request(), inputs);
  const Sensitivity found = sensitivity(*trace, StageId::output, {1, 3, 4}, CancelToken());
  const Tensor& value = trace->tensor(StageId::value);
  for (std::int64_t h = 0; h < 2; ++h) {
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t j = 0; j < 5; ++j) {
        double expected = 0;
        for (std::int64_t d = 0; d < 3; ++d) {
          expected += static_cast<double>(inputs.weights.output.weight.at({4, 3 * h + d})) *
                      static_cast<double>(value.at({1, h, j, d}));
        }
        EXPECT_NEAR(static_cast<double>(found.weights.at({h, i, j})), i == 3 ? expected : 0, 1e-6);
      }
    }
  }
}

TEST(Sensitivity, KnowsWhatATargetDoesNotComeFrom) {
  const auto trace = traced(phrase_request(), fused_inputs(QkvLayout::per_head));
  const Sensitivity score = sensitivity(*trace, StageId::raw_scores, {0, 1, 2, 3}, CancelToken());
  EXPECT_TRUE(score.scores.empty()) << "raw scores come before them";
  EXPECT_TRUE(score.weights.empty());
  ASSERT_EQ(score.tokens.size(), 1U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(score.tokens[0].norm[i] > 0, i == 2 || i == 3) << i;
  const Sensitivity own = sensitivity(*trace, StageId::scores, {0, 1, 2, 3}, CancelToken());
  EXPECT_EQ(own.scores.at({1, 2, 3}), 1.0F);
  const auto off = traced(options(phrase_request(), {{"ablate", "0.0"}}), fused_inputs(QkvLayout::per_head));
  EXPECT_TRUE(sensitivity(*off, StageId::context, {0, 0, 1, 1}, CancelToken()).tokens.empty());
  const auto hidden = traced(options(phrase_request(), {{"mask", "causal"}}), fused_inputs(QkvLayout::per_head));
  const Sensitivity past = sensitivity(*hidden, StageId::output, {0, 1, 0}, CancelToken());
  for (std::size_t i = 2; i < 5; ++i) EXPECT_EQ(past.tokens[0].norm[i], 0) << "the future is hidden";
  CancelToken cancelled;
  cancelled.cancel();
  EXPECT_THROW(sensitivity(*trace, StageId::output, {0, 1, 0}, cancelled), Cancelled);
}

// What is added leaves derivatives as they are; a number that is put in depends on nothing.
TEST(Sensitivity, GoesThroughWhatIsAddedAndEndsAtWhatIsSet) {
  const Inputs inputs = fused_inputs(QkvLayout::per_head);
  Inputs with_array = inputs;
  auto arrays = std::make_shared<OwnArrays>();
  arrays->each.push_back({"a.npy", "", tensor_of({3}, {1, -2, 3}), ""});
  with_array.arrays = arrays;
  const Sensitivity plain = sensitivity(*traced(phrase_request(), inputs), StageId::output, {0, 2, 1}, CancelToken());
  const auto added = traced(options(phrase_request(), {{"add", "context:1=a.npy*2"}}), with_array);
  const Sensitivity moved = sensitivity(*added, StageId::output, {0, 2, 1}, CancelToken());
  EXPECT_NE(moved.value, plain.value);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(moved.tokens[0].norm[i], plain.tokens[0].norm[i]) << i;
  const auto set = traced(options(phrase_request(), {{"set", "context:0=7;context:1=a.npy"}}), with_array);
  EXPECT_TRUE(sensitivity(*set, StageId::output, {0, 2, 1}, CancelToken()).tokens.empty());
  const auto out = traced(options(phrase_request(), {{"project-out", "context:1=a.npy"}}), with_array);
  ASSERT_TRUE(sensitivity_problem(*out));
  EXPECT_NE(sensitivity_problem(*out)->find("--project-out"), std::string::npos);
}

TEST(Sensitivity, IsNanWhereTheTargetIs) {
  const auto trace = traced(options(phrase_request(), {{"mask", "padding:5"}}), fused_inputs(QkvLayout::per_head));
  const Sensitivity nan = sensitivity(*trace, StageId::weights, {0, 0, 1, 1}, CancelToken());
  EXPECT_TRUE(std::isnan(nan.value));
  EXPECT_TRUE(nan.scores.empty() && nan.tokens.empty()) << "what is hidden is not read";
  Inputs inputs = fused_inputs(QkvLayout::per_head);
  inputs.x.mutable_data()[0] = std::nanf("");
  const Sensitivity read = sensitivity(*traced(phrase_request(), inputs), StageId::output, {0, 1, 1}, CancelToken());
  EXPECT_TRUE(std::isnan(read.value));
  EXPECT_TRUE(std::isnan(read.tokens[0].norm[1]));
}

}  // namespace
}  // namespace headscope
