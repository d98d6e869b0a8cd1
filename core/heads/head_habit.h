// What a head mostly does over a text, in one word and one share.
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
// What the word says, as one sentence.
const char* habit_sentence(Habit habit);

}  // namespace headscope
