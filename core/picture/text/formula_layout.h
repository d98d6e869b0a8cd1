// A formula with every part at its place: boxes with a baseline, put beside, above and below each other. Pure
// geometry: widths and heights of letters come from the caller, so that window and pictures lay out alike.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/explain/formula_tree.h"

namespace headscope {

// How large letters are. All in the unit of the caller, pixels for one.
struct FormulaFonts {
  std::function<double(FormulaType type, std::string_view text)> width;
  // Of the letters of a type, above and below the baseline: what lines keep free for them.
  std::function<double(FormulaType type)> ascent, descent;
  double unit = 1;  // pixels of a unit of the visual system
};

// Places from the upper left corner of the formula.
struct FormulaGlyphs {
  double x = 0, baseline = 0;
  std::string text;
  FormulaType type{};
  FormulaRole role{};
};
struct FormulaRect {
  double x = 0, y = 0, width = 0, height = 0;
};
// The part of a formula that a step makes.
struct FormulaTerm {
  std::string term;
  FormulaRect place;
};

struct FormulaLayout {
  double width = 0, height = 0;
  double baseline = 0;  // of the first line
  std::vector<FormulaGlyphs> glyphs;
  std::vector<FormulaRect> bars;   // of fractions, roots, brackets, braces: filled
  std::vector<FormulaTerm> terms;  // outer ones before those within
};

// One part, in a line.
FormulaLayout formula_layout(const FormulaNode& node, const FormulaFonts& fonts);

// left = right = ...: in as few lines as fit into `width`, broken before an equals sign, which is drawn.
FormulaLayout formula_layout(const Formula& formula, const FormulaFonts& fonts, double width);

// How pictures write a type, in units: the window's fonts follow it.
double formula_size(FormulaType type);

}  // namespace headscope
