#include "core/heads/head_habit.h"

#include <cstddef>
#include <cstdint>

namespace headscope {
namespace {

constexpr std::int64_t kHabitRows = 2;  // one row is no habit

struct HabitRow {
  Habit habit;
  const char* word;
  const char* sentence;
};

constexpr HabitRow kHabits[] = {
    {Habit::mixed, "mixed",
     "No simple place gets 30 % of its weight, and what lies within two tokens gets less than 60 %."},
    {Habit::before, "before", "The share of weight that a token gives to the token before it, in the mean over rows."},
    {Habit::itself, "itself", "The share of weight that a token gives to itself, in the mean over rows."},
    {Habit::first, "first", "The share of weight that goes to the first token of the text, in the mean over rows."},
    {Habit::after_same, "after same",
     "The share of weight that a token gives to what stood right after an earlier token of its letters (induction)."},
    {Habit::near, "near", "The share of weight on tokens at most two places away, in the mean over rows."},
};

struct HabitMetric {
  Habit habit;
  HeadMetric metric;
};

// Where shares are equal the first one is the habit.
constexpr HabitMetric kByPlace[] = {{Habit::before, HeadMetric::previous_token},
                                    {Habit::itself, HeadMetric::self},
                                    {Habit::first, HeadMetric::first_token},
                                    {Habit::after_same, HeadMetric::induction}};

const HabitRow& row_of(Habit habit) {
  return kHabits[static_cast<std::size_t>(habit)];
}

double share_of(const HeadMetrics& metrics, HeadMetric metric) {
  const auto [value, rows] = metrics[metric];
  return rows >= kHabitRows && value > 0 ? value : 0;
}

}  // namespace

HeadHabit habit_of(const HeadMetrics& metrics) {
  HeadHabit largest;
  for (const HabitMetric& each : kByPlace) {
    const double share = share_of(metrics, each.metric);
    if (share > largest.share) largest = {each.habit, share};
  }
  if (largest.share >= kHabitFrom) return largest;
  const double near = share_of(metrics, HeadMetric::local);
  if (near >= kNearFrom) return {Habit::near, near};
  return {Habit::mixed, largest.share};
}

const char* habit_word(Habit habit) {
  return row_of(habit).word;
}

const char* habit_sentence(Habit habit) {
  return row_of(habit).sentence;
}

}  // namespace headscope
