// The page that a figure of heads is laid out on: words, rectangles and bars, with no trace behind them. Internal to
// core/picture.
#pragma once

#include <string>

#include "core/picture/figure/corpus_contents.h"
#include "core/picture/figure/figure_plan.h"
#include "core/picture/plot_axis.h"
#include "core/picture/view_spec.h"

namespace headscope {

struct Box4 {
  int x = 0, y = 0, width = 0, height = 0;
  int right() const { return x + width; }
  int bottom() const { return y + height; }
};

struct TextLook {
  FontRole role{};
  double size = 0;  // units
  Rgba color;
  double anchor = 0;  // the point of the line that is at x: 0 its left end, 1 its right one
};

struct CorpusPage {
  const CorpusFigure& figure;
  const HeadTable& table;
  const Palette& colors;
  ColorMap map;
  FigurePlan plan;

  explicit CorpusPage(const CorpusFigure& of);

  int px(double units) const;  // whole pixels, at least 1 above 0
  double font(double units) const { return units * figure.scale; }
  std::size_t mean(const std::string& key) const { return table.mean_named(key).value_or(0); }
  std::string name_of(std::size_t head) const;
  // nullopt where the value is none.
  std::optional<Rgba> color_of(std::size_t mean, double value) const;

  // Capitals are centred on `middle`.
  void text(double x, double middle, const std::string& words, const TextLook& look);
  void text_upwards(double center, double bottom, const std::string& words, double size, Rgba color);
  void rect(const Box4& box, Rgba color);
  void frame(const Box4& box, int thick, Rgba color);
  // An upright bar with the ends and the middle of the range of a mean.
  void bar(int x, int y, int height, std::size_t mean);
};

// The whole figure; the same as `view` shows it: with its scale, theme, colour map and paper. Throw as corpus_rows().
FigurePlan corpus_plan(const CorpusFigure& figure);
FigurePlan corpus_plan(const CorpusFigure& figure, const ViewSpec& view);

// Each lays a part out below `y`, and returns the y below it.
int add_plane(CorpusPage& page, int x, int y, int width);
int add_grid(CorpusPage& page, int x, int y, int width);
int add_histograms(CorpusPage& page, int x, int y, int width);
// Of the points that the figure has, in place of histograms.
int add_points_plane(CorpusPage& page, int x, int y, int width);
// Of the tree that the figure has; likewise.
int add_tree(CorpusPage& page, int x, int y, int width);
// Of a record with patterns.
int add_pattern(CorpusPage& page, int x, int y, int width);
// The width that the grid needs at least.
int grid_width(const CorpusPage& page);

}  // namespace headscope
