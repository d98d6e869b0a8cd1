// Which cells of which stages belong to one cell: those that it is made from and those that are made from it. What
// linked highlighting draws.
#pragma once

#include <vector>

#include "core/attention/trace.h"
#include "core/explain/cell_place.h"

namespace headscope {

// Cells of one stage: one along each axis, or all (a row of query, a column of scores ...).
struct LinkedCells {
  StageId stage{};
  Region region;
  friend bool operator==(const LinkedCells&, const LinkedCells&) = default;
};

// Of the cell itself first; then back to the factors of the nearest sum (a weight: scores, query row, key row), then on
// through what it feeds (context row, the concat cells that hold it, output rows). A score belongs to its own weight,
// not to the rest of the row. Reads no numbers. The trace has the cell (asserted).
std::vector<LinkedCells> linked_cells(const Trace& trace, StageId stage, const Index& index);

}  // namespace headscope
