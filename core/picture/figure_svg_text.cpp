#include "core/picture/figure_svg_text.h"

#include <fmt/format.h>

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

}  // namespace headscope
