#include "core/heads/head_habit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/heads/head_metric_values.h"
#include "tests/core/heads/one_head.h"

namespace headscope {
namespace {

HeadHabit habit_over(const std::vector<std::string>& tokens,
                     const std::function<double(std::int64_t, std::int64_t)>& weight) {
  const auto count = static_cast<std::int64_t>(tokens.size());
  Trace trace = head_of(count, count, weight);
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  inputs->tokens = inputs->key_tokens = tokens;
  trace.inputs = inputs;
  return habit_of(head_metrics(trace, 0, 0));
}

const std::vector<std::string> kAlike = {"a", "b", "c", "d", "e", "a", "b", "c", "d", "e"};

// `share` at key(i), the rest spread evenly over the other keys.
std::function<double(std::int64_t, std::int64_t)> at(std::function<std::int64_t(std::int64_t)> key, double share) {
  return [=](std::int64_t i, std::int64_t j) {
    const std::int64_t place = key(i);
    if (place < 0 || place > 9) return 0.1;
    return j == place ? share : (1 - share) / 9;
  };
}

TEST(HeadHabit, NamesTheLargestOfFourPlacesWithItsShare) {
  const auto named = [](const std::function<double(std::int64_t, std::int64_t)>& weight, Habit habit, double share) {
    const HeadHabit found = habit_over(kAlike, weight);
    EXPECT_EQ(found.habit, habit) << habit_word(found.habit);
    EXPECT_TRUE(std::abs(found.share - share) < 1e-6) << found.share;
  };
  named(at([](std::int64_t i) { return i - 1; }, 0.6), Habit::before, 0.6);
  named(at([](std::int64_t i) { return i; }, 0.4), Habit::itself, 0.4);
  named(at([](std::int64_t) { return std::int64_t{0}; }, 0.5), Habit::first, 0.5);
}

TEST(HeadHabit, WhatStoodAfterTheSameTokenIsAfterSame) {
  // Rows 5 to 9 look at what followed their first occurrence, the others at the place three before them.
  const HeadHabit found = habit_over(kAlike, at([](std::int64_t i) { return i >= 5 ? i - 4 : std::int64_t{-1}; }, 0.8));
  EXPECT_EQ(found.habit, Habit::after_same) << habit_word(found.habit) << found.share;
}

TEST(HeadHabit, NearHoldsWhereNoPlaceAloneDoes) {
  const HeadHabit near =
      habit_over(kAlike, [](std::int64_t i, std::int64_t j) { return std::abs(i - j) <= 2 ? 0.19 : 0.01; });
  EXPECT_EQ(near.habit, Habit::near);
  EXPECT_TRUE(near.share >= kNearFrom);
}

TEST(HeadHabit, EvenWeightsAreMixedAndNaNIsNothing) {
  EXPECT_EQ(habit_over(kAlike, [](std::int64_t, std::int64_t) { return 0.1; }).habit, Habit::mixed);
  EXPECT_EQ(habit_of(HeadMetrics()).habit, Habit::mixed);
  EXPECT_EQ(habit_of(HeadMetrics()).share, 0);
  HeadMetrics one_row;
  one_row[HeadMetric::self] = {1, 1};
  EXPECT_EQ(habit_of(one_row).habit, Habit::mixed) << "one row is no habit";
  one_row[HeadMetric::self] = {kHabitFrom, 2};
  EXPECT_EQ(habit_of(one_row).habit, Habit::itself);
}

TEST(HeadHabit, HasAWordAndASentenceEach) {
  for (const Habit habit : {Habit::mixed, Habit::before, Habit::itself, Habit::first, Habit::after_same, Habit::near}) {
    EXPECT_NE(std::string(habit_word(habit)), "");
    EXPECT_TRUE(std::string(habit_sentence(habit)).ends_with("."));
  }
  EXPECT_STREQ(habit_word(Habit::after_same), "after same");
}

}  // namespace
}  // namespace headscope
