// Which cells of a sheet are left blank. Internal to core/worksheet.
#pragma once

#include "core/worksheet/drawn_numbers.h"
#include "core/worksheet/worksheet_spec.h"

namespace headscope {

// Every cell of a stage that is worth a calculation: hidden cells are none, and no share of a row with a single key.
std::vector<SheetCell> cells_of(const WorksheetSpec& spec, SheetStage stage);

// The cells that the choices leave blank, in order of computation, each once. UsageError where there are fewer cells
// than asked for, more blanks than letters, or no such cell.
std::vector<SheetCell> drawn_blanks(const WorksheetSpec& spec, DrawnNumbers& numbers);

}  // namespace headscope
