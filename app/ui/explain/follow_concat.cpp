#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/explain/follow_items.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/cell_highlight.h"
#include "app/ui/map/concat_grid.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kBandLabels = 26;

// A line in the head's colour above its band, and its name where there is room; `chosen`: the followed cell is in it.
void draw_band_name(Ui& ui, std::int64_t head, const Rect& place, bool chosen) {
  fill({{place.min.x, place.min.y - ui.px(6)}, {place.max.x, place.min.y - ui.px(3)}}, head_color(head));
  const std::string label = fmt::format("head {}", head);
  const Type type = chosen ? Type::title12 : Type::words12;
  if (text_width(ui, type, label) > place.width() + 2) return;
  text_in(ui, {{place.min.x, place.min.y - ui.px(24)}, {place.max.x + 4, place.min.y - ui.px(7)}}, type,
          chosen ? ui.colors.text : ui.colors.text2, label);
}

// `own`: the followed cell; nullopt: none.
void draw_bands(Ui& ui, PanelData& data, const FollowItem& item, const ConcatGrid& grid,
                const std::optional<CellPlace>& own) {
  for (std::size_t band = 0; band < grid.bands.size(); ++band) {
    HeatmapView view = item_view(ui, data, item);
    view.grid = grid.bands[band];
    const auto head = static_cast<std::int64_t>(band);
    if (!view.large && grid.bands.size() > 1) {
      view.matrix = view.matrix.sliced(1, head * grid.band_features, (head + 1) * grid.band_features);
    }
    if (view.large) {
      view.grid.columns = item.columns;
      view.grid.column0 = static_cast<double>(head * grid.band_features);
      look_at_map(ui, *view.large, view.grid, view.grid, 2);
    }
    draw_heatmap_view(ui, view);
    if (grid.bands.size() < 2) continue;
    const bool chosen = own && data.trace().num_heads() > 0 && head == own->index[2] / grid.band_features;
    draw_band_name(ui, head, grid.bands[band].area, chosen);
  }
}

void read_mouse(Ui& ui, const Trace& trace, const FollowItem& item, const ConcatGrid& grid) {
  const Interaction mouse = interact_mouse(ui, "follow/concat", grid.area, {}, false);
  if (mouse.hovered) {
    if (const std::optional<Cell> cell = grid.cell_at(ImGui::GetIO().MousePos)) {
      const CellPlace over = place_of(trace, item.stage, item.batch, 0, *cell);
      ui.state.next_hover = {cell->row, -1, -1, cell->column, over};
      if (mouse.clicked) show_place(ui.session.view, trace, over);
    }
  }
}

// The way of the number from its head's context into the cell `picked`.
void draw_way(Ui& ui, ImVec2 from, const Rect& area, const Rect& picked, float top) {
  const float line = std::max(1.0f, std::round(1.5f * ui.scale));
  const float turn = std::round((from.y + area.min.y) / 2), x = std::round(picked.center().x), x0 = std::round(from.x);
  const Rgba ink = ui.colors.accent;
  fill({{x0, from.y}, {x0 + line, turn}}, ink);
  fill({{std::min(x0, x), turn}, {std::max(x0, x) + line, turn + line}}, ink);
  fill({{x, turn}, {x + line, top - ui.px(26)}}, ink);
}

}  // namespace

void draw_follow_concat(Ui& ui, PanelData& data, const FollowItem& item, const Rect& area, ImVec2 from) {
  const Trace& trace = data.trace();
  const bool banded = trace.request.merge == Merge::transpose;
  draw_item_name(ui, item,
                 {{area.min.x - ui.px(kFollowGutter), area.min.y}, {area.max.x, area.min.y + ui.px(kFollowHeader)}});
  const ImVec2 at{area.min.x, area.min.y + ui.px(kFollowHeader + kBandLabels)};
  const ConcatGrid grid =
      concat_grid({at, area.width(), std::min(area.max.y - at.y, ui.px(20) * static_cast<float>(item.rows))}, item.rows,
                  item.columns, banded ? trace.num_heads() : 1, ui.scale);
  if (grid.bands.empty()) return;
  const std::optional<CellPlace> own = picked_place(ui.session.view, trace);
  draw_bands(ui, data, item, grid, own);
  draw_row_labels(ui, {{area.min.x - ui.px(kFollowGutter), at.y}, {area.min.x - ui.px(8), grid.area.max.y}},
                  grid.bands.front(), data.rows(item.stage), marked_tokens(ui).query, ui.colors.query);
  read_mouse(ui, trace, item, grid);
  if (!own || own->stage != StageId::concat || own->index[0] != item.batch) return;
  const Rect picked = grid.features_rect(own->index[1], own->index[2], own->index[2] + 1);
  if (banded && grid.bands.size() > 1) {
    const std::int64_t head = own->index[2] / grid.band_features;
    draw_link_ring(ui, grid.features_rect(own->index[1], head * grid.band_features, (head + 1) * grid.band_features));
  }
  if (from.x > 0) draw_way(ui, from, area, picked, grid.area.min.y);
  draw_pick_frame(ui, picked, grid.area);
}

}  // namespace headscope::ui
