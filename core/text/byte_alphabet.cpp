#include "core/text/byte_alphabet.h"

#include <fmt/format.h>

#include <array>

#include "core/base/utf8.h"

namespace headscope {

namespace {

bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<std::uint32_t, 256> letters;
  std::array<std::int16_t, 0x180> bytes;
};

Alphabet make_alphabet() {
  Alphabet alphabet;
  alphabet.bytes.fill(-1);
  std::uint32_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const std::uint32_t letter = stands_for_itself(byte) ? static_cast<std::uint32_t>(byte) : next++;
    alphabet.letters[static_cast<std::size_t>(byte)] = letter;
    alphabet.bytes[letter] = static_cast<std::int16_t>(byte);
  }
  return alphabet;
}

const Alphabet& alphabet() {
  static const Alphabet made = make_alphabet();
  return made;
}

// How many bytes at `at` begin like a character and then break off (table 3-7), at least 1.
std::size_t broken_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0; };
  const int lead = byte(0), second = byte(1);
  const int low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const int high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  const bool longer = lead >= 0xE0 && lead <= 0xF4;
  if (!longer || second < low || second > high) return 1;
  const bool third = byte(2) >= 0x80 && byte(2) <= 0xBF;
  return lead >= 0xF0 && third ? 3 : 2;
}

}  // namespace

std::uint32_t letter_of_byte(unsigned char byte) {
  return alphabet().letters[byte];
}

std::optional<unsigned char> byte_of_letter(std::uint32_t code_point) {
  if (code_point >= alphabet().bytes.size() || alphabet().bytes[code_point] < 0) return std::nullopt;
  return static_cast<unsigned char>(alphabet().bytes[code_point]);
}

std::string spelled_in_bytes(std::string_view text) {
  std::string spelling;
  spelling.reserve(2 * text.size());
  for (const char c : text) append_utf8(spelling, letter_of_byte(static_cast<unsigned char>(c)));
  return spelling;
}

std::string bytes_of_spelling(std::string_view spelling) {
  std::string bytes;
  for (std::size_t at = 0; at < spelling.size();) {
    const CodePoint point = code_point_at(spelling, at);
    const auto byte = point.valid ? byte_of_letter(point.value) : std::nullopt;
    if (!byte) return std::string(spelling);
    bytes.push_back(static_cast<char>(*byte));
    at += static_cast<std::size_t>(point.bytes);
  }
  return bytes;
}

std::string readable_bytes(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint point = code_point_at(bytes, at);
    const auto size = static_cast<std::size_t>(point.bytes);
    if (point.valid) {
      text.append(bytes.substr(at, size));
    } else {
      text += name_of_byte(static_cast<unsigned char>(bytes[at]));
    }
    at += size;
  }
  return text;
}

std::string replaced_invalid(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint point = code_point_at(bytes, at);
    if (point.valid) {
      text.append(bytes.substr(at, static_cast<std::size_t>(point.bytes)));
      at += static_cast<std::size_t>(point.bytes);
    } else {
      append_utf8(text, 0xFFFD);
      at += broken_bytes(bytes, at);
    }
  }
  return text;
}

std::string name_of_byte(unsigned char byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return {'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
}

std::optional<unsigned char> byte_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
  unsigned value = 0;
  for (const char c : piece.substr(3, 2)) {
    const bool digit = c >= '0' && c <= '9', letter = c >= 'A' && c <= 'F';
    if (!digit && !letter) return std::nullopt;
    value = 16 * value + static_cast<unsigned>(digit ? c - '0' : c - 'A' + 10);
  }
  return static_cast<unsigned char>(value);
}

std::string byte_words(std::span<const std::string> tokens, std::size_t at) {
  constexpr std::size_t kMostBytes = 4;  // of a character
  if (at >= tokens.size() || !byte_piece(tokens[at])) return "";
  std::size_t first = at;
  while (first > 0 && at - first + 1 < kMostBytes && byte_piece(tokens[first - 1])) --first;
  for (; first <= at; ++first) {
    std::string bytes;
    for (std::size_t k = first; k < tokens.size() && bytes.size() < kMostBytes; ++k) {
      const std::optional<unsigned char> byte = byte_piece(tokens[k]);
      if (!byte) break;
      bytes += static_cast<char>(*byte);
    }
    const CodePoint found = code_point_at(bytes, 0);
    const auto size = static_cast<std::size_t>(found.bytes);
    if (!found.valid || size < 2 || first + size <= at) continue;
    return fmt::format("byte {} of {} of {}", at - first + 1, size, bytes.substr(0, size));
  }
  return "";
}

}  // namespace headscope
