// What the user chooses of an export: which numbers, as what, and where to.
#pragma once

#include <string>

#include "core/picture/palette.h"

namespace headscope {

// first, second, difference: of a view with two results beside each other (A and B, right and wrong).
enum class ExportSubject {
  window,
  first,
  second,
  difference,
  sensitivity,
  head,
  heads,
  stage,
  concat,
  arcs,
  neurons,
  session
};
enum class ExportFile { png, svg, csv, npy, safetensors, json };

struct ExportChoice {
  ExportSubject subject = ExportSubject::head;
  ExportFile format = ExportFile::png;
  double scale = 2;  // pictures
  Theme theme = Theme::dark;
  bool labels = true, color_bar = true, recipe = true;
  bool csv_long = false;  // csv: one table instead of one matrix a slice
  std::string folder;
  std::string file;  // a file name; for several files the name of their folder
  friend bool operator==(const ExportChoice&, const ExportChoice&) = default;
};

}  // namespace headscope
