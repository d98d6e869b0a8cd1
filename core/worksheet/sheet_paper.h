// Sheets of paper that are written on by lines of text and tables, one below the other. Internal to core/worksheet
// and core/handout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/picture/figure/figure_plan.h"

namespace headscope {

// How letters are set; `size` in tenths of a millimetre.
struct PaperType {
  FontRole role{};
  double size = 0;
  Rgba color;
};

// Lengths are tenths of a millimetre. Text is dark on white, as printers want it.
class SheetPaper {
 public:
  // Begins with an empty page of that size.
  SheetPaper(int width, int height);

  static constexpr int kMargin = 140;
  int left() const { return kMargin; }
  int right() const { return width_ - kMargin; }
  // Where the foot of a page begins; nothing else stands below.
  int bottom() const;
  // Where the next thing begins; move it with skip().
  int y() const { return y_; }
  void skip(int by) { y_ += by; }
  // Begins a new page unless so much is left on this one.
  void need(int height);

  // One line with its baseline at y, from x to the right (share 0), around it (0.5) or up to it (1).
  void line(double x, double baseline, std::string_view text, const PaperType& type, double share = 0);
  // A paragraph from the left margin to the right one, which moves y().
  void paragraph(std::string_view text, double size, Rgba color);
  void fill(const RectItem& rect);
  void frame(const RectItem& rect, int thickness);
  // Adds a line at the foot of every page: `text`, and which page of how many it is where there are several.
  void foot(const std::string& text);

  std::vector<FigurePlan> pages;

 private:
  void add_page();
  int width_, height_, y_ = 0;
};

}  // namespace headscope
