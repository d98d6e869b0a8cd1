#include "core/picture/figure/figure_svg_text.h"

#include <fmt/format.h>

#include "core/picture/figure/figure_cells.h"

namespace headscope {

std::string svg_color(Rgba color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
}

std::string svg_paint(const char* attribute, Rgba color) {
  if (color.a == 255) return fmt::format("{}=\"{}\"", attribute, svg_color(color));
  return fmt::format("{0}=\"{1}\" {0}-opacity=\"{2:.3f}\"", attribute, svg_color(color), color.a / 255.0);
}

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

const char* svg_class(FontRole role) {
  switch (role) {
    case FontRole::words:
      return "w";
    case FontRole::words_bold:
      return "w b";
    case FontRole::numbers:
      return "n";
    case FontRole::numbers_bold:
      return "n b";
  }
  return "";
}

namespace {

// The diagonal of each tile and the two corners that its neighbours' diagonals reach into.
std::string hatch_pattern(const Hatch& hatch) {
  return fmt::format(
      "<defs><pattern id=\"hatch\" patternUnits=\"userSpaceOnUse\" width=\"{0}\" height=\"{0}\">"
      "<path d=\"M-1 1L1 -1M0 {0}L{0} 0M{1} {2}L{2} {1}\" stroke=\"{3}\" stroke-width=\"{4}\"/></pattern></defs>\n",
      hatch.spacing, hatch.spacing - 1, hatch.spacing + 1, svg_color(hatch.color), svg_number(hatch.thickness));
}

}  // namespace

std::string svg_hatch(const FigurePlan& plan) {
  for (const auto& item : plan.items) {
    if (const auto* hatch = std::get_if<HatchItem>(&item)) {
      return hatch_pattern({hatch->spacing, static_cast<double>(hatch->line) * 0.7071, hatch->hatch});
    }
    if (const auto* map = std::get_if<MapItem>(&item)) {
      return hatch_pattern(hatch_of(map->spec));
    }
  }
  return "";
}

}  // namespace headscope
