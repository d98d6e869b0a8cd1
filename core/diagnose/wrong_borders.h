// The lines between cells that differ and others, for marks on pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/diagnose/stage_sides.h"

namespace headscope {

// Cells `begin` up to, without, `end`, along line `line` of the other axis.
struct CellStretch {
  std::int64_t line = 0, begin = 0, end = 0;
};

// Neighbours that are marked, as one stretch each, of line 0.
std::vector<CellStretch> stretches_of(const std::vector<std::uint8_t>& marked);

// The borders of the cells that differ: above row `line` where `across`, else left of column `line`; the line behind
// the last one is the far side. Stops soon after `most` of them.
std::vector<CellStretch> borders_of(const WrongCells& wrong, bool across, std::size_t most);

}  // namespace headscope
