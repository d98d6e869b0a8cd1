// The queries and keys of a head as points of a plane, beside the head's map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/background/background_queries.h"
#include "app/ui/panel_data.h"
#include "app/ui/stage_facts.h"
#include "app/ui/ui.h"
#include "core/picture/point_plane.h"

namespace headscope::ui {

inline constexpr const char *kScatterPlot = "scatter/plot", *kScatterMap = "scatter/map";  // the controls with arrows

// The plot laid out, in pixels from its upper left corner: once for what it depends on.
struct ScatterLayout {
  std::shared_ptr<const Scatters::Result> of;
  ScatterView switches;
  float width = 0, height = 0, scale = 0;

  struct Tick {
    float at = 0;
    std::string words;
  };
  struct Mark {
    float x = 0, y = 0;
    std::int64_t index = 0;
    bool query = true;
  };
  struct Name {
    float left = 0, middle = 0;
    std::string words;
    std::int64_t index = 0;
    bool query = true;
  };
  PointPlane plane;
  std::vector<Tick> across, upwards;
  std::vector<Mark> marks;
  std::vector<Name> names;
  std::size_t without = 0;  // marks whose names have no room
};

// What the panel remembers.
struct ScatterPanelState {
  std::shared_ptr<const Scatters::Result> last;  // shown until a newer one is known
  ScatterLayout layout;
  int layouts_made = 0;
};

// A query and a key; -1: none.
struct ScatterPair {
  std::int64_t query = -1, key = -1;
  bool whole() const { return query >= 0 && key >= 0; }
  friend bool operator==(const ScatterPair&, const ScatterPair&) = default;
};

// What is shown in this frame.
struct ScatterShown {
  PanelData& data;
  Selection selection;
  std::shared_ptr<const Scatters::Result> result;  // with an answer
  bool current = true;                             // it is of the shown trace and head
  ScatterPair picked, hovered;                     // inside of the trace; `hovered` of the last frame, from any panel

  const QueryKeyScatter& scatter() const { return *result->answer; }
  // What the readout and the line are about: what the mouse is on, the rest from the picked cell.
  ScatterPair pair() const {
    return {hovered.query >= 0 ? hovered.query : picked.query, hovered.key >= 0 ? hovered.key : picked.key};
  }
};

// Picks the row of a query or the column of a key, and keeps the other of the two; without a picked cell a query comes
// with its strongest key, a key with the last query.
void pick_scatter_point(Ui& ui, const ScatterShown& shown, bool query, std::int64_t index);

// scatter_layout.cpp: the layout for a plot of this size, made anew when something of it has changed.
const ScatterLayout& scatter_layout(Ui& ui, const ScatterShown& shown, float width, float height);

// Each in the file of its name.
void draw_scatter_plot(Ui& ui, const ScatterShown& shown, const Rect& area);
void draw_scatter_map(Ui& ui, const ScatterShown& shown, const Rect& area);
void draw_scatter_readout(Ui& ui, const ScatterShown& shown, const Rect& area);
float scatter_readout_height(const Ui& ui, float width);

void draw_scatter_panel(Ui& ui, const Rect& area);

// Points of a trace that nobody sees any more.
void let_scatter_go(Ui& ui);

}  // namespace headscope::ui
