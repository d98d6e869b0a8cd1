#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/request/number_edit.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kNumbersTitle = 32, kHead = 20, kNumbersRow = 18, kColumn = 66, kNames = 62, kBar = 10, kBelow = 8;
constexpr const char* kTip =
    "The numbers of this slice. Click one to pick it, twice to edit it, arrows move on; Shift and the wheel, or the "
    "bar above, go "
    "sideways.";

struct Table {
  Rect cells;        // of all rows, x of the visible columns
  float offset = 0;  // sideways, pixels
  float row = 0, column = 0;
};

void follow_cell(Ui& ui, const Cell& cell, float width) {
  double& offset = ui.state.panels.get<ScrollOffsets>().across["inspector/numbers"];
  const auto left = static_cast<double>(static_cast<float>(cell.column) * ui.px(kColumn));
  offset = std::min(left, std::max(offset, left + static_cast<double>(ui.px(kColumn) - width)));
}

// At most nine characters.
std::string inspected_number(float number) {
  const auto value = static_cast<double>(number);
  const double large = std::abs(value);
  if (large > 0 && large < 1e-3) return number_label(value, 2, true);
  return number_label(value, large >= 1e9 ? 2 : large >= 1e5 ? 0 : large >= 100 ? 2 : 4);
}

// Rows of a large context, concat or output that is computed when read cost more than a frame has.
bool reads_rows(const Inspected& inspected) {
  return inspected.score_like || inspected.matrix.stored() || !inspected.data.is_large(inspected.stage);
}

void draw_cells(Ui& ui, const Inspected& inspected, const Table& table, const Rect& visible) {
  const auto rows = inspected.matrix.dim(0);
  const auto columns = inspected.matrix.dim(1);
  const auto clamped = [](float at, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(at)), 0, count);
  };
  const std::int64_t row0 = clamped((visible.min.y - table.cells.min.y) / table.row, rows);
  const std::int64_t row1 = clamped((visible.max.y - table.cells.min.y) / table.row + 1, rows);
  const std::int64_t column0 = clamped(table.offset / table.column, columns);
  const std::int64_t column1 = clamped((table.offset + table.cells.width()) / table.column + 1, columns);
  if (row1 <= row0 || column1 <= column0) return;
  std::vector<float> values(static_cast<std::size_t>((row1 - row0) * (column1 - column0)));
  inspected.matrix.read(Region{{row0, row1}, {column0, column1}}, values);
  const std::shared_ptr<const Mask> mask = inspected.data.mask(inspected.stage);
  const std::optional<Cell>& picked = inspected.selection.cell;
  const Hover& hover = ui.state.hover;
  std::size_t at = 0;
  for (std::int64_t row = row0; row < row1; ++row) {
    const float y = table.cells.min.y + static_cast<float>(row) * table.row;
    const bool marked = picked ? picked->row == row : hover.query == row;
    text_in(ui, {{table.cells.min.x - ui.px(kNames), y}, {table.cells.min.x - ui.px(8), y + table.row}}, Type::mono11,
            marked ? ui.colors.query : ui.colors.text2,
            shortened_to(ui, Type::mono11, token_or_index(inspected.rows, row), ui.px(kNames) - ui.px(10)), 1);
    canvas().PushClipRect({table.cells.min.x, visible.min.y}, {table.cells.max.x, visible.max.y}, true);
    for (std::int64_t column = column0; column < column1; ++column) {
      const float value = values[at++];
      const float x = table.cells.min.x + static_cast<float>(column) * table.column - table.offset;
      const Rect cell{{x, y}, {x + table.column, y + table.row}};
      if (picked && picked->row == row && picked->column == column) fill(cell, ui.colors.tint);
      const bool covered = mask && mask->hidden.hidden(inspected.batch, inspected.slice, row, column);
      const Rgba ink = !std::isfinite(value) && !covered ? ui.colors.bad : covered ? ui.colors.text3 : ui.colors.text;
      text_in(ui, {cell.min, {cell.max.x - ui.px(6), cell.max.y}}, Type::mono11, ink, inspected_number(value), 1);
    }
    canvas().PopClipRect();
  }
}

void draw_column_heads(Ui& ui, const Inspected& inspected, const Table& table, const Rect& line) {
  canvas().PushClipRect(line.min, line.max, true);
  const auto columns = inspected.matrix.dim(1);
  const auto first = static_cast<std::int64_t>(std::floor(table.offset / table.column));
  const auto last =
      std::min<std::int64_t>(columns, static_cast<std::int64_t>((table.offset + line.width()) / table.column) + 1);
  for (std::int64_t column = std::max<std::int64_t>(0, first); column < last; ++column) {
    const float x = line.min.x + static_cast<float>(column) * table.column - table.offset;
    const bool marked = inspected.selection.cell && inspected.selection.cell->column == column;
    const std::string name =
        inspected.columns.empty() ? fmt::format("{}", column) : token_or_index(inspected.columns, column);
    text_in(ui, {{x, line.min.y}, {x + table.column - ui.px(6), line.max.y}}, Type::mono11,
            marked ? ui.colors.key : ui.colors.text3, shortened_to(ui, Type::mono11, name, table.column - ui.px(8)), 1);
  }
  canvas().PopClipRect();
}

// A click picks, two edit, arrows move on. `seen`: the cells in sight.
void read_cells(Ui& ui, const Inspected& inspected, const Table& table, const Rect& seen, const Rect& visible) {
  const Interaction mouse = interact_mouse(ui, "inspector/numbers/cells", seen, {true, false, kTip});
  std::optional<Cell>& cell = ui.session.view.cell;
  if (mouse.clicked) {
    const ImVec2 at = ImGui::GetIO().MousePos;
    const auto row = static_cast<std::int64_t>((at.y - table.cells.min.y) / table.row);
    const auto column = static_cast<std::int64_t>((at.x - table.cells.min.x + table.offset) / table.column);
    if (row < inspected.matrix.dim(0) && column < inspected.matrix.dim(1)) cell = Cell{row, column};
  }
  if (mouse.double_clicked && cell) {
    const float x = table.cells.min.x + static_cast<float>(cell->column) * table.column - table.offset;
    const float y = table.cells.min.y + static_cast<float>(cell->row) * table.row;
    edit_cell(ui, inspected.data.trace(), inspected.stage, {inspected.batch, inspected.slice, *cell},
              {{x, y}, {x + table.column, y + table.row}});
  }
  if (!mouse.focused) return;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    Cell next = inspected.selection.cell.value_or(Cell{-step->row, -step->column});
    next.row = std::clamp<std::int64_t>(next.row + step->row, 0, inspected.matrix.dim(0) - 1);
    next.column = std::clamp<std::int64_t>(next.column + step->column, 0, inspected.matrix.dim(1) - 1);
    cell = next;
    follow_cell(ui, next, table.cells.width());
    // The row stays in sight too.
    double& down = ui.state.panels.get<ScrollOffsets>().down["inspector"];
    const float y = table.cells.min.y + static_cast<float>(next.row) * table.row;
    if (y < visible.min.y) down -= static_cast<double>(visible.min.y - y);
    if (y + table.row > visible.max.y) down += static_cast<double>(y + table.row - visible.max.y);
  }
  if (ui.state.focus_by_keyboard) focus_ring(ui, inset(seen, ui.px(3)), ui.px(2));
}

}  // namespace

float numbers_height(Ui& ui, const Inspected& inspected) {
  if (!reads_rows(inspected)) return ui.px(kNumbersTitle) + ui.px(kNumbersRow) + ui.px(kBelow);
  return ui.px(kNumbersTitle) + ui.px(kBar) + ui.px(kHead) +
         static_cast<float>(inspected.matrix.dim(0)) * ui.px(kNumbersRow) + ui.px(kBelow);
}

void draw_numbers_table(Ui& ui, const Inspected& inspected, const Rect& area, const Rect& visible) {
  if (area.min.y >= visible.max.y || area.max.y <= visible.min.y) return;
  ui.mark("inspector/numbers", area);
  Rect title{area.min, {area.max.x, area.min.y + ui.px(kNumbersTitle)}};
  const Rect copy = take_right(title, ui.px(26), ui.px(6));
  section_title(ui, title, "Numbers", to_string(inspected.matrix.shape()));
  if (!reads_rows(inspected)) {
    text_in(ui, {{area.min.x, title.max.y}, {area.max.x, title.max.y + ui.px(kNumbersRow)}}, Type::words12,
            ui.colors.text2, "Computed on demand: zoom into the picture for single numbers.");
    return;
  }
  const float top = std::round(copy.center().y - ui.px(12));
  if (icon_button(ui, "inspector/numbers/copy", {{copy.min.x, top}, {copy.max.x, top + ui.px(24)}}, Icon::copy,
                  {true, false, "Copy all numbers of this slice: rows with tabs between."})) {
    copy_matrix(ui, inspected);
  }
  Table table;
  table.row = ui.px(kNumbersRow);
  table.column = ui.px(kColumn);
  const float left = area.min.x + ui.px(kNames);
  const Rect bar{{left, title.max.y}, {area.max.x, title.max.y + ui.px(kBar)}};
  const Rect heads{{left, bar.max.y}, {area.max.x, bar.max.y + ui.px(kHead)}};
  table.cells = {{left, heads.max.y},
                 {area.max.x, heads.max.y + static_cast<float>(inspected.matrix.dim(0)) * table.row}};
  const Rect over{{visible.min.x, std::max(visible.min.y, bar.min.y)}, visible.max};
  const float content = static_cast<float>(inspected.matrix.dim(1)) * table.column;
  table.offset = scroll_across(
      ui, "inspector/numbers",
      {.bar = bar, .over = over, .width = table.cells.width(), .content_width = content, .step = table.column});

  // Only the part in sight reacts: a row beneath the panel's edge is not there to be clicked.
  const Rect seen{{table.cells.min.x, std::max(table.cells.min.y, visible.min.y)},
                  {table.cells.max.x, std::min(table.cells.max.y, visible.max.y)}};
  if (seen.height() > 1) read_cells(ui, inspected, table, seen, visible);
  draw_column_heads(ui, inspected, table, heads);
  draw_cells(ui, inspected, table, visible);
}

}  // namespace headscope::ui
