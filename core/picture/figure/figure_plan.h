// A figure as a list of things to draw, laid out to the pixel before anything is drawn. Internal to core/picture, and
// to what lays out pages of its own (core/worksheet).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/cancel.h"
#include "core/io/picture_rows.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/heatmap.h"
#include "core/picture/paper_spec.h"
#include "core/picture/text/text.h"

namespace headscope {

// One line; (x, y) is the left end of the baseline (upwards: its lower end).
struct TextItem {
  double x = 0, y = 0;
  std::string text;
  FontRole role = FontRole::words;
  double size = 0;
  Rgba color;
  int quarter_turns = 0;
  // The point of the line that stays in place when another font makes the line wider or narrower: 0 its left end, 0.5
  // its middle, 1 its right end. SVG readers may use other fonts.
  double anchor = 0;
};

// Colours of rectangles and curves may be translucent.
struct RectItem {
  int x = 0, y = 0, width = 0, height = 0;
  Rgba color;
};

// The upper left triangle of a square.
struct CornerItem {
  int x = 0, y = 0, side = 0;
  Rgba color;
};

// A line that leaves (x0, y0) and reaches (x1, y1) level: the cubic Bezier curve whose inner points lie in the middle
// between them, at the height of the ends. x0 < x1.
struct CurveItem {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  double width = 1;
  Rgba color;
};

// A rectangle of hidden cells: `well` with lines at 45 degrees, `spacing` pixels apart and `line` wide, which join
// across neighbours.
struct HatchItem {
  int x = 0, y = 0, width = 0, height = 0;
  Rgba well, hatch;
  int spacing = 5, line = 1;
};

enum class CellText { none, weights, values };  // the numbers written into cells of 24 px and more

struct MapItem {
  int x = 0, y = 0;
  HeatmapSpec spec;
  CellText cell_text = CellText::none;
  CellNumbers numbers = {};  // how they are written: choose_cell_numbers()
};

// Pixels as they are, one for each of the picture.
struct ImageItem {
  int x = 0, y = 0;
  std::shared_ptr<const Image> pixels;
};

// The colour map as a bar: its low end is at the left, or at the bottom when upright.
struct BarItem {
  int x = 0, y = 0, width = 0, height = 0;
  ColorMap map = ColorMap::viridis;
  bool upright = false;
};

// Where the cells of a directly merged concat come from: [positions, heads] blocks in the colours of head and token.
struct ProvenanceItem {
  int x = 0, y = 0, width = 0, height = 0;
  std::int64_t heads = 0, positions = 0;
  double scale = 1;
  Theme theme = Theme::dark;
};

struct FigurePlan {
  int width = 0, height = 0;
  Rgba ground;                             // transparent: a picture with alpha
  double pixels_per_inch = 0;              // which the file states; 0: it states none
  std::optional<PaperLength> paper_width;  // exactly this wide on paper
  std::string title, description;          // for screen readers
  std::vector<
      std::variant<TextItem, RectItem, HatchItem, CornerItem, CurveItem, MapItem, BarItem, ProvenanceItem, ImageItem>>
      items;
};

// The plan drawn row by row, its items in order. load() and draw() throw Cancelled.
PictureRows plan_rows(FigurePlan plan, const CancelToken& cancel);

// The plan as an SVG or PDF document; see FigureDocument.
void write_svg(std::ostream& out, const FigurePlan& plan, const std::map<std::string, std::string>& recipe,
               const CancelToken& cancel, const std::function<void(double)>& progress);

void write_pdf(std::ostream& out, const FigurePlan& plan, const std::map<std::string, std::string>& recipe,
               const CancelToken& cancel, const std::function<void(double)>& progress);

// Several plans as the pages of one PDF document, at least one; title and description are those of the first.
// `progress` may be empty. Throws Cancelled.
void write_pdf_pages(std::ostream& out, std::span<const FigurePlan> pages, const CancelToken& cancel,
                     const std::function<void(double)>& progress);

// ---- numbers as pictures show them: U+2212 for minus, no zero before the point
// ".25", "1", "−1.9", "12.5", "1e−4": at most three significant digits of the largest value of the scale.
std::string tick_text(double value, double largest);
// ".90", "1", "" below .005.
std::string weight_text(float value);
// "0.1234", "−1.2340", below 1e-3 "−1.234e−05", "NaN", "inf": with this many decimals.
std::string signed_number_text(double value, int decimals = 4);

// ---- numbers in cells
// Whether cells of so many pixels have numbers, in a picture of this scale.
bool has_cell_numbers(CellText text, double cell, double scale);
// Says how the numbers in the cells of all maps of the picture are written: all with the same unit of the last digit,
// by the numbers that there are and by the smallest cells. Reads the values of these maps. Throws Cancelled.
void choose_cell_numbers(FigurePlan& plan, const CancelToken& cancel);

}  // namespace headscope
