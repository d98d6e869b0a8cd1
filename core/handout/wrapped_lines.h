// A text of any script in lines of paper. Internal to core/handout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/picture/text/text_fonts.h"

namespace headscope {

struct WrappedLine {
  std::string text;            // as draw_text() takes it
  bool right_to_left = false;  // its paragraph begins at the right
};

// The lines of a text that are at most `width` wide in letters of that size; "" has none. Lines end between words,
// between letters of scripts that are written without blanks (not before a closing mark, nor behind an opening one),
// and within a word only where it alone is wider than a line. Line feeds end paragraphs; other control characters are
// blanks, and blanks between two words count as one.
std::vector<WrappedLine> wrapped_lines(std::string_view text, FontRole role, double size, double width);

}  // namespace headscope
