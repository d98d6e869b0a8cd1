// The cells of other stages that belong to one cell: those that it is computed from and those that are computed from
// it. Linked highlighting draws them.
#pragma once

#include <vector>

#include "core/attention/trace.h"
#include "core/explain/cell_place.h"

namespace headscope {

// Cells of one stage: along each axis one index or all of them (a row of query, a column of scores ...).
struct LinkedCells {
  StageId stage{};
  Region region;
  friend bool operator==(const LinkedCells&, const LinkedCells&) = default;
};

// The cell itself first; then backward to the factors of the nearest sum (for a weight: scores, query row, key row);
// then forward through the stages computed from it (context row, the concat cells that hold it, output rows). A score
// is linked to its own weight, not to the rest of the row. Reads no numbers. The trace has the cell (asserted).
std::vector<LinkedCells> linked_cells(const Trace& trace, StageId stage, const Index& index);

}  // namespace headscope
