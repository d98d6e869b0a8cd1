// Results of other code against ours, whose texts are packed (core/model/packed_texts.h): only cells of texts are
// compared.
#pragma once

#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct PackedReading {
  std::string as;  // as LayoutReading::as
  Tensor tensor;   // in the axes of ours
};

// The ways to read `theirs` as the stage of `ours`, where `ours` has lengths and the shapes differ: [tokens, heads,
// features]; and where theirs have a batch item for each text [batch, heads, len, features], [batch, len, heads,
// features], [batch, len, heads * features] and [batch, len, features] without the places behind each text; of scores
// and weights [batch, heads, len, len] the cells of each text with itself, and between texts ours, which theirs do not
// have. Empty where none fits, or `ours` has no lengths.
std::vector<PackedReading> packed_readings(const Trace& ours, StageId stage, const Tensor& theirs);

}  // namespace headscope
