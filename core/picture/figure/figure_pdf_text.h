// Words on a PDF page: the glyphs that pictures draw, with the text that they stand for. Internal to core/picture.
#pragma once

#include <cairo.h>

#include <map>
#include <utility>

#include "core/picture/figure/figure_plan.h"

namespace headscope {

class PdfText {
 public:
  explicit PdfText(cairo_t* page) : page_(page) {}
  ~PdfText();
  PdfText(const PdfText&) = delete;
  PdfText& operator=(const PdfText&) = delete;

  // Sets one line. What no font has is a box of rectangles, as in pictures.
  void show(const TextItem& item);

 private:
  cairo_font_face_t* face_of(const FontFile& file);

  cairo_t* page_;
  std::map<std::pair<std::string, int>, cairo_font_face_t*> faces_;
};

}  // namespace headscope
