// The numbers of a map on the terminal: all with the same decimals (core/picture/cell_numbers.h).
#pragma once

#include <string>

#include "core/picture/cell_numbers.h"

namespace headscope::cli {

class TableNumbers {
 public:
  // Every number of the map is added before the first one is written.
  void add(double value);
  // "-0.0512", "nan", "inf"; "" below half a unit of the last digit.
  std::string text(double value);
  // The line below the table that says what its blank cells hold; "" where text() left none blank.
  std::string legend() const;

 private:
  CellValues values_;
  CellNumbers numbers_;
  bool chosen_ = false, has_blank_ = false;
};

}  // namespace headscope::cli
