// The alternatives to the grid of heads: arcs from queries to keys, and the features of one query (neurons).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/ui/inspector/inspector_parts.h"
#include "app/ui/panel_data.h"
#include "app/ui/ui.h"

namespace headscope::ui {

// The query and key that both views show. `pair`: the picked cell of a score-like stage, else the strongest arc of the
// head; nullopt when there is none.
struct ArcsFocus {
  Selection selection;
  std::optional<Cell> pair;
  bool picked = false;  // `pair` is picked by the user
};
ArcsFocus arcs_focus(Ui& ui, PanelData& data);

// What the views arcs and neurons remember.
struct ArcsState {
  std::optional<std::int64_t> followed;  // the chosen query whose row was scrolled into sight
  bool save_waits = false;               // S was pressed over a preview: the file is written when numbers are exact
  std::int64_t soloed = -1;              // the head whose chip was pressed for the second time; -1: none
  float explained_height = 0;            // of 'Chosen pair' below the neurons, as it was drawn last
};

// The heads of the trace whose arcs are drawn, increasing: the selected one until others are chosen.
std::vector<std::int64_t> arcs_heads(const ViewState& view, std::int64_t num_heads);
void toggle_arcs_head(ViewState& view, std::int64_t num_heads, std::int64_t head);

// The title and the segments one | grid | arcs | neurons at the left of `header`, in the same place whichever is shown.
// Returns what is left beside them, as high as a control.
Rect draw_heads_title(Ui& ui, const Rect& header);
constexpr float kHeadsShowWidth = 196;  // of the segments, at 1x

// arcs_panel.cpp: drawn in the place of the grid of heads and of concat.
void draw_arcs_panel(Ui& ui, const Rect& area);
// Chips of the heads, the least weight, the sentences: at the top of `area`; returns the y below them.
float draw_arcs_controls(Ui& ui, PanelData& data, const Rect& area);  // arcs_controls.cpp
// 0 ... 9 switch the heads of these numbers, S writes an SVG: while no field has the focus.
void read_arcs_keys(Ui& ui, PanelData& data);  // arcs_controls.cpp

// neurons_panel.cpp: drawn in the place of the grid, with the segments in its header; with `beside_arcs` in the place
// of the inspector. `explains`: shows 'Chosen pair' below, where there is room; else the inspector shows it.
void draw_neurons_panel(Ui& ui, const Rect& area, bool beside_arcs, bool explains);

}  // namespace headscope::ui
