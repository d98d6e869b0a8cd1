// The views that a figure can show, each laid out on a sheet. Internal to core/picture.
#pragma once

#include <vector>

#include "core/picture/figure_sheet.h"

namespace headscope {

// Lays out the whole figure. With `measure` no value is read: sizes are right, ranges and summaries are not.
FigurePlan figure_plan(const Trace& trace, const ViewSpec& view, bool measure);

// One per file. Each sets plan.width and plan.height.
void plan_map(Sheet& sheet, const StagePicture& stage, bool measure);
void plan_heads(Sheet& sheet, const StagePicture& stage, bool measure);
void plan_concat(Sheet& sheet, const StagePicture& stage, bool measure);
void plan_arcs(Sheet& sheet, const StagePicture& weights, bool measure);
void plan_neurons(Sheet& sheet, const StagePicture& weights, bool measure);
void plan_layers(Sheet& sheet, bool measure);

// ---- shared by the views
// The map with its gutter and column labels within a width; `fixed_room` is taken by other things beside it.
struct Fit {
  MapSize size;
  int gutter = 0, column_height = 0;
};
struct FitRequest {
  std::int64_t rows = 0, columns = 0;
  bool square = true;
  int fixed_room = 0;   // margins, colour bar, gaps
  int maps_beside = 1;  // how many equal maps share the width
  double target = 880;  // units, without --width
  double largest_cell = 34;
  bool column_labels = true;
};
Fit fitted(const Sheet& sheet, const StagePicture& stage, const FitRequest& request);

// The width of the figure whose content needs `natural` pixels. Throws UsageError when --width is less.
int figure_width(const Sheet& sheet, int natural);

// What colours and marks mean: "weight, one range for all heads. rows query columns key ..."
std::vector<Span> legend(const Sheet& sheet, const StagePicture& stage, const std::string& range_words,
                         const MapSize& size, std::int64_t head);

}  // namespace headscope
