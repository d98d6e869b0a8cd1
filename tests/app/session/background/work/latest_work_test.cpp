#include "app/session/background/work/latest_work.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headscope {
namespace {

struct OnManualExecutor {
  ManualExecutor* by = nullptr;
  int woken = 0, done = 0;
  std::unique_ptr<LatestWork<int, int>> work;

  explicit OnManualExecutor(LatestWork<int, int>::Work compute) {
    auto executor = std::make_unique<ManualExecutor>();
    by = executor.get();
    work = std::make_unique<LatestWork<int, int>>(
        std::move(executor), [this] { ++woken; }, std::move(compute));
  }
};

TEST(LatestWork, AnswersTheNewestQuestionOnce) {
  int computed = 0;
  OnManualExecutor s([&](const int& question, const CancelToken&) {
    ++computed;
    return question * 10;
  });
  EXPECT_EQ(s.work->want(1), nullptr);
  EXPECT_EQ(s.work->want(2), nullptr);
  EXPECT_TRUE(s.work->busy());
  while (s.by->step()) {
  }
  EXPECT_EQ(computed, 1) << "the first was overtaken before it began";
  ASSERT_NE(s.work->want(2), nullptr);
  EXPECT_EQ(s.work->want(2)->answer, 20);
  EXPECT_EQ(s.woken, 1);
  EXPECT_FALSE(s.work->busy());
  const auto older = s.work->want(3);
  ASSERT_NE(older, nullptr);
  EXPECT_EQ(older->question, 2) << "until the next one is there";
  while (s.by->step()) {
  }
  EXPECT_EQ(s.work->want(3)->answer, 30);
}

TEST(LatestWork, WhatIsOvertakenIsDropped) {
  LatestWork<int, int>* inside = nullptr;
  OnManualExecutor s([&](const int& question, const CancelToken& cancel) {
    if (question == 1) {
      inside->want(2);
      EXPECT_TRUE(cancel.cancelled());
      cancel.check();
    }
    return question;
  });
  inside = s.work.get();
  s.work->want(1);
  while (s.by->step()) {
  }
  ASSERT_NE(s.work->want(2), nullptr);
  EXPECT_EQ(s.work->want(2)->question, 2);
}

TEST(LatestWork, ShowsPartsUntilTheWholeIsThere) {
  using Work = LatestWork<int, int>;
  auto executor = std::make_unique<ManualExecutor>();
  ManualExecutor* by = executor.get();
  int woken = 0, computed = 0;
  bool overtake = false;
  Work* inside = nullptr;
  Work work(
      std::move(executor), [&] { ++woken; },
      [&](const int& question, const CancelToken& cancel, const Work::Publish& publish) {
        ++computed;
        publish(question + 1);
        const auto part = inside->want(question);
        EXPECT_TRUE(part != nullptr && !part->whole && part->answer == question + 1);
        if (overtake) inside->want(question + 1);
        publish(question + 2);
        EXPECT_EQ(inside->want(overtake ? question + 1 : question)->answer, question + (overtake ? 1 : 2))
            << "what is overtaken publishes no more";
        overtake = false;
        cancel.check();
        return question * 10;
      });
  inside = &work;
  work.want(1);
  while (by->step()) {
  }
  ASSERT_NE(work.want(1), nullptr);
  EXPECT_EQ(work.want(1)->answer, 10);
  EXPECT_TRUE(work.want(1)->whole);
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(woken, 3) << "two parts and the whole";
  // A part of what was overtaken is no answer: it is asked anew.
  overtake = true;
  work.want(5);
  while (by->step()) {
  }
  EXPECT_EQ(work.want(6)->answer, 60);
  EXPECT_EQ(computed, 3);
  work.want(5);
  while (by->step()) {
  }
  EXPECT_EQ(work.want(5)->answer, 50);
  EXPECT_EQ(computed, 4);
}

TEST(LatestWork, SaysWhyThereIsNoAnswerAndLetsGo) {
  OnManualExecutor s([](const int&, const CancelToken&) -> int { throw Error("no file"); });
  s.work->want(1);
  while (s.by->step()) {
  }
  const auto result = s.work->want(1);
  ASSERT_NE(result, nullptr);
  EXPECT_FALSE(result->answer);
  EXPECT_EQ(result->failure, "no file");
  s.work->forget();
  EXPECT_EQ(s.work->want(1), nullptr);
}

}  // namespace
}  // namespace headscope
