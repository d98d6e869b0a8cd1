// Signed numbers as bars along one zero line, a row each. Internal to core/picture.
#pragma once

#include <string>
#include <vector>

#include "core/picture/figure/figure_sheet.h"

namespace headscope {

struct SignedBar {
  std::string name;
  double value = 0;
};

// The room of the rows, in pixels: from the names' left edge to the numbers' right one.
struct BarRoom {
  int left = 0, right = 0, top = 0;
};

// The bars by size, the largest first and of equal ones in their order, what is no number before all; of more than
// `most` the smallest as one, "12 more", with their sum.
std::vector<SignedBar> bars_by_size(std::vector<SignedBar> bars, std::size_t most);

// A row a bar: its name, the bar to the right of the zero line or to its left, its number. Returns the y below them.
int add_bars(Sheet& sheet, const BarRoom& room, const std::vector<SignedBar>& bars);

}  // namespace headscope
