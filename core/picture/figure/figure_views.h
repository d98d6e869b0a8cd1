// The views that a figure can show, each laid out on a sheet. Internal to core/picture.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/picture/figure/figure_sheet.h"
#include "core/picture/figure/figure_source.h"
#include "core/picture/text/formula_layout.h"

namespace headscope {

// Lays out the whole figure. With `measure` no value is read: sizes are right, ranges and summaries are not. Throws
// UsageError, Cancelled.
FigurePlan figure_plan(const FigureSource& source, const ViewSpec& view, bool measure, const CancelToken& cancel = {});

// One per file. Each sets plan.width and plan.height. Difference, sensitivity, explanation, attribution, scatter,
// composition and score have no `measure`: they must compute their numbers to find out whether they can be shown, or
// how high; a sweep has been computed before.
void plan_map(Sheet& sheet, const StagePicture& stage, bool measure);
void plan_heads(Sheet& sheet, const StagePicture& stage, bool measure);
// Both for paper: these heads of the stage. Reads values.
void plan_paper_heads(Sheet& sheet, const StagePicture& stage, const std::vector<std::int64_t>& heads);
void plan_concat(Sheet& sheet, const StagePicture& stage, bool measure);
void plan_arcs(Sheet& sheet, const StagePicture& weights, bool measure);
void plan_neurons(Sheet& sheet, const StagePicture& weights, bool measure);
void plan_text(Sheet& sheet, const StagePicture& weights, bool measure, const CancelToken& cancel);
void plan_layers(Sheet& sheet, bool measure);
void plan_difference(Sheet& sheet, const Trace* against);
// A stage of other code, ours, and theirs - ours. Throws UsageError where the view asks for another stage, batch item
// or head.
void plan_theirs(Sheet& sheet, const TheirsFigure& theirs);
void plan_sensitivity(Sheet& sheet, const CancelToken& cancel);
void plan_explanation(Sheet& sheet);
void plan_lens(Sheet& sheet, bool measure, const CancelToken& cancel);
void plan_attribution(Sheet& sheet);
void plan_sweep(Sheet& sheet, const FigureSource& source);
void plan_scatter(Sheet& sheet);
void plan_composition(Sheet& sheet);
void plan_score(Sheet& sheet);

// ---- shared by the views
// Fits a map with its gutter and column labels into a width, of which `fixed_room` is taken by other items beside it.
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
Fit fitted(const Sheet& sheet, const AxisNames& names, const FitRequest& request);

// The heads that view.heads_shown asks for, of `count`. Throws UsageError for one beyond them.
std::vector<std::int64_t> shown_heads(const ViewSpec& view, std::int64_t count);

// The same of a grid of maps, which needs at least one.
std::vector<std::int64_t> heads_of_grid(const ViewSpec& view, const StagePicture& stage);
// The letters of formulas in pictures, at this many pixels a unit.
FormulaFonts picture_formula_fonts(double scale);

// The width of the figure whose content needs `natural` pixels. Throws UsageError when --width is less.
int figure_width(const Sheet& sheet, int natural);

// One large map with its names on both axes, its colour bar and its legend.
struct OneMap {
  Sheet::Title title;
  std::int64_t rows = 0, columns = 0;
  AxisNames names;
  HeatmapSpec spec;  // plan_one_map sets size and place
  CellText cell_text = CellText::values;
  std::function<std::vector<Span>(const MapSize& size)> legend;
  // Looks at the cells once the size of the map is known, and may choose its pixels and add to the title; null:
  // nothing.
  std::function<void(HeatmapSpec& spec, Sheet::Title& title)> look = nullptr;
};
void plan_one_map(Sheet& sheet, const OneMap& map);
// A heatmap of signed numbers that are no stage: colours from -largest to largest unless the view sets a range.
HeatmapSpec spec_of_signed(const Sheet& sheet, const Tensor& matrix, double largest);

// The part of a legend that every map has: what a cell is, the range of its colours, what rows and columns are.
std::vector<Span> legend_of_axes(const Sheet& sheet, const std::string& noun, const std::string& range_words,
                                 bool score_like);

// "hatched: hidden, 6 of 16"; cells too small for the pattern are empty.
Span legend_of_hidden(const Sheet& sheet, const MapSize& size, const std::string& words, std::int64_t hidden,
                      std::int64_t cells);

// What cells without a number hold, where cells have numbers.
void add_words_of_numbers(const Sheet& sheet, const MapSize& size, CellText text, std::vector<Span>& spans);

// How the weights are shown, where it is otherwise than they were computed.
void add_words_of_shown(const Sheet& sheet, std::vector<Span>& spans);

// The meaning of colours and marks: "weight, one range for all heads. rows query columns key ..."
std::vector<Span> legend(const Sheet& sheet, const StagePicture& stage, const std::string& range_words,
                         const MapSize& size, std::int64_t head);

}  // namespace headscope
