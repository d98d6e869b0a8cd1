// UTF-8 in and out, by the rules of Unicode 15, table 3-7: overlong forms, surrogates and stray bytes are invalid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headscope {

struct CodePoint {
  std::uint32_t value = 0xFFFD;
  int bytes = 1;  // how many bytes it took; 1 for an invalid byte
  bool valid = false;
};

// The code point that starts at text[at]; at < text.size().
CodePoint code_point_at(std::string_view text, std::size_t at);

bool is_valid_utf8(std::string_view text);

// Byte offset of the first invalid byte, or npos when there is none.
std::size_t first_invalid_byte(std::string_view text);

void append_utf8(std::string& text, std::uint32_t code_point);

// Boundaries of grapheme clusters (what a caret steps over), by utf8proc. Both clamp to [0, size].
std::size_t next_grapheme(std::string_view text, std::size_t at);
std::size_t previous_grapheme(std::string_view text, std::size_t at);

// White space by Unicode's White_Space property.
bool is_space(std::uint32_t code_point);

}  // namespace headscope
