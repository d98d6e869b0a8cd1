// The picked head beside the grid: its whole map with tokens, numbers, colour bar and readout.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/axis_labels.h"
#include "app/ui/heatmap_view.h"
#include "app/ui/layers_panel.h"
#include "app/ui/shared_marks.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 62, kLabels = 62, kBar = 52, kReadout = 26;
constexpr const char* kName = "layers/picture";

// A map with its axes: what the detail and the aggregates draw.
struct Axes {
  const std::vector<std::string>& rows;
  const std::vector<std::string>& columns;
};

void draw_header(Ui& ui, const LayersShown& shown, const Rect& area) {
  const HeadLook* look = shown.head_look(shown.layer, shown.head);
  Rect all = area;
  Rect right = take_right(all, ui.px(size::panel_padding) + ui.px(104), 0);
  right.max.x -= ui.px(size::panel_padding);
  const std::string fact =
      look != nullptr ? "entropy " + number_label(look->metrics[HeadMetric::entropy].value, 2) + " bit" : "";
  panel_header(ui, all, fmt::format("Layer {}, head {}", shown.layer, shown.head), fact);
  const bool off = is_off(ui, shown.layer, shown.head);
  const float y = std::round(area.center().y - ui.px(12));
  if (button(ui, "layers/switch", {{right.min.x, y}, {right.max.x, y + ui.px(24)}},
             off ? "Switch on  X" : "Switch off  X",
             {true, false, "A head that is off adds nothing: its context is set to zero."})) {
    switch_head(ui, shown.layer, shown.head);
  }
}

void draw_readout(Ui& ui, const Rect& box, const Axes& axes, const Tensor& matrix, const std::optional<Cell>& cell,
                  const HeatmapView& view) {
  fill(box, ui.colors.well, ui.px(size::radius_field));
  outline(ui, box, ui.colors.line, 1, ui.px(size::radius_field));
  Rect rest{{box.min.x + ui.px(10), box.min.y}, {box.max.x - ui.px(8), box.max.y}};
  if (!cell || cell->column < 0 || cell->row >= matrix.dim(0) || cell->column >= matrix.dim(1)) {
    text_in(ui, rest, Type::words12, ui.colors.text3, "Point at a cell.");
    return;
  }
  const std::optional<double> value = cell_value(matrix, true, view.large ? &*view.large : nullptr, view.grid, *cell);
  const std::string number = value ? number_label(*value, 4) : "…";
  text_in(ui, take_right(rest, std::ceil(text_width(ui, Type::mono_bold12, number)) + 1, ui.px(18)), Type::mono_bold12,
          ui.colors.text, number, 1);
  const std::string where = fmt::format("query {} · key {}", cell->row, cell->column);
  text_in(ui, take_right(rest, std::ceil(text_width(ui, Type::words12, where)) + 1, ui.px(10)), Type::words12,
          ui.colors.text2, where, 1);
  const auto token = [&](const std::string& name, Rgba color) {
    const std::string words = shortened(ui, Type::mono12, name, rest.width());
    if (rest.width() <= ui.px(8)) return;
    text_in(ui, take_left(rest, std::ceil(text_width(ui, Type::mono12, words)) + 1, ui.px(10)), Type::mono12, color,
            words);
  };
  token(token_or_index(axes.rows, cell->row), ui.colors.query);
  token("→", ui.colors.text3);
  token(token_or_index(axes.columns, cell->column), ui.colors.key);
}

// The map of `view` with everything around it in `area`; returns the y below the readout. `picked`: cells of it can be
// picked, as those of the trace's own matrices.
float draw_map_with_axes(Ui& ui, HeatmapView& view, const Axes& axes, const Rect& area, float most_height,
                         bool picked) {
  const std::int64_t rows = view.matrix.dim(0), columns = view.matrix.dim(1);
  const float left = area.min.x + ui.px(14) + ui.px(kGutter), top = area.min.y + ui.px(kLabels);
  const float width = area.max.x - ui.px(kBar) - left;
  const float room = std::max(ui.px(60), most_height - ui.px(kLabels) - ui.px(kReadout + 16));
  const CellGrid fitted = view.large ? fitted_map({left, top}, width, room, rows, columns, true)
                                     : fitted_square({left, top}, width, room, rows, columns);
  if (fitted.empty()) return top;
  std::optional<Cell>& cell = ui.session.view.cell;
  std::optional<Cell> none;
  const HeatmapInput input = heatmap_input(ui, kName, view, fitted, nullptr, picked ? &cell : &none);
  if (input.clicked && picked) cell = input.clicked;
  draw_heatmap_view(ui, view);
  const std::optional<Cell> at = input.hovered ? input.hovered : picked ? cell : std::nullopt;
  const bool inside = at && at->column >= 0 && at->row < rows && at->column < columns;
  if (input.hovered && picked) {
    ui.state.next_hover.query = input.hovered->row;
    ui.state.next_hover.key = input.hovered->column;
  }
  if (inside) draw_crosshair(ui, view.grid, at->row, at->column);
  if (picked && cell && cell->column >= 0 && cell->row < rows && cell->column < columns) {
    draw_pick_frame(ui, view.grid.cell_rect(cell->row, cell->column), view.grid.area);
  }
  const Rect gutter{{area.min.x + ui.px(4), fitted.area.min.y}, {left - ui.px(8), fitted.area.max.y}};
  draw_row_labels(ui, gutter, view.grid, axes.rows, inside ? at->row : -1, ui.colors.query);
  draw_column_labels(ui, {{left, area.min.y}, {fitted.area.max.x, top}}, view.grid, axes.columns,
                     inside ? at->column : -1, ui.colors.key);
  text_in(ui, {{gutter.min.x, top - ui.px(30)}, {gutter.max.x, top - ui.px(14)}}, Type::words11, ui.colors.query,
          "query ↓", 1);
  text_in(ui, {{gutter.min.x, top - ui.px(15)}, {gutter.max.x, top + ui.px(1)}}, Type::words11, ui.colors.key, "key →",
          1);
  const float bar = fitted.area.max.x + ui.px(12);
  color_bar(ui, {{bar, top}, {bar + ui.px(10), std::max(fitted.area.max.y, top + ui.px(24))}}, view.map, view.range,
            false);
  const float y = fitted.area.max.y + ui.px(8);
  const Rect box{{area.min.x + ui.px(14), y}, {area.max.x - ui.px(14), y + ui.px(kReadout)}};
  draw_readout(ui, box, axes, view.matrix, at, view);
  ui.mark("layers/readout", box);
  return box.max.y + ui.px(8);
}

}  // namespace

float draw_layers_detail(Ui& ui, const LayersShown& shown, const Rect& area, float below) {
  draw_header(ui, shown, {area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}});
  const Rect body{{area.min.x, area.min.y + ui.px(size::panel_header)}, area.max};
  const float most = std::max(ui.px(220), body.height() - below);
  HeatmapView view;
  view.map = shown.map;
  view.range = {0, shown.largest, ui.session.view.log_scale, false};
  if (shown.look.picked) {
    view.matrix = shown.look.picked->matrix;
    if (view.matrix.empty()) {
      text_in(ui, inset(body, ui.px(14)), Type::words12, ui.colors.text3, "Every column is hidden.");
      return body.min.y + ui.px(40);
    }
    view.mask = shown.look.picked->mask;
    const bool own_cells = !ui.session.view.layers.tokens.changes_something();
    return draw_map_with_axes(ui, view, {shown.look.groups->row_labels, shown.look.groups->column_labels}, body, most,
                              own_cells);
  }
  PanelData& data = shown.data;
  view.matrix = data.matrix(StageId::weights, shown.batch, shown.head);
  view.mask = data.mask(StageId::weights);
  view.batch = shown.batch;
  view.head = shown.head;
  if (data.is_large(StageId::weights)) {
    view.large = LargeMap{data.map_key(StageId::weights, shown.batch, shown.head),
                          data.map_source(StageId::weights, shown.batch, shown.head),
                          ui.session.view.pooling,
                          nullptr,
                          nullptr,
                          "",
                          false};
  }
  return draw_map_with_axes(ui, view, {data.rows(StageId::weights), data.columns(StageId::weights)}, body, most, true);
}

void draw_layers_aggregate(Ui& ui, const LayersShown& shown, const Rect& area) {
  const auto& look = shown.look.aggregate;
  const Aggregate aggregate = *ui.session.view.layers.aggregate;
  const float padding = ui.px(14);
  Rect rest{{area.min.x, area.min.y + ui.px(10)}, area.max};
  const Rect words{{rest.min.x + padding, rest.min.y}, {rest.max.x - padding, rest.min.y}};
  rest.min.y += paragraph(ui, words, Type::words12, ui.colors.text2, aggregate_formula(aggregate)) + ui.px(4);
  const std::string tokens = token_view_sentence(ui.session.view.layers.tokens);
  if (!tokens.empty()) {
    const Rect line{{words.min.x, rest.min.y}, {words.max.x, rest.min.y}};
    rest.min.y += paragraph(ui, line, Type::words11, ui.colors.text3, tokens) + ui.px(2);
  }
  ui.mark("layers/aggregate_map", rest);
  if (!look || !look->failure.empty() || look->matrix.empty()) {
    const Rect line{{words.min.x, rest.min.y + ui.px(10)}, {words.max.x, rest.min.y + ui.px(10)}};
    const std::string why = !look ? "Computing …" : look->failure.empty() ? "Every column is hidden." : look->failure;
    paragraph(ui, line, Type::words12, look && !look->failure.empty() ? ui.colors.text : ui.colors.text3, why);
    ui.mark("layers/aggregate_failure", rest);
    return;
  }
  HeatmapView view;
  view.matrix = look->matrix;
  view.map = shown.map;
  view.range = {0, 1, ui.session.view.log_scale, false};
  draw_map_with_axes(ui, view, {shown.look.groups->row_labels, shown.look.groups->column_labels}, rest, rest.height(),
                     false);
}

}  // namespace headscope::ui
