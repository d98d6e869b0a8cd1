// What the bug lab asks its worker for: the newest wish wins, and nothing is said that was not computed.
#include "app/session/background/variant_numbers.h"

#include <gtest/gtest.h>

#include "core/compare/variant_run.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> causal(std::uint32_t seed) {
  Request request = phrase_request();
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return traced(request, fused_inputs(QkvLayout::per_head,
                                      {.batch = 1, .len = 5, .input_dim = 7, .heads = 2, .head_dim = 3, .seed = seed}));
}

TEST(VariantNumbers, SaysWhatEveryVariantChanges) {
  int woken = 0;
  VariantNumbers numbers(make_inline_executor(), [&] { ++woken; });
  const auto trace = causal(1);
  const auto result = numbers.want({trace, {"merge-direct"}});
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->refusal, "");
  ASSERT_EQ(result->lines.size(), variant_names().size());
  EXPECT_GT(woken, 0);
  for (const VariantLine& line : result->lines) {
    const bool runs = !variant_problem(*trace, {line.name});
    EXPECT_EQ(!line.problem, runs) << line.name;
    if (!runs) continue;
    const auto wrong = rerun(*trace, {line.name}, make_reference_backend(), {});
    const double expected = largest_difference(trace->tensor(StageId::output), wrong->tensor(StageId::output));
    EXPECT_TRUE(!std::isfinite(expected) || std::abs(line.largest - expected) <= 1e-5) << line.name;
    EXPECT_EQ(line.nan_rows > 0, line.name == "mask-inverted") << line.name;
  }
  ASSERT_NE(result->difference, nullptr);
  const Tensor& difference = result->difference->tensor(StageId::concat);
  EXPECT_TRUE(std::abs(static_cast<double>(difference.at({0, 1, 2})) -
                       (result->wrong->tensor(StageId::concat).at({0, 1, 2}) -
                        result->right->tensor(StageId::concat).at({0, 1, 2}))) <= 0);
}

TEST(VariantNumbers, TheRightSideHasNoMistakeOfTheRequestItself) {
  Request request = phrase_request();
  request.merge = Merge::direct;
  const auto trace = traced(request, fused_inputs(QkvLayout::per_head));
  VariantNumbers numbers(make_inline_executor(), {});
  const auto result = numbers.want({trace, {}});
  EXPECT_EQ(result->right->request.merge, Merge::transpose);
  EXPECT_EQ(result->effect->first_different, std::nullopt);
}

TEST(VariantNumbers, TwoThatExcludeEachOtherSayWhy) {
  VariantNumbers numbers(make_inline_executor(), {});
  const auto result = numbers.want({causal(2), {"no-scale", "scale-by-d-model"}});
  ASSERT_TRUE(result->problem);
  EXPECT_EQ(result->wrong, nullptr);
  EXPECT_EQ(result->lines.size(), variant_names().size());
}

TEST(VariantNumbers, TheNewestWishWins) {
  auto executor = std::make_unique<ManualExecutor>();
  ManualExecutor& by_hand = *executor;
  VariantNumbers numbers(std::move(executor), {});
  const auto first = causal(3), second = causal(4);
  EXPECT_EQ(numbers.want({first, {"merge-direct"}}), nullptr);
  numbers.want({second, {"no-scale"}});
  EXPECT_EQ(by_hand.waiting(), 1U);
  while (by_hand.step()) {
  }
  const auto result = numbers.want({second, {"no-scale"}});
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->of.trace, second);
  EXPECT_EQ(result->of.picked, std::vector<std::string>{"no-scale"});
  EXPECT_FALSE(numbers.busy());
}

TEST(VariantNumbers, WhatCannotBeComputedAgainSaysWhy) {
  auto bare = std::make_shared<Trace>(*causal(5));
  std::erase_if(bare->stages, [](const Stage& stage) { return stage.id == StageId::raw_scores; });
  VariantNumbers numbers(make_inline_executor(), {});
  EXPECT_NE(numbers.want({bare, {}})->refusal, "");
}

}  // namespace
}  // namespace headscope
