// SentencePiece files for tests, field by field as protocol buffers write them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace headscope::test {

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}

inline std::string number_field(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}

inline std::string text_field(int field, const std::string& text) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(text.size()) + text;
}

inline std::string four_bytes(std::uint32_t bits) {
  std::string text;
  for (int k = 0; k < 4; ++k) text += static_cast<char>(bits >> (8 * k) & 0xFF);
  return text;
}

// `type`: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte.
inline std::string piece(const std::string& text, float score, int type = 1) {
  const std::string number = varint(2 << 3 | 5) + four_bytes(std::bit_cast<std::uint32_t>(score));
  return text_field(1, text_field(1, text) + number + (type == 1 ? "" : number_field(3, static_cast<unsigned>(type))));
}

}  // namespace headscope::test
