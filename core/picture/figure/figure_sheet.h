// The sheet that a figure is laid out on: type, spacing, labels along axes, colour bars. Internal to core/picture.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/picture/figure/figure_plan.h"
#include "core/picture/figure/figure_stage.h"
#include "core/picture/paper.h"
#include "core/picture/view_spec.h"

namespace headscope {

// A piece of running text in one colour.
struct Span {
  std::string text;
  Rgba color;
  bool bold = false;  // on paper
};

// The size of a map and of its cells, in pixels. Cells are whole pixels wide and high; when a pixel shows more than one
// cell, the map is pooled().
struct MapSize {
  int width = 0, height = 0;
  double cell_width = 0, cell_height = 0;
  bool pooled() const { return cell_width < 1 || cell_height < 1; }
};

// How large cells may become. All in pixels of the picture.
struct MapRoom {
  std::int64_t rows = 0, columns = 0;
  int width = 0, height = 0;  // the map's largest extent
  int largest_cell = 0;
  int explicit_cell = 0;  // --cell; 0: the largest that fit
  bool square = true;     // cells of scores are square; of features, rows are higher than columns are wide
  int shortest = 0;       // cells of a shorter side are stretched to reach this length
  int row_height = 0;     // of features: the height of a row when there is room
};
MapSize map_size(const MapRoom& room);

// How a word is set; `size` in units.
struct WordStyle {
  FontRole role{};
  double size = 0;
  Rgba color;
};

// A highlighted label; index -1: none.
struct MarkedLabel {
  std::int64_t index = -1;
  Rgba color;
};

class Sheet {
 public:
  Sheet(const Trace& trace, const ViewSpec& view);

  const Trace& trace;
  // Where the weights are shown otherwise than they were computed: what patterns and entropies are of, which has the
  // places of the tokens that the trace hides; and the result as it was computed. Else the trace.
  const Trace *measured, *computed;
  const ViewSpec& view;
  const Palette& colors;
  FigurePlan plan;
  CancelToken cancel;  // looked at by what takes long while the figure is laid out

  int px(double units) const;  // whole pixels, at least 1 for anything above 0
  double font(double units) const { return units * view.scale; }
  double width_of(const std::string& text, FontRole role, double size) const {
    return drawn_width(text, role, font(size));
  }

  // ---- drawing; sizes in units, places in pixels. `middle`: the y on which capital letters are centred.
  void text(double x, double baseline, std::string text, FontRole role, double size, Rgba color);
  void text_middle(double x, double middle, std::string text, FontRole role, double size, Rgba color);
  void text_right(double right, double middle, std::string text, FontRole role, double size, Rgba color);
  void text_centred(double center, double middle, std::string text, FontRole role, double size, Rgba color);
  void text_upwards(double center, double bottom, std::string text, FontRole role, double size, Rgba color);
  void rect(int x, int y, int width, int height, Rgba color);
  // `anchor`: the point of the line that is at `x`: 0 the left end, 0.5 the middle, 1 the right end (TextItem::anchor).
  void text_anchored(double x, double middle, std::string text, const WordStyle& style, double anchor);
  // Text wrapped at `width`, with a line break at a span "\n"; returns its height in pixels. On paper it becomes part
  // of the caption, which finish() sets; nothing without captions.
  int paragraph(int x, int y, int width, const std::vector<Span>& spans);

  // ---- the parts of every figure
  bool on_paper() const { return is_for_paper(view); }
  int margin() const { return px(on_paper() ? 2 : 14); }
  // Pixels a cell from which every token is named: on paper lines of labels may be as close as letters allow.
  double named_from() const { return font(on_paper() ? 10.2 : 11); }
  // Title and facts at the top; returns the y below them. On paper they go into caption and recipe line.
  struct Title {
    std::int64_t head = -1;  // drawn as the head's coloured square; -1: none
    std::string name;
    bool contract_name = false;      // `name` is set in mono
    std::string stage, shape, fact;  // dimmed: `stage` and `shape` in mono, `fact` in words
    std::vector<std::string> lines;  // below the title, a line each; empty: request_facts()
  };
  int header(const Title& title, int width);
  // The gutter that row labels need, and the height of column labels, for cells of this size; 0 without labels.
  int row_gutter(const std::vector<std::string>& names, std::int64_t count, double cell_height) const;
  int column_height(const std::vector<std::string>& names, double cell_width) const;
  // Right-aligned before `right`. The label `marked` is always drawn, in its colour.
  void row_labels(const std::vector<std::string>& names, std::int64_t count, int right, int y, double cell_height,
                  const MarkedLabel& marked = {}) {
    side_labels(names, count, {.x = right, .y = y, .cell_height = cell_height, .before = true}, marked);
  }
  // The same at the right of the map, left-aligned behind `left`.
  void row_labels_behind(const std::vector<std::string>& names, std::int64_t count, int left, int y, double cell_height,
                         const MarkedLabel& marked = {}) {
    side_labels(names, count, {.x = left, .y = y, .cell_height = cell_height, .before = false}, marked);
  }
  void column_labels(const std::vector<std::string>& names, std::int64_t count, int x, int bottom, double cell_width);
  // The same below a map whose last row ends at `top`.
  void column_labels_below(const std::vector<std::string>& names, std::int64_t count, int x, int top,
                           double cell_width);
  // A thin line around a map.
  void frame(int x, int y, int width, int height);
  // query over key, token over feature, or the words of the names, right-aligned at the corner of the map.
  void corner(int right, int bottom, const AxisNames& names);
  // The room that an upright bar takes beside a map, and the bar itself.
  int upright_bar_room() const;
  int upright_bar_gap() const { return px(on_paper() ? 8 : 14); }  // between the map and the bar
  void upright_bar(int x, int y, int height, ColorMap map, const ValueRange& range);
  void level_bar(int x, int y, int width, ColorMap map, const ValueRange& range);
  // After everything else: on paper the caption and the recipe line, below the picture, wrapped and never cut.
  void finish();

 private:
  // The side of a map along which labels stand: its place, its first row's top, and on which side of it they are.
  struct Side {
    int x = 0, y = 0;
    double cell_height = 0;
    bool before = true;  // right-aligned before x; false: left-aligned behind it
  };
  void side_labels(const std::vector<std::string>& names, std::int64_t count, const Side& side,
                   const MarkedLabel& marked);
  void title_line(const Title& title, double middle, int right);
  // Words of one size, wrapped at the picture's width; returns the height in pixels.
  int wrapped(int y, const std::vector<Span>& spans, double size);
  // The words of the caption and of the recipe line, on paper.
  std::vector<Span> caption_;
  std::vector<std::string> recipe_;
  // Tick marks of a bar as (share of its length, label).
  std::vector<std::pair<double, std::string>> ticks(ColorMap map, const ValueRange& range, double length,
                                                    double spacing) const;
};

// "query \u2193" and "key \u2192": what stands in the corner of a map.
std::pair<std::string, std::string> corner_words(const AxisNames& names);

// "each pixel shows the largest of 9 weights", or "" when each cell has a pixel of its own.
std::string pooled_note(const MapSize& size, std::int64_t rows, std::int64_t columns, const std::string& noun);

}  // namespace headscope
