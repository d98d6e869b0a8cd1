#include "core/handout/wrapped_lines.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/utf8.h"
#include "core/picture/text/text.h"
#include "core/text/visual_order.h"

namespace headscope {

namespace {

// A piece of a line: no line ends within it where it fits into one.
struct Piece {
  std::string text;
  bool after_blank = false;
};

// Han, kana and their marks are written without blanks: a line may end behind each of them.
bool stands_alone(std::uint32_t point) {
  return (point >= 0x2E80 && point < 0xA000) || (point >= 0xF900 && point < 0xFB00) ||
         (point >= 0xFF00 && point < 0xFFF0) || (point >= 0x20000 && point < 0x40000);
}

bool closes(std::uint32_t point) {
  constexpr std::array<std::uint32_t, 26> kClosing = {
      0x3001, 0x3002, 0xFF0C, 0xFF0E, 0xFF01, 0xFF1F, 0xFF1A, 0xFF1B, 0xFF09, 0x300D, 0x300F, 0x3011, 0x300B,
      0x3009, 0x3015, 0x30FC, 0x3005, 0x201D, 0x2019, 0x2026, '.',    ',',    '!',    '?',    ')',    ']'};
  return std::find(kClosing.begin(), kClosing.end(), point) != kClosing.end();
}

bool opens(std::uint32_t point) {
  constexpr std::array<std::uint32_t, 11> kOpening = {0xFF08, 0x300C, 0x300E, 0x3010, 0x300A, 0x3008,
                                                      0x3014, 0x201C, 0x2018, '(',    '['};
  return std::find(kOpening.begin(), kOpening.end(), point) != kOpening.end();
}

// The pieces of one paragraph.
std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  bool blank = true, alone_before = false, open_before = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = next_grapheme(text, at);
    const CodePoint point = code_point_at(text, at);
    if (is_space(point.value) || point.value < 0x20 || point.value == 0x7F) {
      blank = true;
      at = end;
      continue;
    }
    const bool alone = stands_alone(point.value);
    const bool joins = !blank && (open_before || closes(point.value) || (!alone && !alone_before));
    if (!joins) pieces.push_back({"", blank});
    if (point.valid) {
      pieces.back().text.append(text, at, end - at);
    } else {
      pieces.back().text += "\uFFFD";
    }
    blank = false;
    open_before = opens(point.value);
    alone_before = alone;
    at = end;
  }
  return pieces;
}

bool begins_at_the_right(std::string_view text) {
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    points += point.value < 32 ? U' ' : static_cast<char32_t>(point.value);
    at += static_cast<std::size_t>(point.bytes);
  }
  points += U' ';  // has the level of the paragraph
  return embedding_levels(points, LineDirection::from_text).back() % 2 == 1;
}

class Wrapper {
 public:
  Wrapper(FontRole role, double size, double width) : role_(role), size_(size), width_(width) {}

  std::vector<std::string> lines(const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) add(piece);
    if (!line_.empty()) end_line();
    return std::move(lines_);
  }

 private:
  bool fits(std::string_view text) const { return drawn_width(text, role_, size_) <= width_; }
  void end_line() { lines_.push_back(std::exchange(line_, "")); }

  void add(const Piece& piece) {
    const std::string longer = line_ + (piece.after_blank && !line_.empty() ? " " : "") + piece.text;
    if (fits(longer)) {
      line_ = longer;
      return;
    }
    if (!line_.empty()) end_line();
    std::string rest = piece.text;
    while (!fits(rest)) {
      const std::size_t cut = longest_part(rest);
      if (cut >= rest.size()) break;
      lines_.push_back(rest.substr(0, cut));
      rest.erase(0, cut);
    }
    line_ = rest;
  }

  // Where the longest part ends that fits into a line; behind the first letter at least.
  std::size_t longest_part(std::string_view text) const {
    std::size_t cut = next_grapheme(text, 0);
    for (std::size_t next = next_grapheme(text, cut); next <= text.size(); next = next_grapheme(text, next)) {
      if (!fits(text.substr(0, next))) break;
      cut = next;
      if (next == text.size()) break;
    }
    return cut;
  }

  const FontRole role_;
  const double size_, width_;
  std::string line_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<WrappedLine> wrapped_lines(std::string_view text, FontRole role, double size, double width) {
  std::vector<WrappedLine> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view paragraph = text.substr(begin, end - begin);
    const bool right = begins_at_the_right(paragraph);
    for (std::string& line : Wrapper(role, size, width).lines(pieces_of(paragraph))) {
      // A line begins at the left unless an isolate of the other direction holds it.
      if (right) line = "\u2067" + line + "\u2069";
      all.push_back({std::move(line), right});
    }
    begin = end + 1;
  }
  return all;
}

}  // namespace headscope
