// Attention small enough for a pen: every sheet with numbers of its own, some of its cells left blank.
//
// Numbers given are whole. What is computed is computed from the numbers that are printed: a product is exact, a power
// of e and a share are rounded to two places before anything is computed from them. A calculation by hand so gives the
// printed result, to the last digit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/worksheet/decimal.h"
#include "core/worksheet/worksheet_spec.h"

namespace headscope {

// UsageError for sizes, words or cells that a sheet cannot have: the option, what was found, what was expected.
void check_worksheet(const WorksheetSpec& spec);

// One head: queries, keys, values [len, head_dim] as given, all else as computed from what is printed.
struct SheetHead {
  DecimalGrid query, key, value;
  DecimalGrid raw_scores;  // [len, len]: query . key
  DecimalGrid scores;      // raw_scores times the printed scale
  DecimalGrid exp;         // e to the power of scores in two places; 0 where hidden
  DecimalGrid sum;         // [len, 1]: of the row of exp
  DecimalGrid weights;     // exp / sum in two places; 0 where hidden
  DecimalGrid context;     // [len, head_dim]: weights . value
};

struct HandSheet {
  int number = 1;  // from 1
  std::uint64_t seed = 0;
  Decimal scale;  // 1 / sqrt(head_dim) in two places: 1, 0.71, 0.58 or 0.5
  std::vector<SheetHead> heads;
  DecimalGrid concat;             // [len, d_model]: contexts of all heads side by side
  DecimalGrid output_weights;     // [d_model, d_model]
  DecimalGrid output;             // concat . output_weights
  std::vector<SheetCell> blanks;  // in order of computation; the first is A

  // The number in a cell. Asserts that there is such a cell.
  Decimal value(const SheetCell& cell) const;
  // 'A', 'B' ...; nullopt where the number is printed.
  std::optional<char> letter(const SheetCell& cell) const;
};

// The sheet of this number, from 1: the same spec gives the same sheet anywhere. Throws as check_worksheet().
HandSheet drawn_sheet(const WorksheetSpec& spec, int number);

}  // namespace headscope
