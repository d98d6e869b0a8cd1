// How a text is taken apart for drawing: what the atlas has, what is drawn as a picture, what as a box.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/ui.h"

namespace headscope::ui {

struct TextPiece {
  enum class Kind { plain, picture, boxed, bad_byte, blank, invisible } kind = Kind::plain;
  std::size_t begin = 0, end = 0;  // bytes
  std::uint32_t code_point = 0;    // of picture and boxed
};
std::vector<TextPiece> text_pieces(Ui& ui, Type type, std::string_view s);
float piece_width(Ui& ui, Type type, std::string_view s, const TextPiece& piece);

// Code points that take no room: joiners, variation selectors, direction marks.
bool is_invisible(std::uint32_t code_point);

// Small raised and lowered letters: fonts make them of scaled parts, which Dear ImGui's own rasteriser scales twice.
// They are drawn as pictures by FreeType instead.
bool is_scaled_letter(std::uint32_t code_point);

// Printable ASCII only: one plain run.
bool is_ascii(std::string_view s);

// Size of a type at 1x in pixels an em.
float em_pixels(Type type);

// Everything written on screen that a user or a file chose, as of now.
std::string all_text(const Session& session, const UiState& state);

// The text, or its longest beginning that fits with an ellipsis.
std::string cut_to_width(Ui& ui, Type type, std::string_view s, float width);

}  // namespace headscope::ui
