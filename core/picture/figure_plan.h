// A figure as a list of things to draw, laid out to the pixel before anything is drawn. Internal to core/picture.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/cancel.h"
#include "core/picture/heatmap.h"
#include "core/picture/picture_rows.h"
#include "core/picture/text.h"

namespace headscope {

// One line; (x, y) is the left end of the baseline (upwards: its lower end).
struct TextItem {
  double x = 0, y = 0;
  std::string text;
  FontRole role = FontRole::words;
  double size = 0;
  Rgba color;
  int quarter_turns = 0;
};

struct RectItem {
  int x = 0, y = 0, width = 0, height = 0;
  Rgba color;
};

enum class CellText { none, weights, values };  // what is written into cells of 24 px and more

struct MapItem {
  int x = 0, y = 0;
  HeatmapSpec spec;
  CellText cell_text = CellText::none;
};

// The colour map as a bar: low end at the left, or below.
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
  Rgba ground;
  std::vector<std::variant<TextItem, RectItem, MapItem, BarItem, ProvenanceItem>> items;
};

// The plan drawn row by row, its items in order. load() and draw() throw Cancelled.
PictureRows plan_rows(FigurePlan plan, const CancelToken& cancel);

// ---- numbers as they stand in pictures: U+2212 for minus, no zero before the point
// ".25", "1", "−1.9", "12.5", "1e−4": at most three significant digits of the largest value of the scale.
std::string tick_text(double value, double largest);
// ".90", "1", "" below .005.
std::string weight_text(float value);
// As many decimals (at most 2) as fit into `most` characters, "" when none does.
std::string value_text(float value, int most);

}  // namespace headscope
