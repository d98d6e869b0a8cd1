// The hovered row and column of a zoomed-out map as small plots along its axes.
#pragma once

#include "app/ui/map/heatmap_view.h"

namespace headscope::ui {

// Row `at.row` below the picture (query colour), column `at.column` at its right (key colour), each `thickness` pixels
// high, heights by the picture's own range; a pixel over several cells shows the largest. -1: only the ground.
void draw_axis_plots(Ui& ui, const HeatmapView& view, Cell at, float thickness);

// The largest value by size for each of `pixels` pixels over `values`, seen from `start` on with `cell` pixels a cell;
// hidden cells count as nothing (0).
std::vector<float> profile_of(const std::vector<float>& values, double start, double cell, int pixels);

}  // namespace headscope::ui
