// Which font files a text is drawn with, and how high their lines are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headscope {

enum class FontRole { words, words_bold, numbers, numbers_bold };  // Inter / JetBrains Mono, else the best sans / mono

// The file and face index that fontconfig gives for a role, or for one code point that the role's font lacks.
// font_file gives the built-in font where none is installed, and an empty path where the program has none either.
// fallback_font_file gives an empty path when no installed font has the code points. Shared with the window's font
// atlas.
struct FontFile {
  std::string path;
  int face = 0;
  friend bool operator==(const FontFile&, const FontFile&) = default;
};
FontFile font_file(FontRole role);
FontFile fallback_font_file(std::uint32_t code_point, FontRole role);
// The first font of the role's list that has all of these code points.
FontFile fallback_font_file(std::u32string_view code_points, FontRole role);

// True where no font is installed and texts are drawn with the built-in one: users are told so.
bool draws_with_built_in_font();

// Distances from the baseline in pixels, all positive: of the role's own font at a pixel size.
struct FontMetrics {
  double ascent = 0, descent = 0;  // of the tallest and deepest letters
  double cap_height = 0;           // of H: a line is centred on y with its baseline at y + cap_height / 2
};
FontMetrics font_metrics(FontRole role, double pixel_size);

}  // namespace headscope
