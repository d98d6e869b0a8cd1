// How a cell would change if a number before it were a little larger: its derivative with respect to every score, every
// weight and every number of the tokens' vectors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The derivative with respect to the vectors of one stage, position by position, in the target's batch item.
struct TokenSensitivity {
  StageId stage{};           // input, key_input, value_input; of attention alone query, key, value
  Tensor gradient;           // d target / d stage: [len, features], heads beside each other
  std::vector<double> norm;  // [len], the Euclidean norm of a position's gradient
  std::vector<double>
      times_vector;  // [len], gradient . vector: the change, to first order, if the vector grew by 100 %
};

struct Sensitivity {
  StageId stage{};  // the target
  Index index;
  double value = 0;
  // d target / d scores[b,h,i,j] and d target / d weights[b,h,i,j], [heads, query_len, key_len] of the target's batch
  // item; all stages after the changed cell follow the change, those before it do not. A hidden weight is not read: 0
  // (torch would multiply it with its value). Empty when the target does not depend on that stage. Weights are taken as
  // independent numbers: the derivative ignores that a row adds up to 1.
  Tensor scores, weights;
  // One for each stage that the target depends on: in self-attention a single one, whose vectors are queries, keys and
  // values at once. In a layer of a model: the input of this layer's attention; earlier layers are unchanged.
  std::vector<TokenSensitivity> tokens;
};

// Why sensitivities of this trace cannot be computed, as the second half of a sentence: "the weights are computed when
// they are read: ..."; nullopt when they can.
std::optional<std::string> sensitivity_problem(const Trace& trace);

// Computed by the chain rule backward from the target, in double from the stages as stored, along origin_of()
// (cell_origin.h), which covers all options and variants. NaN with respect to a number that makes the target NaN. Every
// step of attention is smooth: ReLU does not occur, and hidden, dropped and ablated cells are constant. Asserts that
// sensitivity_problem() is nullopt and that the cell exists. Equals torch.autograd.grad of the same forward. Throws
// Cancelled.
Sensitivity sensitivity(const Trace& trace, StageId stage, const Index& index, const CancelToken& cancel);

}  // namespace headscope
