#include "core/worksheet/sheet_blanks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace headscope {

namespace {

// The order in which a number of blanks goes through the stages: what is asked for most comes first.
constexpr std::array kInTurn = {SheetStage::raw_scores, SheetStage::weights, SheetStage::output, SheetStage::scores,
                                SheetStage::exp,        SheetStage::context, SheetStage::sum};

int columns_of(const WorksheetSpec& spec, SheetStage stage) {
  switch (stage) {
    case SheetStage::sum:
      return 1;
    case SheetStage::context:
      return spec.head_dim();
    case SheetStage::output:
      return spec.d_model;
    default:
      return spec.length();
  }
}

bool has_keys(SheetStage stage) {
  return stage == SheetStage::raw_scores || stage == SheetStage::scores || stage == SheetStage::exp ||
         stage == SheetStage::weights;
}

bool is_inside(const WorksheetSpec& spec, const SheetCell& cell) {
  return cell.head < (cell.stage == SheetStage::output ? 1 : spec.heads) && cell.row < spec.length() &&
         cell.column < columns_of(spec, cell.stage);
}

bool exists(const WorksheetSpec& spec, const SheetCell& cell) {
  return is_inside(spec, cell) && !(has_keys(cell.stage) && is_hidden(spec, cell.row, cell.column));
}

// How many cells the stage has along each of sheet_axes().
std::vector<int> shape_of(const WorksheetSpec& spec, SheetStage stage) {
  if (stage == SheetStage::output) return {spec.length(), spec.d_model};
  if (stage == SheetStage::sum) return {spec.heads, spec.length()};
  return {spec.heads, spec.length(), columns_of(spec, stage)};
}

// "key 0 to 2", or "head 0" where there is no other.
std::string range_text(std::string_view axis, int count) {
  return count == 1 ? fmt::format("{} 0", axis) : fmt::format("{} 0 to {}", axis, count - 1);
}

[[noreturn]] void refuse_cell(const WorksheetSpec& spec, const SheetCell& cell) {
  if (is_inside(spec, cell)) {
    throw UsageError("cells",
                     fmt::format("{} is hidden: the causal mask hides key {} from query {}", sheet_cell_text(cell),
                                 cell.column, cell.row),
                     range_text("key", cell.row + 1));
  }
  const std::vector<std::string_view> axes = sheet_axes(cell.stage);
  const std::vector<int> shape = shape_of(spec, cell.stage);
  std::vector<std::string> ranges;
  for (std::size_t k = 0; k < axes.size(); ++k) ranges.push_back(range_text(axes[k], shape[k]));
  throw UsageError("cells",
                   fmt::format("{} is no cell of {}, whose shape is [{}]", sheet_cell_text(cell),
                               sheet_cell_form(cell.stage), fmt::join(shape, ", ")),
                   fmt::format("{}", fmt::join(ranges, ", ")));
}

void add_cell(const WorksheetSpec& spec, const SheetCell& cell, std::vector<SheetCell>& blanks) {
  if (!exists(spec, cell)) refuse_cell(spec, cell);
  if (std::find(blanks.begin(), blanks.end(), cell) == blanks.end()) blanks.push_back(cell);
}

std::vector<SheetCell> free_cells(const WorksheetSpec& spec, SheetStage stage, const std::vector<SheetCell>& blanks) {
  std::vector<SheetCell> cells = cells_of(spec, stage);
  std::erase_if(cells,
                [&](const SheetCell& cell) { return std::find(blanks.begin(), blanks.end(), cell) != blanks.end(); });
  return cells;
}

// Draws one cell of the stage; false when none is left.
bool draw_cell(const WorksheetSpec& spec, SheetStage stage, DrawnNumbers& numbers, std::vector<SheetCell>& blanks) {
  const std::vector<SheetCell> cells = free_cells(spec, stage, blanks);
  if (cells.empty()) return false;
  blanks.push_back(cells[static_cast<std::size_t>(numbers.between(0, static_cast<int>(cells.size()) - 1))]);
  return true;
}

void draw_of_stage(const WorksheetSpec& spec, const BlankChoice& choice, DrawnNumbers& numbers,
                   std::vector<SheetCell>& blanks) {
  const auto left = static_cast<int>(free_cells(spec, *choice.stage, blanks).size());
  const int count = choice.count == kAllCells ? left : choice.count;
  if (count > left) {
    throw UsageError("cells", fmt::format("{}:{}", sheet_stage_name(*choice.stage), count),
                     fmt::format("at most {}, as many as there are", left));
  }
  for (int k = 0; k < count; ++k) draw_cell(spec, *choice.stage, numbers, blanks);
}

void draw_in_turn(const WorksheetSpec& spec, int count, DrawnNumbers& numbers, std::vector<SheetCell>& blanks) {
  std::size_t turn = 0, refused = 0;
  for (int k = 0; k < count;) {
    const bool drawn = draw_cell(spec, kInTurn[turn++ % kInTurn.size()], numbers, blanks);
    refused = drawn ? 0 : refused + 1;
    if (drawn) ++k;
    if (refused == kInTurn.size()) {
      throw UsageError("cells", fmt::format("{}", count), fmt::format("at most {}, as many as there are", k));
    }
  }
}

}  // namespace

std::vector<SheetCell> cells_of(const WorksheetSpec& spec, SheetStage stage) {
  std::vector<SheetCell> cells;
  const bool is_trivial_alone = stage == SheetStage::weights || stage == SheetStage::sum;
  for (int head = 0; head < spec.heads; ++head) {
    for (int row = 0; row < spec.length(); ++row) {
      if (is_trivial_alone && spec.causal && row == 0) continue;
      for (int column = 0; column < columns_of(spec, stage); ++column) {
        const SheetCell cell{stage, head, row, column};
        if (exists(spec, cell)) cells.push_back(cell);
      }
    }
  }
  return cells;
}

std::vector<SheetCell> drawn_blanks(const WorksheetSpec& spec, DrawnNumbers& numbers) {
  std::vector<SheetCell> blanks;
  for (const BlankChoice& choice : spec.blanks) {
    if (choice.cell) add_cell(spec, *choice.cell, blanks);
  }
  for (const BlankChoice& choice : spec.blanks) {
    if (!choice.cell && choice.stage) draw_of_stage(spec, choice, numbers, blanks);
  }
  for (const BlankChoice& choice : spec.blanks) {
    if (!choice.cell && !choice.stage) draw_in_turn(spec, choice.count, numbers, blanks);
  }
  if (std::ssize(blanks) > kMostBlanks) {
    throw UsageError("cells", fmt::format("{} blanks", blanks.size()),
                     fmt::format("at most {}, a letter each", kMostBlanks));
  }
  std::sort(blanks.begin(), blanks.end());
  return blanks;
}

}  // namespace headscope
