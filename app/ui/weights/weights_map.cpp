#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_with_axes.h"
#include "app/ui/panel_data.h"
#include "app/ui/request/number_edit.h"
#include "app/ui/shortcuts.h"
#include "app/ui/stage_facts.h"
#include "app/ui/weights/weights_panel.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/explain/weight_cells.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 56, kLabels = 26, kBar = 70, kReadout = 26, kBelow = 64;
constexpr std::int64_t kMostCopied = std::int64_t{4} << 20;  // numbers of a matrix on the clipboard

bool is_inside(const WeightsData& data, const std::optional<Cell>& cell) {
  return cell && 0 <= cell->row && cell->row < data.matrix.dim(0) && 0 <= cell->column &&
         cell->column < data.matrix.dim(1);
}

HeatmapView view_of(Ui& ui, const WeightsData& data) {
  HeatmapView view;
  view.matrix = data.matrix;
  view.weight_like = false;
  view.map = color_map_of(ui, false);
  view.range = data.range;
  if (!data.large) return view;
  const MapKey key{data.version, StageId::input, 0, 0};
  LargeMap& large = view.large.emplace();
  large.key = key;
  large.source.matrix = data.matrix;
  large.pooling = ui.session.view.pooling;
  // Of what its pictures have shown so far.
  if (const auto seen = ui.session.background.maps.last_whole(key, data.matrix, view.large->pooling)) {
    const double largest = std::max(std::abs(seen->low), std::abs(seen->high));
    if (seen->low <= seen->high && largest > 0) view.range = {-largest, largest, false, false};
  }
  return view;
}

std::string place_name(const WeightsData& data, Cell cell) {
  const Index index = data.index_of(cell);
  return fmt::format("{}[{}]", data.tensor().name, fmt::join(index, ", "));
}

void edit(Ui& ui, const WeightsData& data, Cell cell, const Rect& anchor) {
  NumberEdit place;
  place.tensor = data.tensor().name;
  for (const std::int64_t at : data.index_of(cell)) place.index.push_back(at);
  if (data.trace->model != nullptr) place.layer = data.trace->inputs->layer;
  edit_number(ui, place, static_cast<double>(data.matrix.at({cell.row, cell.column})), anchor);
}

std::string row_text(const Tensor& matrix, std::int64_t row) {
  std::string text = std::to_string(row);
  std::vector<float> values(static_cast<std::size_t>(matrix.dim(1)));
  matrix.read({{row, row + 1}, {0, matrix.dim(1)}}, values);
  for (const float value : values) text += '\t' + float_text(value);
  return text + '\n';
}

std::string heading_text(const Tensor& matrix) {
  std::string text = "row\\column";
  for (std::int64_t j = 0; j < matrix.dim(1); ++j) text += '\t' + std::to_string(j);
  return text + '\n';
}

// What Ctrl+C takes: the cell under the mouse, or the picked one after a key.
void offer_text(Ui& ui, const WeightsData& data, Cell cell, bool by_key) {
  const Tensor& matrix = data.matrix;
  const auto row = [matrix, cell] { return heading_text(matrix) + row_text(matrix, cell.row); };
  const auto all = [matrix] {
    if (matrix.size() > kMostCopied) return std::string();
    std::string text = heading_text(matrix);
    for (std::int64_t i = 0; i < matrix.dim(0); ++i) text += row_text(matrix, i);
    return text;
  };
  explain_state(ui).next_pointed = PointedText{float_text(matrix.at({cell.row, cell.column})), row, all, by_key};
}

// The tensor's own name of the cell, what it does, what it was before an edit, its number.
void draw_readout(Ui& ui, const WeightsData& data, const std::optional<Cell>& at, const Rect& box) {
  ui.mark("weights/readout", box);
  Rect rest = readout_line(ui, box, at.has_value());
  if (!at) return;
  const Index index = data.index_of(*at);
  const std::string number = number_label(static_cast<double>(data.matrix.at({at->row, at->column})), 4, true);
  text_in(ui, take_right(rest, std::ceil(text_width(ui, Type::mono_bold12, number)) + 1, ui.px(14)), Type::mono_bold12,
          ui.colors.text, number, 1);
  for (const NumberEdit& each : data.edits(data.tensor().name)) {
    const bool here = std::equal(each.index.begin(), each.index.end(), index.begin(), index.end());
    if (!here || data.unedited.size() <= data.at) continue;
    const double was = static_cast<double>(data.unedited[data.at].tensor.at(index));
    const std::string words = "edited, was " + number_label(was, 4, true);
    text_in(ui, take_right(rest, std::ceil(text_width(ui, Type::words12, words)) + 1, ui.px(14)), Type::words12,
            ui.colors.text2, words, 1);
    ui.mark("weights/" + words, box);
  }
  const std::string name = place_name(data, *at);
  text_in(ui, take_left(rest, std::ceil(text_width(ui, Type::mono12, name)) + 1, ui.px(14)), Type::mono12,
          ui.colors.text, name);
  text_in(ui, rest, Type::words12, ui.colors.text2, weight_meaning(*data.trace, data.tensor().name, index));
}

// What a pixel shows, and how to zoom in.
void draw_legend(Ui& ui, const HeatmapView& view, const Rect& line) {
  Rect rest = line;
  std::string words;
  if (view.large) {
    int pooling = static_cast<int>(ui.session.view.pooling);
    const ControlState state{true, false,
                             "What a pixel over many numbers shows: the one of the largest absolute value, or their "
                             "mean."};
    if (segments(ui, "weights/pooling", take_right(rest, ui.px(108), ui.px(10)), {"max", "mean"}, pooling, state)) {
      ui.session.view.pooling = pooling == 0 ? Pooling::max : Pooling::mean;
    }
    words = view.large->failure.empty() ? map_sentence(*view.large, view.grid) : view.large->failure;
  } else {
    words = pixel_holds(static_cast<std::int64_t>(std::ceil(view.grid.visible_rows())),
                        static_cast<std::int64_t>(std::ceil(view.grid.visible_columns())), view.grid.area.width(),
                        view.grid.area.height(), "values, by size");
  }
  const std::string hint = "A double click edits a number. The wheel zooms, dragging pans, Home fits.";
  text_in(ui, rest, Type::words11, ui.colors.text3, words.empty() ? hint : words + "  " + hint);
}

}  // namespace

void draw_weights_map(Ui& ui, WeightsData& data, const Rect& area) {
  WeightsView& seen = ui.session.view.weights;
  HeatmapView view = view_of(ui, data);
  const std::int64_t rows = data.matrix.dim(0), columns = data.matrix.dim(1);
  const ImVec2 corner{area.min.x + ui.px(kGutter), area.min.y + ui.px(kLabels)};
  const float width = area.max.x - ui.px(kBar) - corner.x;
  const float height = std::max(ui.px(80), area.max.y - ui.px(kBelow) - corner.y);
  const CellGrid fitted = data.large ? fitted_map({corner, width, height}, rows, columns, false)
                                     : fitted_oblong(corner, width, height, rows, columns, ui.px(26));
  if (fitted.empty()) return;
  if (!is_inside(data, seen.cell)) seen.cell.reset();
  // A jump asks for its cell in the middle, as large as its number needs.
  bool& jumped = ui.state.panels.get<WeightsJump>().wanted;
  if (jumped && seen.cell) {
    const double cell = static_cast<double>(ui.px(28));
    const double high = static_cast<double>(fitted.area.height()) / cell;
    const double wide = static_cast<double>(fitted.area.width()) / cell;
    const Viewport near{static_cast<double>(seen.cell->row) - high / 2,
                        static_cast<double>(seen.cell->column) - wide / 2, high, wide};
    seen.viewport = fitted.cell_width < cell ? showing(fitted, near, *seen.cell) : Viewport{};
  }
  jumped = false;
  const HeatmapInput input = heatmap_input(ui, kWeightsPicture, view, fitted, &seen.viewport, &seen.cell);
  if (input.clicked) seen.cell = input.clicked;
  const CellGrid& grid = view.grid;
  if (input.double_clicked && input.hovered) {
    edit(ui, data, *input.hovered, grid.cell_rect(input.hovered->row, input.hovered->column));
  } else if (input.focused && seen.cell && ui.take_key(KeyName::enter)) {
    edit(ui, data, *seen.cell, grid.cell_rect(seen.cell->row, seen.cell->column));
  }
  draw_heatmap_view(ui, view);
  for (const NumberEdit& each : data.edits(data.tensor().name)) {
    const std::size_t last = each.index.size() - 1;
    draw_edited_corner(ui, {last > 0 ? each.index[last - 1] : 0, each.index[last]}, grid);
  }
  const std::optional<Cell> at = input.hovered ? input.hovered : seen.cell;
  if (at) draw_crosshair(ui, grid, at->row, at->column);
  if (seen.cell) {
    const Range shown_rows = grid.row_range(), shown_columns = grid.column_range();
    const bool visible = shown_rows.begin <= seen.cell->row && seen.cell->row < shown_rows.end &&
                         shown_columns.begin <= seen.cell->column && seen.cell->column < shown_columns.end;
    if (visible) draw_pick_frame(ui, grid.cell_rect(seen.cell->row, seen.cell->column), grid.area);
  }
  if (input.focused && ui.state.focus_by_keyboard) focus_ring(ui, grid.area, ui.px(2));
  draw_row_labels(ui, {{area.min.x, corner.y}, {corner.x - ui.px(8), grid.area.max.y}}, grid, {}, at ? at->row : -1,
                  ui.colors.text);
  draw_column_labels(ui, {{corner.x, area.min.y}, {grid.area.max.x, corner.y}}, grid, {}, at ? at->column : -1,
                     ui.colors.text);
  const float bar = grid.area.max.x + ui.px(12);
  color_bar(ui, {{bar, corner.y}, {bar + ui.px(10), std::max(grid.area.max.y, corner.y + ui.px(24))}}, view.map,
            view.range, false);
  if (at) offer_text(ui, data, *at, !input.hovered);
  const float y = std::max(grid.area.max.y, corner.y + ui.px(24)) + ui.px(8);
  draw_readout(ui, data, at, {{area.min.x, y}, {area.max.x, y + ui.px(kReadout)}});
  const float below = y + ui.px(kReadout + 4);
  draw_legend(ui, view, {{area.min.x, below}, {area.max.x, below + ui.px(size::control_height)}});
}

}  // namespace headscope::ui
