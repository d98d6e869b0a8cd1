// These functions put what the search of one stage has found into the order in which it is told.
#pragma once

#include <vector>

#include "core/attention/trace.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/stage_comparer.h"
#include "core/diagnose/stage_predictor.h"
#include "core/diagnose/tolerance.h"

namespace headscope {

// A set of mistakes that was tried.
struct TriedSet {
  MistakeSet set;
  Remainder left;
  Remainder plain;  // without mistakes, of the queries in which `left` was measured
};

// The nearest first: what leaves the smallest share of the squared difference.
void sort_by_rest(std::vector<TriedSet>& candidates);

// Fills the explanations of the stage and what comes nearest to one. Explanations that leave no more than rounding does
// keep the order of the table; those that leave more than the best one, by a share of the difference, explain nothing.
void put_answer(std::vector<TriedSet> explained, std::vector<TriedSet> near, const StageComparer& comparer,
                const Trace& ours, StageComparison& result);

}  // namespace headscope
