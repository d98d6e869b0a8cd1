// Reports of single numbers: at once when they are cheap, else the newest query from the worker.
#include "app/session/background/explanations.h"

#include <gtest/gtest.h>

#include "core/attention/engine.h"

namespace headscope {
namespace {

std::shared_ptr<const Trace> computed(bool on_demand) {
  Request request;
  request.phrase = "one two three four five six";
  request.d_model = 16;
  request.heads = 2;
  EngineOptions options;
  if (on_demand) options.stage_memory = 1;
  Engine engine(options);
  return engine.run(request, {});
}

struct Hand {
  ManualExecutor* executor = nullptr;
  std::unique_ptr<Executor> make() {
    auto made = std::make_unique<ManualExecutor>();
    executor = made.get();
    return made;
  }
};

TEST(Explanations, AreThereAtOnceWhenNothingIsComputedWhenRead) {
  Hand hand;
  Explanations explanations(hand.make(), [] {});
  const auto trace = computed(false);
  const auto answer = explanations.report(trace, StageId::weights, {0, 1, 2, 3});
  ASSERT_NE(answer.report, nullptr);
  EXPECT_EQ(hand.executor->waiting(), 0U);
  EXPECT_EQ(answer.report, explanations.report(trace, StageId::weights, {0, 1, 2, 3}).report) << "kept";
}

TEST(Explanations, OfLargeMapsComeFromTheWorkerTheNewestWishOnly) {
  Hand hand;
  int woken = 0;
  Explanations explanations(hand.make(), [&] { ++woken; });
  const auto trace = computed(true);
  ASSERT_NE(trace->on_demand, nullptr);
  EXPECT_EQ(explanations.report(trace, StageId::concat, {0, 1, 3}).report, nullptr);
  EXPECT_EQ(explanations.report(trace, StageId::concat, {0, 1, 4}).report, nullptr);
  EXPECT_EQ(explanations.report(trace, StageId::concat, {0, 1, 5}).report, nullptr);
  EXPECT_TRUE(explanations.busy());
  EXPECT_EQ(hand.executor->waiting(), 1U) << "one piece of work for all";
  ASSERT_TRUE(hand.executor->step());
  EXPECT_FALSE(explanations.busy());
  EXPECT_EQ(woken, 1) << "only the newest was made";
  const auto answer = explanations.report(trace, StageId::concat, {0, 1, 5});
  ASSERT_NE(answer.report, nullptr);
  EXPECT_EQ(answer.report->cell().index, (Index{0, 1, 5}));
}

TEST(Explanations, OfAnotherTraceAreMadeAnew) {
  Explanations explanations(make_inline_executor(), [] {});
  const auto first = explanations.report(computed(true), StageId::weights, {0, 0, 5, 0});
  const auto second = explanations.report(computed(true), StageId::weights, {0, 0, 5, 0});
  ASSERT_NE(first.report, nullptr);
  ASSERT_NE(second.report, nullptr);
  EXPECT_NE(first.report, second.report);
}

}  // namespace
}  // namespace headscope
