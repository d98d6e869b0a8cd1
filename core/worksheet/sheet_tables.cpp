#include "core/worksheet/sheet_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/picture/palette.h"
#include "core/picture/text/text.h"

namespace headscope {

namespace {

constexpr int kCellWidth = 104, kCellHeight = 66, kTitleHeight = 44, kColumnsHeight = 40;
constexpr double kTitleSize = 27, kNameSize = 25, kNumberSize = 28, kLetterSize = 20;
// The widest names of rows and columns: twelve of the widest letters, and a position. What is wider still is cut.
constexpr int kWidestName = 330;

std::vector<std::string> indices(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) names.push_back(fmt::format("{}", k));
  return names;
}

class Tables {
 public:
  Tables(const WorksheetSpec& spec, const HandSheet& sheet)
      : spec_(spec), sheet_(sheet), words_(word_names(spec)), colors_(palette(Theme::light)) {}

  // Numbers that are given, with a row a word.
  SheetTable given(const std::string& title, Rgba color, const DecimalGrid& grid) const {
    SheetTable table{title, color, indices(grid.front().size()), words_, {}};
    for (const std::vector<Decimal>& row : grid) {
      table.cells.emplace_back();
      for (const Decimal number : row) table.cells.back().push_back({printed_text(number), 0});
    }
    return table;
  }

  // Numbers that are computed.
  SheetTable computed(const std::string& title, SheetStage stage, int head, std::vector<std::string> columns) const {
    SheetTable table{title, colors_.text, std::move(columns), words_, {}};
    for (int i = 0; i < spec_.length(); ++i) {
      table.cells.emplace_back();
      for (int j = 0; j < static_cast<int>(table.columns.size()); ++j) {
        table.cells.back().push_back(cell({stage, head, i, j}));
      }
    }
    return table;
  }

  TableCell cell(const SheetCell& at) const {
    if (at.stage == SheetStage::scores && is_hidden(spec_, at.row, at.column)) return {"−∞", 0};
    return {printed_text(sheet_.value(at)), sheet_.letter(at).value_or('\0')};
  }

  SheetTable powers(int head) const {
    SheetTable table = computed("e^score", SheetStage::exp, head, words_);
    table.columns.emplace_back("sum");
    for (int i = 0; i < spec_.length(); ++i) {
      table.cells[static_cast<std::size_t>(i)].push_back(cell({SheetStage::sum, head, i, 0}));
    }
    return table;
  }

 private:
  const WorksheetSpec& spec_;
  const HandSheet& sheet_;
  const std::vector<std::string> words_;
  const Palette& colors_;
};

int drawn_name_width(const std::string& name) {
  return std::min(static_cast<int>(std::ceil(drawn_width(name, FontRole::words, kNameSize))), kWidestName);
}

// Where each column begins, from the left edge of the table, and behind them where the last one ends. A column is as
// wide as its numbers or its name.
std::vector<int> column_edges(const SheetTable& table) {
  int names = 0;
  for (const std::string& name : table.rows) names = std::max(names, drawn_name_width(name));
  std::vector<int> edges = {names + 14};
  for (const std::string& name : table.columns) {
    edges.push_back(edges.back() + std::max(kCellWidth, drawn_name_width(name) + 8));
  }
  return edges;
}

}  // namespace

std::vector<SheetTable> head_tables(const WorksheetSpec& spec, const HandSheet& sheet, int head) {
  const Tables tables(spec, sheet);
  const std::vector<std::string> words = word_names(spec);
  const Palette& colors = palette(Theme::light);
  const SheetHead& of = sheet.heads[static_cast<std::size_t>(head)];
  return {tables.given("queries", colors.query, of.query),
          tables.given("keys", colors.key, of.key),
          tables.given("values", colors.value, of.value),
          tables.computed("query · key", SheetStage::raw_scores, head, words),
          tables.computed(fmt::format("scores: × {}", printed_text(sheet.scale)), SheetStage::scores, head, words),
          tables.powers(head),
          tables.computed("weights: e^score / sum", SheetStage::weights, head, words),
          tables.computed("context: weights · values", SheetStage::context, head, indices(of.value.front().size()))};
}

std::vector<SheetTable> output_tables(const WorksheetSpec& spec, const HandSheet& sheet) {
  const Tables tables(spec, sheet);
  SheetTable weights = tables.given("W", palette(Theme::light).text, sheet.output_weights);
  weights.rows = indices(sheet.output_weights.size());
  const auto columns = static_cast<std::size_t>(spec.d_model);
  return {weights, tables.computed(spec.heads > 1 ? "output: both contexts · W" : "output: context · W",
                                   SheetStage::output, 0, indices(columns))};
}

TableSize table_size(const SheetTable& table) {
  const int title = static_cast<int>(std::ceil(drawn_width(table.title, FontRole::words_bold, kTitleSize)));
  return {std::max(column_edges(table).back(), title),
          kTitleHeight + kColumnsHeight + kCellHeight * static_cast<int>(table.rows.size())};
}

void draw_table(SheetPaper& paper, const SheetTable& table, int x, bool solved) {
  const Palette& colors = palette(Theme::light);
  const std::vector<int> edges = column_edges(table);
  const auto wide = [&](std::size_t j) { return edges[j + 1] - edges[j]; };
  const int top = paper.y() + kTitleHeight + kColumnsHeight;
  paper.line(x, paper.y() + kTitleSize, table.title, {FontRole::words_bold, kTitleSize, table.color});
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const double middle = x + (edges[j] + edges[j + 1]) / 2.0;
    paper.line(middle, top - 12, fit_text(table.columns[j], FontRole::words, kNameSize, wide(j) - 6),
               {FontRole::words, kNameSize, colors.text2}, 0.5);
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const int y = top + kCellHeight * static_cast<int>(i);
    const double baseline = y + kCellHeight / 2.0 + font_metrics(FontRole::words, kNumberSize).cap_height / 2;
    paper.line(x + edges.front() - 10, baseline, fit_text(table.rows[i], FontRole::words, kNameSize, kWidestName),
               {FontRole::words, kNameSize, colors.text2}, 1);
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      const TableCell& cell = table.cells[i][j];
      const int left = x + edges[j];
      const bool blank = cell.letter != 0;
      if (!blank) paper.frame({left, y, wide(j) + 2, kCellHeight + 2, colors.line}, 2);
      if (blank && solved) {  // its letter stands in the upper left corner
        paper.line(left + wide(j) - 8, baseline + 4, cell.text, {FontRole::words_bold, kNumberSize, colors.accent}, 1);
      }
      if (!blank) {
        paper.line(left + wide(j) / 2.0, baseline, cell.text, {FontRole::words, kNumberSize, colors.text}, 0.5);
      }
    }
  }
  // The blanks lie over the thin lines of their neighbours.
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      const TableCell& cell = table.cells[i][j];
      if (cell.letter == 0) continue;
      const int left = x + edges[j], y = top + kCellHeight * static_cast<int>(i);
      paper.frame({left, y, wide(j) + 2, kCellHeight + 2, colors.text2}, 4);
      paper.line(left + 10, y + 23, std::string(1, cell.letter), {FontRole::words_bold, kLetterSize, colors.accent});
    }
  }
}

}  // namespace headscope
