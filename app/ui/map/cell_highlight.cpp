#include "app/ui/map/cell_highlight.h"

#include <algorithm>

#include "app/session/session.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/map/heatmap_view.h"
#include "core/picture/palette.h"

namespace headscope::ui {
namespace {

constexpr double kLeastCell = 3;  // pixels: smaller rings would hide what they mark

Range within(const Range& range, const Range& visible) {
  return {std::max(range.begin, visible.begin), std::min(range.end, visible.end)};
}

// The dark theme's, in every theme: rings lie on data.
Rgba ring_color(StageId stage, const CellRange& range) {
  const Palette& dark = palette(Theme::dark);
  const bool one_cell = range.rows.size() == 1 && range.columns.size() == 1;
  if (stage == StageId::query) return dark.query;
  if (stage == StageId::key) return dark.key;
  if (stage == StageId::value) return dark.value;
  if (is_score_like(stage) && !one_cell) return range.rows.size() == 1 ? dark.query : dark.key;
  return {255, 255, 255, 255};
}

}  // namespace

void draw_linked_range(Ui& ui, StageId stage, const CellRange& range, const Rect& rect) {
  draw_link_ring(ui, rect, ring_color(stage, range));
  if (ui.probe != nullptr) ui.mark("linked/" + std::string(stage_name(stage)), rect);
}

void draw_linked(Ui& ui, PanelData& data, StageId stage, std::int64_t batch, std::int64_t slice, const CellGrid& grid) {
  if (grid.empty() || std::min(grid.cell_width, grid.cell_height) < kLeastCell) return;
  const std::vector<LinkedCells>& linked = linked_now(ui, data);
  if (linked.empty()) return;
  const std::optional<CellPlace> own = linked_cell(ui, data.trace());
  for (const CellRange& range : ranges_in(linked, data.trace(), stage, batch, slice)) {
    const Range rows = within(range.rows, grid.row_range()), columns = within(range.columns, grid.column_range());
    if (rows.size() <= 0 || columns.size() <= 0) continue;
    if (own && own->stage == stage && range.rows.size() == 1 && range.columns.size() == 1) continue;
    const Rect first = grid.cell_rect(rows.begin, columns.begin), last = grid.cell_rect(rows.end - 1, columns.end - 1);
    draw_linked_range(ui, stage, range, {first.min, last.max});
  }
}

std::vector<StageId> linked_stages(Ui& ui, PanelData& data) {
  std::vector<StageId> stages;
  const std::optional<CellPlace> own = linked_cell(ui, data.trace());
  if (!own) return stages;
  for (const LinkedCells& cells : linked_now(ui, data)) {
    if (cells.stage == own->stage || (!ui.state.hover.cell && cells.stage > own->stage)) continue;
    if (std::find(stages.begin(), stages.end(), cells.stage) == stages.end()) stages.push_back(cells.stage);
  }
  return stages;
}

TokenPair marked_tokens(Ui& ui) {
  const auto trace = ui.session.trace();
  const Hover& hover = ui.state.hover;
  TokenPair marked{hover.query, hover.key};
  if (trace == nullptr) return marked;
  if (hover.cell && is_inside(*trace, *hover.cell)) return tokens_of(*trace, *hover.cell);
  const std::optional<CellPlace> picked = picked_place(ui.session.view, *trace);
  if (!picked) return marked;
  const TokenPair tokens = tokens_of(*trace, *picked);
  return {marked.query >= 0 ? marked.query : tokens.query, marked.key >= 0 ? marked.key : tokens.key};
}

}  // namespace headscope::ui
