// Which texts are more than one glyph a code point from left to right.
#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

// Whether a line with these characters is more than one glyph a code point from left to right: text_layout.h places it.
bool needs_layout(std::string_view utf8);
bool needs_layout(std::uint32_t code_point);  // of this character alone

}  // namespace headscope
