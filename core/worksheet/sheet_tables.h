// The tables of a sheet: matrices with words beside their rows. Internal to core/worksheet.
#pragma once

#include <string>
#include <vector>

#include "core/base/image.h"
#include "core/worksheet/sheet_paper.h"
#include "core/worksheet/worksheet.h"

namespace headscope {

struct TableCell {
  std::string text;
  char letter = 0;  // of a blank; 0: the number is printed
};

struct SheetTable {
  std::string title;
  Rgba color;                        // of the title
  std::vector<std::string> columns;  // each as wide as its name needs
  std::vector<std::string> rows;
  std::vector<std::vector<TableCell>> cells;
};

// Queries, keys, values, and everything that follows up to the context.
std::vector<SheetTable> head_tables(const WorksheetSpec& spec, const HandSheet& sheet, int head);
// W and the output.
std::vector<SheetTable> output_tables(const WorksheetSpec& spec, const HandSheet& sheet);

// In tenths of a millimetre.
struct TableSize {
  int width = 0, height = 0;
};
TableSize table_size(const SheetTable& table);

// Draws it at x and at the paper's y(), which it leaves as it was. A blank is an empty field with its letter; solved,
// with its number.
void draw_table(SheetPaper& paper, const SheetTable& table, int x, bool solved);

}  // namespace headscope
