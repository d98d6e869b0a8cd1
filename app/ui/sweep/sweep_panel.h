// A patch after the other: what becomes of a metric when one part of a model takes other numbers, those of the pinned
// result, zeros or means.
#pragma once

#include <memory>

#include "app/session/background/sweeps.h"
#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kSweepGrid = "sweep/grid";                // the control that has the cells
inline constexpr const char* kSweepListPurpose = "means over a list";  // of a file that is chosen
inline constexpr const char* kSweepEstimates = "sweep/estimates";      // the one beside it, of their estimates

// What the panel remembers.
struct SweepPanelState {
  std::shared_ptr<const Sweeps::Result> last;  // shown until a newer one is known
};

// sweep_controls.cpp: what is patched, with which numbers, what is measured. draw_sweep_controls() returns the y below.
void draw_sweep_header(Ui& ui, const Rect& area);
float draw_sweep_controls(Ui& ui, const Rect& area);

// sweep_grid.cpp: the map, or those of runs and estimates, and what they say.
void draw_sweep_grid(Ui& ui, const Sweeps::Result& result, const Rect& area);

// Means are taken over the phrases of this list; "": asks for one.
void choose_sweep_list(Ui& ui, const std::string& path);

void draw_sweep_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui
