// Here stands who puts other numbers into a stage than were computed there: the user's own arrays act first
// (stage_arrays.h), then what patches take from another run (patches.h), then single edits (interventions.h). Whoever
// reads or makes a stage asks here; interventions that are switched off do not count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Says whether arrays or patches change the stage in `layer`; those that name no layer count, as in edits_of(). `stage`
// is kStreamPatch, kMlpPatch or a stage's name.
bool is_changed(const Request& request, std::int64_t layer, std::string_view stage);
bool is_changed(const Request& request, std::int64_t layer, StageId stage);

// Names the option that changes any stage whose columns are keys, "" where none does: such a layer computes step by
// step and keeps its scores.
std::string scores_changed_by(const Request& request, std::int64_t layer);

// Names the option that changes the stage, "patch" or that of an array; "" where none does.
std::string changed_by(const Request& request, std::int64_t layer, std::string_view stage);

// Returns `tensor` with the arrays and patches of the stage at work; it is the same tensor when none speaks of it.
Tensor with_changes(const Request& request, const Inputs& inputs, std::int64_t layer, std::string_view stage,
                    const Tensor& tensor);

// Does with_changes() to one row: `row` is that of a position of kStreamPatch or kMlpPatch in a layer of a model, whose
// trace it is; of the first batch item.
std::vector<float> row_with_changes(const Trace& layer, std::string_view stage, std::int64_t position,
                                    std::vector<float> row);

// Says whether arrays or patches changed a cell of a stage of the trace.
bool is_changed(const Trace& trace, StageId stage, const Index& index);
// Says it of kStreamPatch and kMlpPatch in a layer of a model, whose trace it is: [batch, position, feature].
bool is_changed(const Trace& layer, std::string_view stage, const Index& index);

// This is who put a number into a cell, and how.
struct PutNumber {
  float value = 0;
  std::string step;     // "edited", "patched", or for arrays "set", "added" or "projected out"
  std::string by;       // "--edit", "--patch, of A", "--add, mine.npy"
  bool passes = false;  // what was computed there is part of it, as with --add
};
// Tells what acted last on a cell; nullopt means that it is as computed.
std::optional<PutNumber> put_number(const Trace& trace, StageId stage, const Index& index);
// Tells it of kStreamPatch and kMlpPatch in a layer of a model, whose trace it is; `value` is what stands there.
std::optional<PutNumber> put_number(const Trace& layer, std::string_view stage, const Index& index, float value);

}  // namespace headscope
