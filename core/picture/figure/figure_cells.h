// The cells of maps as shapes: what documents of shapes draw instead of pixels. Internal to core/picture.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/cancel.h"
#include "core/picture/figure/figure_plan.h"

namespace headscope {

// What a cell shows, by the rules of heatmap_spec.h.
struct CellLook {
  enum class Kind : std::uint8_t { color, hidden, nan, above, below } kind = Kind::color;
  Rgba color;
  bool corner = false;
  friend bool operator==(const CellLook&, const CellLook&) = default;
};

// Neighbours of a row that look the same, and where they are, in pixels of the picture.
struct CellRun {
  CellLook look;
  std::int64_t row = 0;
  Range columns;
  long x = 0, y = 0, width = 0, height = 0;
};

// Every cell of the map, row by row from the left. Throws Cancelled.
void visit_cells(const MapItem& item, const CancelToken& cancel, const std::function<void(const CellRun&)>& visit);

// From 8 px a cell on, cells that are hidden, not finite, or marked by the mask have marks.
bool has_marks(const HeatmapSpec& spec);

// The marks on the cells of a run: crosses of NaN as lines, triangles of infinities by their tip, with their sides, and
// corners of marked cells.
struct CellMark {
  bool cross = false;
  double corner = 0;  // above 0: the side of the corner of the cell, and `edge` of the line below it
  double edge = 0;
  double left = 0, top = 0, width = 0, height = 0;  // cross: of the cell
  double tip_x = 0, tip_y = 0, base = 0, rise = 0;  // triangle: its base lies `rise` below the tip
};
std::vector<CellMark> marks_of(const MapItem& item, const CellRun& run);

// Rectangles of the lines between cells; none where cells are small.
std::vector<RectItem> grid_of(const MapItem& item);

// The lines of the hatch of hidden cells: how far apart and how thick, in pixels.
struct Hatch {
  int spacing = 2;
  double thickness = 1;
  Rgba color;
};
Hatch hatch_of(const HeatmapSpec& spec);

// All maps of a plan together: `drawn` when their cells are drawn one by one; else they are images inside.
struct PlanMaps {
  std::int64_t cells = 0;
  int count = 0;
  bool pooled = false, drawn = true;
  const HeatmapSpec* first = nullptr;
};
PlanMaps maps_of(const FigurePlan& plan);

// A map as pixels.
PictureRows map_rows(const MapItem& item);

}  // namespace headscope
