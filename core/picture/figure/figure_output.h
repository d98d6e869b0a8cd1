// The interface that draws a laid out figure: one implementation makes pixels, another SVG. Internal to core/picture.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/picture/figure/figure_plan.h"

namespace headscope {

class FigureOutput {
 public:
  virtual ~FigureOutput() = default;
  virtual void rect(const RectItem& item) = 0;
  // Drawn as rectangles unless an output has a pattern for it.
  virtual void hatch(const HatchItem& item);
  virtual void corner(const CornerItem& item) = 0;
  virtual void curve(const CurveItem& item) = 0;
  virtual void text(const TextItem& item) = 0;
  virtual void bar(const BarItem& item) = 0;
  virtual void image(const ImageItem& item) = 0;
  // Draws the cells alone; the numbers in them follow as texts.
  virtual void map(const MapItem& item) = 0;
  // The rows of the picture that are drawn: parts of an item that lie completely outside may be left out.
  virtual Range rows() const = 0;
};

// A rectangle in pixels.
struct TextBox {
  double x = 0, y = 0, width = 0, height = 0;
};

// A word in the middle of a rectangle; its height is that of the digits.
void draw_centred(FigureOutput& output, const TextBox& box, const std::string& text, double pixel_size, Rgba color);

// The numbers in the cells of a map, as choose_cell_numbers() said. Throws Cancelled.
void draw_cell_numbers(const MapItem& item, FigureOutput& output, const CancelToken& cancel);

// Draws the items in order; items without a function of their own are drawn as parts that have one. Throws Cancelled.
void draw_plan(const FigurePlan& plan, FigureOutput& output, const CancelToken& cancel);

}  // namespace headscope
