// What a cell would do if something before it were a little larger: its derivative with respect to every score, every
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

// Of the vectors of one stage, position by position, in the target's batch item.
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
  // item; everything after the cell that is changed follows, everything before it stays. A hidden weight is not read: 0
  // (torch multiplies it with its value all the same). Empty where the target does
  // not come from that stage. Weights are taken as free numbers: that a row adds up to 1 is the softmax' business.
  Tensor scores, weights;
  // Of those that the target comes from: in self-attention one, whose vectors are queries, keys and values at once.
  // Of a model's layer: what enters this layer's attention; the layers before stay as they are.
  std::vector<TokenSensitivity> tokens;
};

// Why the cells of this trace have none that could be computed: a sentence's rest, "the weights are computed when they
// are read: ..."; nothing when they have.
std::optional<std::string> sensitivity_problem(const Trace& trace);

// By the chain rule from the target back, in double from the stages as stored, along origin_of() (cell_origin.h): what
// explains a number also says what it depends on, options and variants included. NaN where the target is NaN by a
// number that it depends on. At places where a step is not smooth there is none (ReLU does not occur in a layer of
// attention; hidden, dropped and ablated cells are constant). Asserts sensitivity_problem() to be empty, and the cell.
// Equals torch.autograd.grad of the same forward. Throws Cancelled.
Sensitivity sensitivity(const Trace& trace, StageId stage, const Index& index, const CancelToken& cancel);

}  // namespace headscope
