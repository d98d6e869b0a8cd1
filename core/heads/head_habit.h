// One word and one share say what a head mostly does over a text.
#pragma once

#include "core/heads/head_metrics.h"

namespace headscope {

// mixed: no other word holds.
enum class Habit { mixed, before, itself, first, after_same, near };

struct HeadHabit {
  Habit habit = Habit::mixed;
  double share = 0;  // the mean weight that the word speaks of; of `mixed` the largest that was not enough
};

// The largest of the means `previous_token`, `self`, `first_token` and `induction`, from kHabitFrom on; else `local`
// from kNearFrom on; else mixed. A mean over fewer than two rows, or one that is NaN, counts for nothing.
// core/README.md, 'Habits'.
HeadHabit habit_of(const HeadMetrics& metrics);
constexpr double kHabitFrom = 0.30, kNearFrom = 0.60;

// "after same", "before", "itself", "first", "near", "mixed": on screen.
const char* habit_word(Habit habit);
// Says in one sentence what the word means.
const char* habit_sentence(Habit habit);

}  // namespace headscope
