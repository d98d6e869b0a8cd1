// Letters that no font at hand has: who writes words on paper is told of them before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/picture/text/text_fonts.h"

namespace headscope {

// The code points of a text, each once and in its order, in whose place text.h and pages draw a box with a number
// because no font at hand has them. Control characters, which are boxes with any font, are none of them.
std::vector<std::uint32_t> letters_without_font(std::string_view utf8, FontRole role);

// Says which letters of a text that goes on paper no font at hand has, as a notice says it, without its full stop; ""
// where fonts have all of them.
std::string words_of_letters_without_font(std::string_view utf8, FontRole role);

}  // namespace headscope
