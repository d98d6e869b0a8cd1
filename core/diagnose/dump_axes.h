// Tensors of other programs in the axes that ours have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/program_names.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct AxesReading {
  Tensor tensor;               // in the axes of ours
  std::int64_t first_row = 0;  // above 0: the rows from there on alone
  std::string as;              // "[heads, queries, keys]"; "" for the axes of the row
};

// What theirs is read as.
struct AxesTarget {
  const Tensor& own;       // ours: [batch, heads, rows, columns] or [batch, rows, features]
  bool of_scores = false;  // rows are queries, columns are keys
  std::int64_t heads = 1;  // that the features of ours are of
  bool last_row = false;   // theirs may hold the last row alone
};

// Every way to read `theirs` with the axes of `row` (without l): as they are written; of a row of ggml also written
// fastest first, with the numbers as they lie or turned. Axes of size 1 at the front may be more, and that of one item
// may be missing. Keys behind the text's own, which a cache of ggml has, are cut off. Empty where the sizes fit none.
std::vector<AxesReading> axes_readings(const Tensor& theirs, const ProgramName& row, const AxesTarget& target);

// ||theirs - ours|| / ||ours|| over cells that both have as numbers; for the choice between readings.
double distance_of(const AxesReading& theirs, const Tensor& own);

}  // namespace headscope
