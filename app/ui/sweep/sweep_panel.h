// A patch after the other: what becomes of a metric when one part of a model takes numbers of the pinned result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/session/background/sweeps.h"
#include "app/session/view_state.h"
#include "app/ui/ui.h"

namespace headscope::ui {

inline constexpr const char* kSweepGrid = "sweep/grid";  // the control that has the cells

// What the panel remembers.
struct SweepPanelState {
  std::shared_ptr<const Sweeps::Result> last;  // shown until a newer one is known
};

// Where the cell of a row and a column is among those of a sweep: layers are rows, but of stages they are columns.
struct SweepPlaces {
  std::int64_t rows = 0, columns = 0;
  bool layers_are_columns = false;
  std::size_t index(Cell at) const;
};
SweepPlaces sweep_places(const Sweep& sweep, SweepPatch patch);

// The metric as parse_sweep_metric() reads it; "": the usual one. nullopt: it needs a token that nobody typed.
std::optional<std::string> metric_text(const SweepView& view);

// sweep_grid.cpp: the map, and what it says.
void draw_sweep_grid(Ui& ui, const Sweeps::Result& result, const Rect& area);

void draw_sweep_panel(Ui& ui, const Rect& area);

}  // namespace headscope::ui
