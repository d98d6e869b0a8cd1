// One stage of up to three traces side by side: values in one range, what differs in its own, one line of numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "core/request/stage_info.h"

namespace headscope::ui {
namespace {

constexpr float kMapGap = 22, kColumnNames = 46;
constexpr std::size_t kDifference = 2;

bool has(const LabSides& sides, std::size_t side) {
  return sides.data[side] != nullptr && sides.data[side]->trace().find(sides.stage) != nullptr;
}

std::int64_t slice(const LabSides& sides, std::size_t side) {
  return slice_of_head(sides.data[side]->trace(), sides.stage, sides.head);
}

const Tensor& matrix(const LabSides& sides, std::size_t side) {
  return sides.data[side]->matrix(sides.stage, sides.batch, slice(sides, side));
}

void draw_bar(Ui& ui, Rect& rest, ColorMap map, const ValueRange& range) {
  const auto rounded = [](double value) { return std::abs(value) >= 0.01 ? std::round(value * 100) / 100 : value; };
  const auto label = [&](double value) {
    const double size = std::abs(value);
    if (size == 0 || size >= 0.01) return short_number(rounded(value));
    return size < 1e-3 ? number_label(value, 1, true) : number_label(value, 4);
  };
  const std::string low = label(range.low), high = range.low < 0 ? '+' + label(range.high) : label(range.high);
  const float low_width = std::ceil(text_width(ui, Type::mono11, low));
  const float high_width = std::ceil(text_width(ui, Type::mono11, high));
  const float room = rest.width() - low_width - high_width - ui.px(22);
  if (room < ui.px(20)) return;
  text_in(ui, take_right(rest, high_width + 1, ui.px(5)), Type::mono11, ui.colors.text2, high, 1);
  Rect bar = take_right(rest, std::min(room, ui.px(rest.width() > ui.px(220) ? 90 : 60)), ui.px(5));
  bar.min.y = std::round(bar.center().y - ui.px(5));
  bar.max.y = bar.min.y + ui.px(10);
  canvas().PushClipRect(bar.min, bar.max, true);
  color_bar(ui, bar, map, range, true);
  canvas().PopClipRect();
  text_in(ui, take_right(rest, low_width + 1, ui.px(8)), Type::mono11, ui.colors.text2, low, 1);
}

// One range for the first two; what differs has its own.
ValueRange range_in_lab(Ui& ui, const LabSides& sides, std::size_t side) {
  if (side == kDifference) {
    const double largest = std::isfinite(sides.largest) && sides.largest > 0 ? sides.largest : 1;
    return {sides.centred ? -largest : 0, largest, false, false};
  }
  std::optional<ValueRange> range;
  for (std::size_t each = 0; each < kDifference; ++each) {
    if (!has(sides, each)) continue;
    const ValueRange own = sides.data[each]->range(ui.session.view, sides.stage, sides.batch, slice(sides, each));
    if (!range) range = own;
    range->low = std::min(range->low, own.low);
    range->high = std::max(range->high, own.high);
  }
  return range.value_or(ValueRange{});
}

HeatmapView view_of(Ui& ui, const LabSides& sides, std::size_t side) {
  PanelData& data = *sides.data[side];
  const bool differs = side == kDifference;
  HeatmapView view;
  view.matrix = matrix(sides, side);
  // Where other code has a wrong number in a hidden cell, the number is shown.
  const bool shows_hidden = sides.marks != nullptr && side != 1 && sides.marks->hides;
  if (!shows_hidden && (!differs || sides.marks != nullptr)) view.mask = data.mask(sides.stage);
  view.batch = sides.batch;
  view.head = sides.head;
  view.weight_like = is_weight_like(sides.stage) && !differs;
  view.map = color_map_of(ui, view.weight_like || (differs && !sides.centred));
  view.range = range_in_lab(ui, sides, side);
  view.large = large_map_of(data, sides.stage, sides.batch, slice(sides, side), ui.session.view.pooling);
  return view;
}

CellGrid grid_of_values(Ui& ui, const LabSides& sides, const HeatmapView& view, ImVec2 at, float width, float height) {
  const std::int64_t rows = view.matrix.dim(0), columns = view.matrix.dim(1);
  const bool square = is_score_like(sides.stage);
  if (view.large) return fitted_map({at, width, height}, rows, columns, square);
  return square ? fitted_square(at, width, height, rows, columns)
                : fitted_oblong(at, width, height, rows, columns, ui.px(44));
}

// The cell of the largest difference, where its matrix is the one that is shown.
void draw_largest(Ui& ui, const LabSides& sides, const CellGrid& grid) {
  const Index& cell = sides.cell;
  if (cell.count < 3 || cell[0] != sides.batch || shown_by_heads(sides.stage) != sides.stage) return;
  if (cell.count == 4 && cell[1] != slice(sides, kDifference)) return;
  draw_pick_frame(ui, inset(grid.cell_rect(cell[cell.count - 2], cell[cell.count - 1]), -ui.px(1)), grid.area);
}

}  // namespace

std::vector<LabColumn> lab_columns(Ui& ui, const Rect& area, BugLabView::Shows shows) {
  if (shows == BugLabView::Shows::right) return {{0, area.min.x, area.max.x}};
  if (shows == BugLabView::Shows::wrong) return {{1, area.min.x, area.max.x}};
  const float width = std::floor((area.width() - 2 * ui.px(kMapGap)) / 3);
  std::vector<LabColumn> columns;
  float x = area.min.x;
  for (std::size_t side = 0; side < 3; ++side) {
    columns.push_back({side, x, x + width});
    x += width + ui.px(kMapGap);
  }
  return columns;
}

void draw_lab_title(Ui& ui, const Rect& line, const std::string& title, const std::string& fact) {
  Rect rest = line;
  text_in(ui, take_left(rest, std::ceil(text_width(ui, Type::title12, title)) + 1, ui.px(10)), Type::title12,
          ui.colors.text, title);
  if (rest.width() > ui.px(30)) {
    text_in(ui, rest, Type::words12, ui.colors.text2, given(shortened_to(ui, Type::words12, fact, rest.width())));
  }
}

void draw_lab_row_frame(Ui& ui, const CellGrid& grid, std::int64_t row) {
  if (row < 0 || row >= grid.rows) return;
  draw_pick_frame(ui, grid.row_rect(row), grid.area);
}

void draw_lab_values(Ui& ui, const LabSides& sides, const std::vector<LabColumn>& columns, const Rect& area) {
  const bool keys = is_score_like(sides.stage);
  const float above = ui.px(kLabTitle + (keys ? kColumnNames : 0));
  std::optional<Cell> hovered;
  CellGrid rows_of;
  PanelData* rows_data = nullptr;
  for (const LabColumn& column : columns) {
    Rect title{{column.left, area.min.y}, {column.right, area.min.y + ui.px(kLabTitle)}};
    if (!has(sides, column.side)) {
      draw_lab_title(ui, title, sides.titles[column.side], "has another shape here");
      continue;
    }
    PanelData& data = *sides.data[column.side];
    HeatmapView view = view_of(ui, sides, column.side);
    Rect beside = title;
    beside.min.x += std::ceil(text_width(ui, Type::title12, sides.titles[column.side])) + ui.px(8);
    draw_bar(ui, beside, view.map, view.range);
    draw_lab_title(ui, title, sides.titles[column.side], "");
    const CellGrid fitted = grid_of_values(ui, sides, view, {column.left, area.min.y + above},
                                           column.right - column.left, area.max.y - area.min.y - above);
    if (fitted.empty()) continue;
    const HeatmapInput input =
        heatmap_input(ui, fmt::format("bug_lab/values/{}", column.side), view, fitted, nullptr, nullptr);
    draw_heatmap_view(ui, view);
    if (input.hovered) hovered = input.hovered;
    if (sides.marks != nullptr) draw_lab_marks(ui, *sides.marks, view.grid.area);
    draw_lab_row_frame(ui, view.grid, ui.state.hover.query);
    if (column.side == kDifference && ui.state.hover.query < 0) draw_largest(ui, sides, view.grid);
    if (keys) {
      draw_column_labels(ui, {{column.left, title.max.y}, {view.grid.area.max.x, view.grid.area.min.y}}, view.grid,
                         data.columns(sides.stage), ui.state.hover.key, ui.colors.key);
    }
    if (rows_data == nullptr) {
      rows_of = view.grid;
      rows_data = &data;
    }
  }
  if (hovered) {
    ui.state.next_hover.query = hovered->row;
    (keys ? ui.state.next_hover.key : ui.state.next_hover.feature) = hovered->column;
  }
  if (rows_data == nullptr) return;
  const Rect gutter{{area.min.x - ui.px(kLabGutter - 6), rows_of.area.min.y},
                    {area.min.x - ui.px(8), rows_of.area.max.y}};
  draw_row_labels(ui, gutter, rows_of, rows_data->rows(sides.stage), ui.state.hover.query, ui.colors.query);
}

void draw_lab_readout(Ui& ui, const LabSides& sides, const Rect& line) {
  ui.mark("bug_lab/readout", line);
  const bool keys = is_score_like(sides.stage);
  const std::int64_t row = ui.state.hover.query, column = keys ? ui.state.hover.key : ui.state.hover.feature;
  const bool all = has(sides, 0) && has(sides, 1) && has(sides, 2);
  if (!all || row < 0 || column < 0 || row >= matrix(sides, 0).dim(0) || column >= matrix(sides, 0).dim(1)) {
    const std::string words =
        fmt::format("Point at a cell: {}, {} and {}.", sides.words[0], sides.words[1], sides.words[2]);
    return text_in(ui, line, Type::words12, ui.colors.text3, words);
  }
  PanelData& data = *sides.data[0];
  std::string words =
      fmt::format("{} · {}", token_or_index(data.rows(sides.stage), row),
                  keys ? token_or_index(data.columns(sides.stage), column) : fmt::format("feature {}", column));
  for (std::size_t side = 0; side < 3; ++side) {
    const auto value = static_cast<double>(matrix(sides, side).at({row, column}));
    words += fmt::format("   {} {}", sides.words[side], number_label(value, sides.centred ? 4 : 6, true));
  }
  text_in(ui, line, Type::mono12, ui.colors.text, words);
}

}  // namespace headscope::ui
