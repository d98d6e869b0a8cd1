// What a student is asked for in a blank, and what the teacher reads.
#pragma once

#include <string>
#include <vector>

#include "core/worksheet/worksheet.h"

namespace headscope {

struct SheetTask {
  char letter = 'A';
  SheetCell cell;
  std::string place;        // "query · key, head 0: green → book"
  std::string operands;     // "(1, −2) · (2, 1)": a blank among them is its letter
  std::string calculation;  // "1 × 2 + (−2) × 1": numbers alone
  Decimal value;
};

// Those of a sheet, in the order of its blanks. Every operand is a number that the sheet prints, or the letter of an
// earlier blank.
std::vector<SheetTask> tasks_of(const WorksheetSpec& spec, const HandSheet& sheet);

}  // namespace headscope
