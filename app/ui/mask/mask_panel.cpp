#include "app/ui/mask/mask_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/mask/mask_brush.h"
#include "app/ui/mask/mask_files.h"
#include "app/ui/panel_data.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/interventions.h"
#include "core/attention/mask_paint.h"
#include "core/attention/mask_rows.h"
#include "core/attention/model_trace.h"
#include "core/attention/operation_text.h"
#include "core/base/grouped_digits.h"
#include "core/base/minus_sign.h"
#include "core/request/mask_terms.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 76, kLabels = 60, kVerdicts = 250, kFiles = 76, kSummary = 26;
constexpr std::int64_t kMostCells = std::int64_t{1} << 22;

struct Editor {
  PanelData& data;
  const Trace& trace;
  std::int64_t batch = 0, head = 0;
  CellGrid grid;
  bool extra_key = false, causal = false;
  std::vector<MaskRow> rows;
  std::int64_t masked_keys() const { return grid.columns - (extra_key ? 1 : 0); }
  const HiddenCells& hidden() const { return trace.mask->hidden; }
};

bool is_causal(const Trace& trace) {
  return mask_rule_of(mask_terms_of(trace.request, *trace.inputs)).causal();
}

// Paints a rectangle as the chosen segment says.
void paint(Ui& ui, PaintedCells cells) {
  const MaskPaints paints = mask_paints(ui);
  cells.hides = paints == MaskPaints::hide;
  ui.session.end_undo_step();
  if (paints == MaskPaints::erase) {
    erase_paint(ui.session.draft, cells);
  } else {
    put_paint(ui.session.draft, cells);
  }
}

PaintedCells between(Cell a, Cell b) {
  return {true,
          std::min(a.row, b.row),
          std::max(a.row, b.row) + 1,
          std::min(a.column, b.column),
          std::max(a.column, b.column) + 1,
          true};
}

void draw_frame_of(Ui& ui, const Editor& editor, const PaintedCells& cells, Rgba color) {
  const std::int64_t rows = std::min(cells.query_end, editor.grid.rows);
  const std::int64_t columns = std::min(cells.key_end, editor.masked_keys());
  if (cells.query_begin >= rows || cells.key_begin >= columns) return;
  const Rect first = editor.grid.cell_rect(cells.query_begin, cells.key_begin);
  const Rect last = editor.grid.cell_rect(rows - 1, columns - 1);
  outline(ui, {first.min, last.max}, Rgba{0, 0, 0, 255}, 3);
  outline(ui, inset({first.min, last.max}, 1), color, 1);
}

void paint_stroke(Ui& ui, const BrushStroke& stroke) {
  ui.session.end_undo_step();
  if (stroke.paints == MaskPaints::erase) {
    erase_stroke(ui.session.draft, stroke.passed);
  } else {
    put_stroke(ui.session.draft, stroke.passed, stroke.paints == MaskPaints::hide);
  }
}

// Drag: a rectangle, or a stroke of the brush; click: a cell; arrows walk, Space paints.
void read_grid(Ui& ui, Editor& editor) {
  const CellGrid& grid = editor.grid;
  const ImGuiIO& io = ImGui::GetIO();
  const bool freely = paints_freely(ui);
  const Interaction mouse =
      interact_mouse(ui, kMaskGrid, grid.area,
                     {true, false,
                      freely ? "Drag paints the cells that it passes over; a click on a label its row or column."
                             : "Drag paints a rectangle, a click one cell; a click on a label its row or column."});
  const PaintedGrid on{grid, editor.masked_keys()};
  std::optional<Cell>& cell = ui.session.view.cell;
  if (mouse.hovered) {
    const Cell under = nearest_cell(grid, io.MousePos);
    ui.state.next_hover.query = under.row;
    ui.state.next_hover.key = under.column;
  }
  if (freely) {
    if (const auto stroke = read_brush(ui, on, mouse)) {
      cell = stroke->last;
      paint_stroke(ui, *stroke);
    }
  } else if (mouse.held) {
    draw_frame_of(ui, editor, between(nearest_cell(grid, io.MouseClickedPos[0]), nearest_cell(grid, io.MousePos)),
                  paint_color(ui, mask_paints(ui)));
  }
  if (mouse.clicked && !freely) {
    const Cell to = nearest_cell(grid, io.MousePos);
    cell = to;
    paint(ui, between(nearest_cell(grid, io.MouseClickedPos[0]), to));
  }
  if (!mouse.focused) return;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    const Cell at = cell.value_or(Cell{-step->row, -step->column});
    cell = Cell{std::clamp<std::int64_t>(at.row + step->row, 0, grid.rows - 1),
                std::clamp<std::int64_t>(at.column + step->column, 0, editor.masked_keys() - 1)};
  }
  if (cell && cell->row < grid.rows && cell->column < grid.columns && ui.take_key(KeyName::space)) {
    if (freely) {
      paint_stroke(ui, dab_at(ui, on, *cell));
    } else {
      paint(ui, between(*cell, *cell));
    }
  }
  if (ui.state.focus_by_keyboard) focus_ring(ui, grid.area, ui.px(2));
}

// A click on a label paints its row, or its column: one token as padding.
void read_labels(Ui& ui, Editor& editor, const Rect& gutter, const Rect& above) {
  const ImGuiIO& io = ImGui::GetIO();
  const Interaction rows =
      interact_mouse(ui, "mask/rows", gutter, {true, false, "Paints the row of this query."}, false);
  const Cell under = nearest_cell(editor.grid, io.MousePos);
  if (rows.hovered) ui.state.next_hover.query = under.row;
  if (rows.clicked) {
    paint(ui, {true, under.row, under.row + 1, 0, PaintedCells::kToTheEnd, true});
  }
  const Interaction columns =
      interact_mouse(ui, "mask/columns", above, {true, false, "Paints the column of this key: padding."}, false);
  if (columns.hovered) ui.state.next_hover.key = under.column;
  if (columns.clicked) {
    paint(ui, {true, 0, PaintedCells::kToTheEnd, under.column, under.column + 1, true});
  }
}

Rgba verdict_color(const Ui& ui, RowVerdict verdict) {
  switch (verdict) {
    case RowVerdict::hidden_whole:
      return ui.colors.bad;
    case RowVerdict::uniform:
    case RowVerdict::leaks:
      return ui.colors.warn;
    default:
      return ui.colors.text2;
  }
}

void draw_verdicts(Ui& ui, const Editor& editor, float left, float right) {
  const CellGrid& grid = editor.grid;
  const Request& request = editor.trace.request;
  if (grid.cell_height >= static_cast<double>(ui.px(11))) {
    for (std::size_t i = 0; i < editor.rows.size(); ++i) {
      const Rect row = grid.row_rect(static_cast<std::int64_t>(i));
      const RowVerdict verdict = verdict_of(editor.rows[i], request, editor.causal);
      float x = left;
      if (verdict_color(ui, verdict) != ui.colors.text2) {
        draw_icon(ui, Icon::warning, {x + ui.px(6), std::round(row.center().y)}, ui.px(11), verdict_color(ui, verdict));
        x += ui.px(16);
      }
      text_in(ui, {{x, row.min.y}, {right, row.max.y}}, Type::words12, verdict_color(ui, verdict),
              with_minus_signs(verdict_text(editor.rows[i], request, editor.causal)));
    }
  }
  std::int64_t whole = 0, uniform = 0, leaks = 0, later = 0;
  for (const MaskRow& row : editor.rows) {
    const RowVerdict verdict = verdict_of(row, request, editor.causal);
    whole += verdict == RowVerdict::hidden_whole;
    uniform += verdict == RowVerdict::uniform;
    leaks += verdict == RowVerdict::leaks;
    later += verdict == RowVerdict::sees_later;
  }
  std::string words =
      fmt::format("{} of {} cells are hidden", grouped_digits(editor.hidden().hidden_count(editor.batch, editor.head)),
                  grouped_digits(grid.rows * grid.columns));
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) words += fmt::format("; {} {} {}", grouped_digits(count), count == 1 ? "row" : "rows", what);
  };
  add(whole, "hidden whole");
  add(uniform, "hidden whole and uniform");
  add(leaks, "leak the future");
  add(later, "see later keys");
  say_finding(ui, MainView::mask, words + ".");
  const Rect line{{grid.area.min.x, grid.area.max.y + ui.px(4)}, {right, grid.area.max.y + ui.px(kSummary)}};
  ui.mark("mask/summary: " + words, line);
  text_in(ui, line, Type::words12, whole + uniform + leaks > 0 ? ui.colors.warn : ui.colors.text2, words + ".");
}

void draw_mask_header(Ui& ui, const Editor& editor, const Rect& area) {
  const bool heads = editor.hidden().heads() > 1;
  const std::string fact = heads ? fmt::format("of head {}; paint is of every head", editor.head)
                                 : "queries down, keys across; of every head";
  Rect controls = panel_header(ui, area, "", fact);
  const float y = std::round(area.min.y + (ui.px(size::panel_header) - ui.px(24)) / 2);
  const auto place = [&](float width) {
    Rect rect = take_right(controls, ui.px(width), ui.px(6));
    return Rect{{rect.min.x, y}, {rect.max.x, y + ui.px(24)}};
  };
  Request& draft = ui.session.draft;
  if (button(ui, "mask/close", place(64), "Close", {true, false, "Back to the heads (Ctrl+M)."})) {
    ui.push(CommandId::mask_editor);
  }
  const bool painted = !draft.paint.empty();
  if (button(ui, "mask/clear", place(64), "Clear",
             {painted, false, painted ? "Takes all painted cells away." : "Nothing is painted."})) {
    ui.session.end_undo_step();
    draft.paint.clear();
  }
  if (button(ui, "mask/undo", place(64), "Undo",
             {ui.session.can_undo(), false, "Takes the last change back (Ctrl+Z)."})) {
    ui.push(CommandId::undo);
  }
  take_right(controls, 0, ui.px(8));
  draw_mask_tools(ui, controls, y);
}

void draw_matrix(Ui& ui, Editor& editor) {
  HeatmapView view;
  view.grid = editor.grid;
  view.matrix = editor.data.matrix(StageId::weights, editor.batch, editor.head);
  view.mask = editor.trace.mask;
  view.batch = editor.batch;
  view.head = editor.head;
  view.map = color_map_of(ui, true);
  view.range = editor.data.range(ui.session.view, StageId::weights, editor.batch, editor.head);
  if (view.range.per_row) {
    view.row_scale =
        &editor.data.row_scale(StageId::weights, editor.batch, editor.head, view.map, view.range.log_scale);
  }
  draw_heatmap_view(ui, view);
  for (const PaintedCells& cells : editor.trace.request.paint) {
    if (cells.on) draw_frame_of(ui, editor, cells, Rgba{255, 255, 255, 255});
  }
}

}  // namespace

bool has_mask_to_paint(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->find(StageId::masked_scores) == nullptr) return false;
  const bool captured = trace->model != nullptr && trace->model->captured;
  return !captured && trace->on_demand == nullptr && trace->query_len() * trace->key_len() <= kMostCells;
}

void draw_mask_panel(Ui& ui, const Rect& area) {
  ui.mark("mask", area);
  PanelData* data = panel_data(ui);
  if (data == nullptr) return;
  const Trace& trace = data->trace();
  const Selection selection = selection_of(ui.session.view, trace);
  Editor editor{
      *data, trace, selection.batch, selection.head, {}, !trace.inputs->weights.bias_k.empty(), is_causal(trace), {}};
  draw_mask_header(ui, editor, {area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}});
  const float padding = ui.px(size::panel_padding);
  const ImVec2 at{area.min.x + padding + ui.px(kGutter), area.min.y + ui.px(size::panel_header) + ui.px(kLabels)};
  const float bottom = area.max.y - ui.px(kFiles) - ui.px(kSummary);
  const float width = area.max.x - padding - ui.px(kVerdicts) - at.x;
  editor.grid = fitted_square(at, std::max(ui.px(80), width), std::max(ui.px(80), bottom - at.y), trace.query_len(),
                              trace.key_len());
  editor.rows = mask_rows(trace.mask->hidden, editor.batch, editor.head, own_diagonal(trace.request, *trace.inputs),
                          editor.extra_key);
  draw_matrix(ui, editor);
  read_grid(ui, editor);
  const CellGrid& grid = editor.grid;
  const Rect gutter{{area.min.x + padding, grid.area.min.y}, {grid.area.min.x - ui.px(8), grid.area.max.y}};
  const Rect above{{grid.area.min.x, area.min.y + ui.px(size::panel_header)}, {grid.area.max.x, grid.area.min.y}};
  read_labels(ui, editor, gutter, above);
  const Hover& hover = ui.state.hover;
  if (hover.query >= 0 && hover.key >= 0 && hover.query < grid.rows && hover.key < grid.columns) {
    draw_crosshair(ui, grid, hover.query, hover.key);
  }
  const std::optional<Cell>& cell = ui.session.view.cell;
  if (cell && cell->row < grid.rows && cell->column < grid.columns && ui.state.focus == kMaskGrid) {
    draw_pick_frame(ui, grid.cell_rect(cell->row, cell->column), grid.area);
  }
  draw_row_labels(ui, gutter, grid, data->rows(StageId::weights), hover.query, ui.colors.query);
  draw_column_labels(ui, above, grid, data->columns(StageId::weights), hover.key, ui.colors.key);
  draw_verdicts(ui, editor, grid.area.max.x + ui.px(14), area.max.x - padding);
  draw_mask_files(ui, trace, editor.batch, editor.head,
                  {{area.min.x + padding, area.max.y - ui.px(kFiles)}, {area.max.x - padding, area.max.y}});
}

}  // namespace headscope::ui
