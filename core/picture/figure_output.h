// What a laid out figure is drawn through: one output makes pixels, another SVG. Internal to core/picture.
#pragma once

#include "core/base/cancel.h"
#include "core/picture/figure_plan.h"

namespace headscope {

class FigureOutput {
 public:
  virtual ~FigureOutput() = default;
  virtual void rect(const RectItem& item) = 0;
  virtual void corner(const CornerItem& item) = 0;
  virtual void curve(const CurveItem& item) = 0;
  virtual void text(const TextItem& item) = 0;
  virtual void bar(const BarItem& item) = 0;
  // The cells alone; what is written into them follows as texts.
  virtual void map(const MapItem& item) = 0;
  // The rows of the picture that are wanted: parts of an item that lie wholly elsewhere may be left out.
  virtual Range rows() const = 0;
};

// Draws the items in order, those that are made of others through their parts. Throws Cancelled.
void draw_plan(const FigurePlan& plan, FigureOutput& output, const CancelToken& cancel);

}  // namespace headscope
