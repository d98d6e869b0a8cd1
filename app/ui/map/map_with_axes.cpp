#include "app/ui/map/map_with_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 62, kLabels = 62, kFlatLabels = 24, kBeforeBar = 12, kBehindBar = 10;

}  // namespace

Rect readout_line(Ui& ui, const Rect& box, bool points) {
  fill(box, ui.colors.well, ui.px(size::radius_field));
  outline(ui, box, ui.colors.line, 1, ui.px(size::radius_field));
  const Rect line{{box.min.x + ui.px(10), box.min.y}, {box.max.x - ui.px(8), box.max.y}};
  if (!points) text_in(ui, line, Type::words12, ui.colors.text3, "Point at a cell.");
  return line;
}

void draw_map_readout(Ui& ui, const Rect& box, const MapAxes& axes, const std::optional<Cell>& at,
                      const std::string& numbers) {
  Rect rest = readout_line(ui, box, at.has_value());
  if (!at) return;
  const auto at_right = [&](Type type, Rgba color, const std::string& words, float gap) {
    text_in(ui, take_right(rest, std::ceil(text_width(ui, type, words)) + 1, ui.px(gap)), type, color, words, 1);
  };
  at_right(Type::mono_bold12, ui.colors.text, numbers, 18);
  at_right(Type::words12, ui.colors.text2,
           axes.keys ? fmt::format("query {} · key {}", grouped_digits(at->row), grouped_digits(at->column))
                     : fmt::format("position {} · feature {}", grouped_digits(at->row), grouped_digits(at->column)),
           10);
  const auto token = [&](const std::string& name, Rgba color) {
    const std::string words = shortened_to(ui, Type::mono12, name, rest.width());
    if (rest.width() <= ui.px(8)) return;
    text_in(ui, take_left(rest, std::ceil(text_width(ui, Type::mono12, words)) + 1, ui.px(10)), Type::mono12, color,
            words);
  };
  token(token_or_index(axes.rows, at->row), ui.colors.query);
  if (!axes.keys) return;
  token("→", ui.colors.text3);
  token(token_or_index(axes.columns, at->column), ui.colors.key);
}

DrawnMap draw_map_with_axes(Ui& ui, const std::string& name, HeatmapView& view, const MapAxes& axes,
                            const MapPlace& place, const MapCells& cells) {
  const Rect& area = place.area;
  const bool picked = cells.picked || cells.own != nullptr;
  const std::int64_t rows = view.matrix.dim(0), columns = view.matrix.dim(1);
  const float left = area.min.x + ui.px(14) + std::max(axes.margins.left, ui.px(kGutter));
  const float width =
      area.max.x - ui.px(kBeforeBar + kBehindBar) - std::max(axes.margins.bar, color_bar_width(ui, view.range)) - left;
  const auto fit = [&](float labels) {
    const ImVec2 corner{left, area.min.y + labels};
    const float room = std::max(ui.px(60), place.most_height - labels);
    if (view.large) return fitted_map({corner, width, room}, rows, columns, axes.keys);
    const std::int64_t most_rows = std::max(rows, axes.margins.rows);
    const std::int64_t most_columns = std::max(columns, axes.margins.columns);
    const CellGrid most = axes.keys ? fitted_square(corner, width, room, most_rows, most_columns)
                                    : fitted_oblong(corner, width, room, most_rows, most_columns, ui.px(26));
    return first_cells(most, rows, columns);
  };
  CellGrid fitted = fit(axes.keys ? std::max(axes.margins.above, ui.px(kLabels)) : ui.px(kFlatLabels));
  // Columns too narrow for words are named by numbers, which lie flat.
  if (axes.keys && fitted.cell_width < ui.px(11)) fitted = fit(ui.px(kFlatLabels + 10));
  const float top = fitted.area.min.y;
  if (fitted.empty()) return {top, std::nullopt};
  std::optional<Cell>& cell = cells.own != nullptr ? *cells.own : ui.session.view.cell;
  std::optional<Cell> none;
  const HeatmapInput input = heatmap_input(ui, name, view, fitted, nullptr, picked ? &cell : &none);
  if (input.clicked && picked) cell = input.clicked;
  draw_heatmap_view(ui, view);
  const auto inside = [&](const std::optional<Cell>& at) {
    return at && 0 <= at->row && at->row < rows && 0 <= at->column && at->column < columns;
  };
  std::optional<Cell> at = input.hovered ? input.hovered : cells.marked ? cells.marked : picked ? cell : std::nullopt;
  const Cell named = at && at->row < rows && at->column < columns ? *at : Cell{-1, -1};
  if (!inside(at)) at.reset();
  if (input.hovered && cells.picked) {
    ui.state.next_hover.query = input.hovered->row;
    (axes.keys ? ui.state.next_hover.key : ui.state.next_hover.feature) = input.hovered->column;
  }
  draw_crosshair(ui, view.grid, named.row, named.column);
  if (picked && inside(cell)) {
    draw_pick_frame(ui, view.grid.cell_rect(cell->row, cell->column), view.grid.area);
  }
  const Rect gutter{{area.min.x + ui.px(4), fitted.area.min.y}, {left - ui.px(8), fitted.area.max.y}};
  draw_row_labels(ui, gutter, view.grid, axes.rows, named.row, ui.colors.query);
  draw_column_labels(ui, {{left, area.min.y}, {fitted.area.max.x, top}}, view.grid, axes.columns, named.column,
                     axes.keys ? ui.colors.key : ui.colors.text);
  if (axes.keys) {
    text_in(ui, {{gutter.min.x, top - ui.px(30)}, {gutter.max.x, top - ui.px(14)}}, Type::words11, ui.colors.query,
            "query ↓", 1);
    text_in(ui, {{gutter.min.x, top - ui.px(15)}, {gutter.max.x, top + ui.px(1)}}, Type::words11, ui.colors.key,
            "key →", 1);
  }
  const float bar = fitted.area.max.x + ui.px(kBeforeBar);
  color_bar(ui, {{bar, top}, {bar + ui.px(10), std::max(fitted.area.max.y, top + ui.px(24))}}, view.map, view.range,
            false);
  ui.mark(name + "/color_bar", {{bar, top}, {bar + color_bar_width(ui, view.range), fitted.area.max.y}});
  return {fitted.area.max.y, at};
}

}  // namespace headscope::ui
