// What the tables of costs are written with: short names for products, and what is asked of a layer more than once.
#pragma once

#include <vector>

#include "core/cost/cost_formula.h"
#include "core/cost/cost_row.h"
#include "core/cost/cost_size.h"
#include "core/model/head_rule.h"
#include "core/request/stage.h"

namespace headscope::cost_parts {

// Other operations for one number, beside multiply-adds.
constexpr double kOfRmsNorm = 4;        // x · x and its sum, · 1/σ, · weight
constexpr double kOfCentredNorm = 6;    // the sum, − mean, its square and their sum, · 1/σ, · weight
constexpr double kOfLayerNorm = 7;      // the same, + bias
constexpr double kOfTurn = 3;           // x cos − y sin
constexpr double kOfClip = 2;           // two comparisons
constexpr double kOfSoftcap = 3;        // ÷ C, tanh, · C
constexpr double kOfSoftmax = 5;        // the maximum, − maximum, exp, the sum, ÷ sum
constexpr double kOfSinkInSoftmax = 4;  // of a row: the maximum, − maximum, exp, the sum
constexpr double kOfSinkShare = 3;      // of a row: − maximum, exp, ÷ sum

// factor · size · size · ...
CostProduct times(double factor, std::vector<CostSize> sizes);
CostProduct times(double factor, CostProduct product);
CostProduct product(std::vector<CostSize> sizes);

// The numbers of a tensor of weights, which are read; nothing where the layer has no such tensor.
MovedNumbers weights(CostTensor tensor, std::vector<CostSize> sizes);
// The numbers of a stage, as they are read or written.
MovedNumbers moved(StageId stage);
// Numbers of float32 that are no stage.
MovedNumbers numbers(CostProduct count);

// Queries, keys and values are projected one by one, not by one matrix, and not given.
bool is_separate(const CostFacts& of);
// Keys come from other vectors than queries.
bool is_cross(const CostFacts& of);
// Returns the rule of what is done to heads; null where nothing is.
const HeadRule* rule_of(const CostFacts& of);
bool has_past(const CostFacts& of);
// One more key, that of bias_k.
bool has_extra_key(const CostFacts& of);

}  // namespace headscope::cost_parts
