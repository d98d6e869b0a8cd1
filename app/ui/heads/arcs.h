// The views beside the grid of heads: lines from queries to keys, and one query's features.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// What both are about. `pair`: the picked cell of a score-like stage, else the strongest link of the head.
struct ArcsFocus {
  Selection selection;
  std::optional<Cell> pair;
  bool picked = false;  // by hand
};
ArcsFocus arcs_focus(Ui& ui, PanelData& data);

// Whose lines are drawn, of the heads that the trace has.
std::vector<std::int64_t> arcs_heads(const ViewState& view, std::int64_t num_heads);
void toggle_arcs_head(ViewState& view, std::int64_t num_heads, std::int64_t head);

// grid | arcs | neurons, cut from the right of a panel's header.
void draw_heads_show(Ui& ui, Rect& controls);

// arcs_panel.cpp: in the place of the heads' grid and of concat.
void draw_arcs_panel(Ui& ui, const Rect& area);
// Chips of the heads, the least weight, the sentences: at the top of `area`; returns the y below them.
float draw_arcs_controls(Ui& ui, PanelData& data, const Rect& area);  // arcs_controls.cpp
// 1 ... 9 switch heads, S writes an SVG: while no field has the focus.
void read_arcs_keys(Ui& ui, PanelData& data);  // arcs_controls.cpp

// neurons_panel.cpp: in the place of the grid, with the segments in its header; or, beside the lines, of the inspector.
// `explains`: 'Chosen pair' below, where there is room; else the inspector says it.
void draw_neurons_panel(Ui& ui, const Rect& area, bool beside_arcs, bool explains);

}  // namespace headscope::ui
