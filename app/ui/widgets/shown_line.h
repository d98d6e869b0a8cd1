// A line that the atlas cannot draw from left to right, letter by letter: its runs in the order in which they are seen,
// and the place of every grapheme. What HarfBuzz shaped is drawn as small pictures, the rest by the atlas.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/ui/widgets/text_pieces.h"
#include "core/picture/text/text_layout.h"

namespace headscope::ui {

// Pixels from the left end of the line. Its beginning is its right edge where it runs from right to left.
struct ShownGrapheme {
  std::size_t begin = 0, end = 0;  // bytes
  float left = 0, right = 0;
  bool right_to_left = false;
};

// A part of a shaped run in white on nothing, its coverage as alpha.
struct RunPicture {
  Image white;
  std::uint64_t key = 0;  // of its texture
};

struct ShownLine {
  std::shared_ptr<const TextLayout> layout;  // at the size of the atlas
  float pixels = 0;                          // an em
  std::vector<float> lefts;                  // of the runs of the layout, as wide as the window draws them
  std::vector<ShownGrapheme> graphemes;      // as seen from left to right
  std::vector<std::size_t> in_text;          // their indices in the order of the text
  float width = 0;
  std::map<std::pair<std::size_t, int>, RunPicture> pictures;  // by run, and by part of the run; made when first drawn
  std::size_t bytes = 0;                                       // about what it holds
  int frame = -1;                                              // the last one that asked for it

  // The last grapheme that begins at or before the byte; null in an empty line.
  const ShownGrapheme* grapheme_at(std::size_t byte) const;
};

// What lines may hold before those that neither this frame nor the one before has asked for are forgotten: a screen of
// 1920 x 1080 that is full of shaped text is 45 lines with pictures of 42 x 1920 pixels, 14.5 MB, and 2 MB of letters.
inline constexpr std::size_t kMostShownBytes = std::size_t{16} << 20;

// The lines that were drawn lately: nothing is shaped in a frame that shows what the one before showed. Emptied when
// the atlas changes.
struct ShownLines {
  std::unordered_map<std::string, std::shared_ptr<ShownLine>> lines;
  std::size_t bytes = 0;  // of all lines
  std::uint64_t next_key = 0;
  int frame = -1, forgotten_at = -1;  // this frame; the last one that forgot lines
  float scale = 0;
  std::vector<std::uint32_t> covered;  // by the atlas for which the lines were measured
};

// For a text with needs_layout().
std::shared_ptr<ShownLine> shown_line(Ui& ui, Type type, std::string_view s);

void draw_shown_line(Ui& ui, ImVec2 at, const TextStyle& style, ShownLine& line);

}  // namespace headscope::ui
