// Splits a text into pieces for drawing: characters of the atlas, pictures, boxes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/ui.h"
#include "app/ui/widgets/words.h"

namespace headscope::ui {

struct TextPiece {
  enum class Kind { plain, picture, boxed, bad_byte, blank, invisible } kind = Kind::plain;
  std::size_t begin = 0, end = 0;  // bytes
  std::uint32_t code_point = 0;    // of kinds picture and boxed
};
// What pictures of single characters may hold, in all. A character of 16 px an em takes 1.6 KB, one of 64 px 25 KB: as
// many different ones as 10,000 or 640. A screen full of Chinese shows 2,000 and 300.
inline constexpr std::size_t kMostGlyphBytes = std::size_t{16} << 20;

std::vector<TextPiece> text_pieces(Ui& ui, Type type, std::string_view s);
float piece_width(Ui& ui, Type type, std::string_view s, const TextPiece& piece);

// How a line is drawn. `all`: the caller will move what is drawn, so that the clip rectangle leaves none out.
struct TextStyle {
  Type type;
  Rgba color;
  bool all = false;
};

// Draws the pieces one behind the other, from left to right; `at` is the upper left corner of the line.
void draw_pieces(Ui& ui, ImVec2 at, const TextStyle& style, std::string_view s);
float pieces_width(Ui& ui, Type type, std::string_view s);

// Code points that take no room: joiners, variation selectors, direction marks.
bool is_invisible(std::uint32_t code_point);

// Whether it is a small raised or lowered letter: fonts build these from scaled parts, which Dear ImGui's rasteriser
// scales twice. FreeType draws them as pictures instead.
bool is_scaled_letter(std::uint32_t code_point);

// Whether the text is printable ASCII only: a single plain piece.
bool is_ascii(std::string_view s);

// Size of a type at 1x in pixels an em, and in the atlas for this scale.
float em_pixels(Type type);
float atlas_em(Type type, float scale);

// All text on screen that comes from the user or from files, in its current state.
std::string all_text(const Session& session, const UiState& state);

// The text in the window's language, in the fullest way that fits, or the longest beginning that fits with an ellipsis.
std::string cut_to_width(Ui& ui, Type type, const Words& s, float width);

}  // namespace headscope::ui
