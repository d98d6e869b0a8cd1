// This file puts --set, --add and --project-out to work: the user's own arrays in any stage. All functions ignore those
// that are switched off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/model/inputs.h"
#include "core/request/interventions.h"
#include "core/request/request.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Says whether an array, on or off, speaks of the stage in `layer`, as has_arrays() says it.
bool may_change(const StageArray& array, std::int64_t layer, std::string_view stage);

// Says whether an array that is on changes the stage in `layer`; one that names no layer counts, as in edits_of().
// `stage` is kStreamPatch, kMlpPatch or a stage's name; kAttentionArray counts for both stages that it may be.
bool has_arrays(const Request& request, std::int64_t layer, std::string_view stage);

// Returns `tensor` as the arrays of the stage change it: first every --set, then every --add, then every --project-out,
// each in the order in which they are listed. A row x of a chosen place becomes
//   set: d;   add: x + float32(factor d);   project-out: x - (x . d / |d|^2) d, with sums in float64,
// where d is the array's row of that place. Places are batch items, heads and rows; axes of an array that it does not
// have are the same for all. A copy when the tensor is stored, else a tensor that changes rows when they are read; the
// same tensor when no array speaks of it.
Tensor with_arrays(const Request& request, const Inputs& inputs, std::int64_t layer, std::string_view stage,
                   const Tensor& tensor);

// Returns the arrays that change a cell of a stage of this shape, in the order in which they act.
std::vector<StageArray> arrays_at(const Request& request, const Inputs& inputs, std::string_view stage,
                                  const Shape& shape, const Index& index);

// Says what the arrays do to a stage, for the description of its step: ", + mine.npy × 2"; "" where there are none.
std::string arrays_note(const Request& request, const Inputs& inputs, std::int64_t layer, std::string_view stage);

// This is what an array does to a stage of the trace, as whole tensors for other programs.
struct ArrayRows {
  StageArray array;
  Tensor chosen;   // the stage's shape with one feature: 1 where a row is changed, else 0
  Tensor numbers;  // the stage's shape: what is put in, added (times the factor) or taken out; 0 in other rows; empty:
                   // a number
};
// Returns one for every array that changes the stage, in the order in which they act.
std::vector<ArrayRows> array_rows(const Trace& trace, StageId stage);

// Says who changed a number: "--add, mine.npy*2".
std::string array_words(const StageArray& array);

// Returns the stages of a layer that other arrays, or arrays of other numbers, change in the two computations.
std::vector<StageId> unlike_arrays(const Request& before, const Inputs& before_inputs, const Request& now,
                                   const Inputs& inputs);

// This says why an array cannot be put into a stage of this shape, as title and detail: its rank or a size does not
// fit, a place is not there, or a direction is zero or not finite.
struct ArrayFault {
  std::string title, detail;
};
std::optional<ArrayFault> array_fault(const StageArray& array, const Inputs& inputs, const Shape& shape);

// Returns the name of the stage that an array changes: kAttentionArray is the stage that attention adds to the stream.
std::string_view changed_stage(const StageArray& array, const Inputs& inputs);

}  // namespace headscope
