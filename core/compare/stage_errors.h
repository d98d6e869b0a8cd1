// The errors of one stage, of its heads and of its rows.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/attention/trace.h"
#include "core/request/stage.h"
#include "core/tensor/shape.h"

namespace headscope {

// |format - double| of some cells. Cells that the mask fills are left out.
struct CellErrors {
  double max_error = 0, mean_error = 0;  // over cells that are finite in both
  Index cell;                            // the cell of max_error; empty when no cell differs
  double exact = 0, value = 0;           // its two numbers
  std::int64_t cells = 0;                // compared cells
  std::int64_t lost = 0;                 // cells that are finite in double and not in the format
  std::int64_t unknown = 0;              // cells that are not finite in double
  // False where there are cells and none of them is finite in both: the errors are then no numbers.
  bool known() const { return cells > 0 || lost + unknown == 0; }
  // One of its numbers, NaN where they are none.
  double or_nan(double number) const { return known() ? number : std::numeric_limits<double>::quiet_NaN(); }
};

// The errors of one head over all batch items and rows, or of one row of one batch item over all heads.
struct PlaceError : CellErrors {
  std::int64_t batch = -1;  // -1: all of them
  std::int64_t place = 0;   // the head (of keys and values: theirs), or the row: a query, or a key where rows are keys
};

// One stage in one format.
struct StageError : CellErrors {
  StageId stage{};
  std::vector<PlaceError> heads, rows;  // worst first: most cells lost, then the largest error; no heads where the
                                        // stage has no such axis
};

// Compares the numbers of `stage`, row-major, with those in double. `errors` gets |value - exact| of every cell: NaN
// where only the exact one is finite, 0 where the mask fills the cell.
StageError stage_error(const Trace& trace, const Stage& stage, const std::vector<double>& exact,
                       const std::vector<double>& value, std::vector<float>& errors);

}  // namespace headscope
