// Text that remembers where each of its bytes came from, through all rewriting before it reaches a vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/utf8.h"

namespace headscope {

// [begin, end) in bytes of the text that the user typed.
struct SourceRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// Valid UTF-8; source[k] is the range of the whole character that bytes[k] came from. Throws Error when it grows beyond
// 128 MiB: the rules of a tokenizer file may make a text a thousand times longer.
struct AlignedText {
  std::string bytes;
  std::vector<SourceRange> source;

  std::size_t size() const { return bytes.size(); }
  void reserve(std::size_t size);
  void append(std::uint32_t code_point, SourceRange from);
  void append(std::string_view text, SourceRange from);
  void append(const AlignedText& text, std::size_t begin, std::size_t end);
  // The source of the bytes [begin, end): from the beginning of the first byte's source to the end of the last byte's.
  SourceRange source_of(std::size_t begin, std::size_t end) const;

 private:
  void check_size(std::size_t more) const;
};

// `text` unchanged, which begins at byte `offset` of the typed text. An invalid byte becomes U+FFFD.
AlignedText aligned(std::string_view text, std::size_t offset = 0);

// One code point of a rewritten text. change 0: it replaces the next old one; +1: it is inserted and replaces none; -n:
// it replaces 1 + n old ones. Hugging Face's tokenizers count the same way, and their offsets follow from it: a
// replaced group is aligned with its first character.
struct Change {
  std::uint32_t code_point;
  int change;
};
AlignedText rewritten(const AlignedText& text, const std::vector<Change>& changes);

// f(code point, position, bytes) for every code point of valid UTF-8.
template <typename F>
void for_each_code_point(std::string_view text, F&& f) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    f(point.value, at, static_cast<std::size_t>(point.bytes));
    at += static_cast<std::size_t>(point.bytes);
  }
}

// A part of the text: a word (id -1), or an added token that was found (its id, not negative).
struct TextPiece {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t id = -1;
};

struct PieceList {
  AlignedText text;
  std::vector<TextPiece> pieces;  // ascending
};

}  // namespace headscope
