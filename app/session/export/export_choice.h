// What the user chooses of an export: which numbers, as what, and where to.
#pragma once

#include <string>

#include "core/picture/palette.h"
#include "core/picture/paper_spec.h"

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
  text,
  lens,
  attribution,
  sweep,
  gradients,
  score,
  composition,
  scatter,
  corpus,
  explanation,
  session
};
enum class ExportFile { png, svg, pdf, html, csv, npy, safetensors, json };

struct ExportChoice {
  ExportSubject subject = ExportSubject::head;
  ExportFile format = ExportFile::png;
  double scale = 2;           // pictures for the screen
  PaperSpec paper;            // figures: their size on paper, their ground, what stands around the maps
  std::string heads = "all";  // of all heads, those that are drawn, as --heads-shown spells them
  Theme theme = Theme::dark;
  bool labels = true, color_bar = true, recipe = true;
  bool csv_long = false;  // csv: one table instead of one matrix a slice
  bool csv_safe = false;  // csv: an apostrophe before tokens that begin like formulas
  std::string folder;
  std::string file;  // a file name; for several files the name of their folder
  friend bool operator==(const ExportChoice&, const ExportChoice&) = default;
};

}  // namespace headscope
