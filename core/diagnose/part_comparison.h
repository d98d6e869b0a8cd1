// The comparison of one part of a model behind attention.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnose/diagnosis.h"
#include "core/diagnose/model_diagnosis.h"
#include "core/diagnose/program_names.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct PartSides {
  const Tensor& ours;          // as it follows from theirs before it, [batch, rows, features]
  const Tensor& drifted;       // the same from numbers that theirs may have computed with (drift.h)
  const Tensor& theirs;        // of the same shape
  std::int64_t first_row = 0;  // of the text: what row 0 of the three is
  StageId stage{};             // of DumpPart::stage
};

// Cell by cell, as stages are compared: a cell may lie as far away as its format, or the drift before it, moves it.
// UsageError where no number format has the name of the options.
PartComparison compared_part(DumpPart part, const PartSides& sides, const DiagnoseOptions& options);

}  // namespace headscope
