// The hovered row and column of a zoomed-out map as small plots along its axes.
#pragma once

#include "app/ui/map/heatmap_view.h"

namespace headscope::ui {

// Row `at.row` below the picture (query colour), column `at.column` at its right (key colour), each `thickness` pixels
// high, scaled to the picture's own range; a pixel over several cells shows the largest. A row or column of -1 draws
// only the background.
void draw_axis_plots(Ui& ui, const HeatmapView& view, Cell at, float thickness);

// For each of `pixels` pixels the value of largest absolute size among the `values` under it; the first pixel is at
// cell `start`, with `cell` pixels a cell. Hidden cells count as 0.
std::vector<float> profile_of(const std::vector<float>& values, double start, double cell, int pixels);

}  // namespace headscope::ui
