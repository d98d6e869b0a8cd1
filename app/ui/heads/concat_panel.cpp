// Concat and output: their pictures, a band for each head, mouse and keys.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/heads/concat_header.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/map/concat_grid.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/map/provenance_view.h"
#include "app/ui/panel_data.h"
#include "app/ui/panels.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/operation_text.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 62, kAbove = 24, kReport = 22, kBottom = 2;

// "head 2  16–23" over each band, and its 3 px line.
void draw_bands(Ui& ui, const ConcatPanel& panel, const ConcatGrid& grid) {
  const float number = text_width(ui, Type::title12, fmt::format("{}", grid.bands.size())) + ui.px(6);
  const float pitch = std::max(1.0f, grid.area.width() / static_cast<float>(grid.bands.size()));
  std::int64_t step = 1;
  while (static_cast<float>(step) * pitch < number) step *= 2;
  for (std::size_t band = 0; band < grid.bands.size(); ++band) {
    const auto head = static_cast<std::int64_t>(band);
    const Rect& area = grid.bands[band].area;
    fill({{area.min.x, area.min.y - ui.px(6)}, {area.max.x, area.min.y - ui.px(3)}}, head_color(head));
    const bool selected = head == panel.selection.head;
    const std::string features = fmt::format("{}–{}", head * grid.band_features, (head + 1) * grid.band_features - 1);
    const Type type = selected ? Type::title12 : Type::words12;
    const Rect words{{area.min.x, area.min.y - ui.px(24)}, {area.max.x, area.min.y - ui.px(7)}};
    std::string label = fmt::format("head {}", head);
    float width = std::ceil(text_width(ui, type, label));
    if (width > words.width()) {
      // Narrow bands are numbered, as many as have room.
      if (head % step != 0 && !selected) continue;
      label = fmt::format("{}", head);
      width = std::ceil(text_width(ui, type, label));
    }
    text_in(ui, {words.min, {words.min.x + width + 1, words.max.y}}, type, selected ? ui.colors.text : ui.colors.text2,
            label);
    const float from = words.min.x + width + ui.px(6);
    if (from + text_width(ui, Type::mono11, features) <= words.max.x) {
      text_in(ui, {{from, words.min.y}, words.max}, Type::mono11, ui.colors.text3, features);
    }
  }
}

void pick(Ui& ui, const ConcatPanel& panel, StageId stage, Cell cell) {
  ViewState& view = ui.session.view;
  select_stage(view, stage);
  view.cell = cell;
  if (stage == StageId::concat) {
    const Trace& trace = panel.data.trace();
    view.head = provenance_of(trace.request.merge, trace.num_heads(), trace.query_len(), trace.inputs->value_head_dim,
                              cell.row, cell.column)
                    .head;
  }
}

void read_input(Ui& ui, ConcatPanel& panel, StageId stage, const ConcatGrid& grid, const Tensor& matrix) {
  const Trace& trace = panel.data.trace();
  const std::string name = stage == StageId::concat ? "concat/picture" : "concat/output_picture";
  const Interaction mouse = interact_mouse(ui, name, grid.area, {});
  if (mouse.hovered) {
    if (const std::optional<Cell> cell = grid.cell_at(ImGui::GetIO().MousePos)) {
      ui.state.next_hover.query = cell->row;
      ui.state.next_hover.feature = cell->column;
      ui.state.next_hover.cell = place_of(trace, stage, panel.selection.batch, 0, *cell);
      std::string from;
      if (stage == StageId::concat) {
        const Provenance source = provenance_of(trace.request.merge, trace.num_heads(), trace.query_len(),
                                                trace.inputs->value_head_dim, cell->row, cell->column);
        ui.state.next_hover.head = source.head;
        from = panel.direct ? fmt::format(", from head {} token {}", source.head, source.position)
                            : fmt::format(", head {}", source.head);
      }
      panel.hovered =
          fmt::format("{}, feature {}{}", token_or_index(panel.data.rows(stage), cell->row), cell->column, from);
      // A cell that is computed when read needs the attention of its row in every head.
      if (matrix.stored()) {
        panel.hovered += ": " + number_label(static_cast<double>(matrix.at({cell->row, cell->column})), 4, true);
      }
      if (mouse.clicked) pick(ui, panel, stage, *cell);
    }
  }
  if (!mouse.focused) return;
  if (ui.state.focus_by_keyboard) focus_ring(ui, grid.area, ui.px(2));
  if (const std::optional<Cell> step = take_arrow(ui)) {
    Cell cell{0, 0};
    if (panel.selection.cell) {
      cell.row = std::min(panel.selection.cell->row, matrix.dim(0) - 1);
      if (panel.selection.stage == stage) {
        cell.row = std::clamp<std::int64_t>(cell.row + step->row, 0, matrix.dim(0) - 1);
        cell.column = std::clamp<std::int64_t>(panel.selection.cell->column + step->column, 0, matrix.dim(1) - 1);
      }
    }
    pick(ui, panel, stage, cell);
  }
}

void draw_selection(Ui& ui, const ConcatPanel& panel, StageId stage, const ConcatGrid& grid) {
  const std::optional<CellPlace> own = linked_cell(ui, panel.data.trace());
  for (const CellRange& range :
       ranges_in(linked_now(ui, panel.data), panel.data.trace(), stage, panel.selection.batch, 0)) {
    const bool is_own = own && own->stage == stage;
    if (is_own || range.rows.size() != 1 || grid.bands.front().cell_height < 3) continue;
    const std::int64_t row = range.rows.begin, from = range.columns.begin, to = range.columns.end;
    draw_linked_range(ui, stage, range,
                      {grid.features_rect(row, from, from + 1).min, grid.features_rect(row, to - 1, to).max});
  }
  if (!panel.selection.cell) return;
  const Cell cell = *panel.selection.cell;
  const std::int64_t rows = grid.bands.empty() ? 0 : grid.bands.front().rows;
  if (cell.row >= rows) return;
  if (panel.selection.stage == stage) {
    const Rect frame = grid.features_rect(cell.row, cell.column, cell.column + 1);
    if (stage == StageId::concat) ui.mark("concat/cell", frame);
    draw_pick_frame(ui, frame, grid.area);
  }
}

// The picture of all of a matrix of very many rows: pixels of several rows and of one feature each.
LargeMap large_of(Ui& ui, ConcatPanel& panel, StageId stage, const ConcatGrid& grid) {
  const std::int64_t batch = panel.selection.batch;
  LargeMap map{panel.data.map_key(stage, batch, 0),
               panel.data.map_source(stage, batch, 0),
               ui.session.view.pooling,
               nullptr,
               nullptr,
               ""};
  CellGrid pixels = grid.bands.front();
  pixels.cell_width = 1;
  pixels.cell_height = 1 / static_cast<double>(cells_a_pixel(pixels.rows, static_cast<double>(grid.area.height())));
  look_at_map(ui, map, pixels, pixels, 4);
  return map;
}

// One matrix: bands for concat of correctly merged heads, else one picture.
void draw_matrix(Ui& ui, ConcatPanel& panel, StageId stage, const Rect& area, bool named) {
  const Trace& trace = panel.data.trace();
  const Tensor& matrix = panel.data.matrix(stage, panel.selection.batch, 0);
  const bool banded = stage == StageId::concat && !panel.direct;
  const ConcatGrid grid =
      concat_grid({{area.min.x, area.min.y + ui.px(kAbove)}, area.width(), area.height() - ui.px(kAbove)},
                  matrix.dim(0), matrix.dim(1), banded ? trace.num_heads() : 1, ui.scale);
  if (grid.bands.empty()) return;
  const bool in_bands = banded && (grid.bands.size() > 1 || trace.num_heads() == 1);
  const bool provenance = stage == StageId::concat && panel.provenance;
  read_input(ui, panel, stage, grid, matrix);
  HeatmapView view;
  view.map = color_map_of(ui, false);
  view.range = panel.data.range(ui.session.view, stage, panel.selection.batch, 0);
  view.weight_like = false;
  if (panel.data.is_large(stage)) view.large = large_of(ui, panel, stage, grid);
  for (std::size_t band = 0; band < grid.bands.size(); ++band) {
    view.grid = grid.bands[band];
    const std::int64_t from = static_cast<std::int64_t>(band) * grid.band_features;
    if (provenance) {
      draw_provenance(ui, panel.data, "concat", view.grid, from);
      continue;
    }
    if (view.large) {
      // All bands show the same picture, each its own columns.
      view.grid.columns = matrix.dim(1);
      view.grid.column0 = static_cast<double>(from);
      draw_heatmap_view(ui, view);
      continue;
    }
    view.matrix = grid.bands.size() == 1 ? matrix : matrix.sliced(1, from, from + grid.band_features);
    draw_heatmap_view(ui, view);
  }
  if (in_bands) {
    draw_bands(ui, panel, grid);
  } else {
    const std::int64_t marked = ui.state.hover.feature;
    draw_column_labels(ui,
                       {{grid.area.min.x + (named ? ui.px(70) : 0), grid.area.min.y - ui.px(kAbove)},
                        {grid.area.max.x, grid.area.min.y}},
                       grid.bands.front(), {}, marked, ui.colors.key);
  }
  if (named) {
    text_in(ui, {{area.min.x - ui.px(kGutter), area.min.y}, {area.min.x - ui.px(8), area.min.y + ui.px(kAbove)}},
            Type::mono11, ui.colors.text2, stage_name(stage), 1);
  }
  draw_selection(ui, panel, stage, grid);
  const std::int64_t marked = ui.state.hover.query >= 0 ? ui.state.hover.query
                              : panel.selection.cell    ? panel.selection.cell->row
                                                        : -1;
  const auto draw_labels = grid.bands.front().cell_height < ui.px(3) ? draw_row_labels : draw_named_row_labels;
  draw_labels(ui, {{area.min.x - ui.px(kGutter) - ui.px(8), grid.area.min.y}, {area.min.x - ui.px(8), grid.area.max.y}},
              grid.bands.front(), panel.data.rows(stage), marked, ui.colors.query);
}

}  // namespace

void draw_concat_panel(Ui& ui, const Rect& area) {
  ui.mark("concat", area);
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().find(StageId::concat) == nullptr) return;
  const Trace& trace = data->trace();
  ConcatPanel panel{*data,
                    selection_of(ui.session.view, trace),
                    trace.request.merge == Merge::direct,
                    shows_provenance(ui, trace),
                    {}};
  if (area.height() <= ui.px(size::folded)) return draw_concat_folded(ui, panel, area);
  const bool has_output = trace.find(StageId::output) != nullptr;
  const ConcatShows shows = has_output ? ui.session.view.concat_shows : ConcatShows::concat;

  const Rect body{{area.min.x + ui.px(size::panel_padding) + ui.px(kGutter), area.min.y + ui.px(size::panel_header)},
                  {area.max.x - ui.px(size::panel_padding), area.max.y - ui.px(kBottom)}};
  Rect pictures = body;
  const bool reports = panel.direct && shows != ConcatShows::output;
  if (reports) pictures.max.y -= ui.px(kReport);
  if (pictures.width() > ui.px(60) && pictures.height() > ui.px(kAbove) + ui.px(6)) {
    if (shows == ConcatShows::both) {
      const float middle = std::round(pictures.center().y);
      draw_matrix(ui, panel, StageId::concat, {pictures.min, {pictures.max.x, middle - ui.px(2)}}, true);
      draw_matrix(ui, panel, StageId::output, {{pictures.min.x, middle}, pictures.max}, true);
    } else {
      draw_matrix(ui, panel, shows == ConcatShows::output ? StageId::output : StageId::concat, pictures, false);
    }
    if (reports) {
      draw_merge_report(
          ui, panel,
          {{area.min.x + ui.px(size::panel_padding), pictures.max.y + ui.px(4)}, {body.max.x, body.max.y + ui.px(2)}});
    }
  }
  draw_concat_header(ui, panel, {area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}});
}

}  // namespace headscope::ui
