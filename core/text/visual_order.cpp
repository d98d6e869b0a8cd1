#include "core/text/visual_order.h"

#include <fribidi.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/utf8.h"

namespace headscope {
namespace {

bool ends_paragraph(std::uint32_t code_point) {
  return fribidi_get_bidi_type(code_point) == FRIBIDI_TYPE_BS;
}

FriBidiParType paragraph_type(LineDirection direction) {
  switch (direction) {
    case LineDirection::left_to_right:
      return FRIBIDI_PAR_LTR;
    case LineDirection::right_to_left:
      return FRIBIDI_PAR_RTL;
    case LineDirection::from_text:
      break;
  }
  return FRIBIDI_PAR_ON;
}

// Rule L1, part 4: what the end of a line hides has the level of the paragraph.
bool vanishes_at_the_end(FriBidiCharType type) {
  return FRIBIDI_IS_EXPLICIT_OR_BN_OR_WS(type) || FRIBIDI_IS_ISOLATE(type);
}

bool is_left_to_right(std::uint32_t code_point) {
  if (code_point < 0x590) return true;
  const FriBidiCharType type = fribidi_get_bidi_type(code_point);
  return !FRIBIDI_IS_RTL(type) && !FRIBIDI_IS_EXPLICIT(type) && !FRIBIDI_IS_ISOLATE(type) && type != FRIBIDI_TYPE_AN;
}

// What one paragraph needs; kept from one to the next, since a text may consist of empty lines.
struct Resolver {
  std::vector<FriBidiChar> characters;
  std::vector<FriBidiCharType> types;
  std::vector<FriBidiBracketType> brackets;
  std::vector<FriBidiLevel> levels;

  void resolve(std::u32string_view text, LineDirection direction, std::span<std::int8_t> result) {
    if (text.size() > static_cast<std::size_t>(std::numeric_limits<FriBidiStrIndex>::max())) return;
    const auto size = static_cast<FriBidiStrIndex>(text.size());
    characters.assign(text.begin(), text.end());
    types.resize(text.size());
    brackets.resize(text.size());
    levels.assign(text.size(), 0);
    fribidi_get_bidi_types(characters.data(), size, types.data());
    fribidi_get_bracket_types(characters.data(), size, types.data(), brackets.data());
    FriBidiParType resolved = paragraph_type(direction);
    if (fribidi_get_par_embedding_levels_ex(types.data(), brackets.data(), size, &resolved, levels.data()) == 0) return;
    const FriBidiLevel base = FRIBIDI_IS_RTL(resolved) ? 1 : 0;
    std::size_t end = text.size();
    if (end > 0 && types[end - 1] == FRIBIDI_TYPE_BS) levels[--end] = base;
    while (end > 0 && vanishes_at_the_end(types[end - 1])) levels[--end] = base;
    std::copy(levels.begin(), levels.end(), result.begin());
  }
};

}  // namespace

std::vector<std::int8_t> embedding_levels(std::u32string_view text, LineDirection direction) {
  std::vector<std::int8_t> levels(text.size(), 0);
  if (direction != LineDirection::right_to_left && std::all_of(text.begin(), text.end(), is_left_to_right)) {
    return levels;
  }
  Resolver resolver;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && !ends_paragraph(text[end])) ++end;
    end = std::min(end + 1, text.size());
    resolver.resolve(text.substr(begin, end - begin), direction, std::span(levels).subspan(begin, end - begin));
    begin = end;
  }
  return levels;
}

std::vector<std::size_t> visual_order(std::span<const std::int8_t> levels) {
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (levels.empty()) return order;
  const std::int8_t highest = *std::max_element(levels.begin(), levels.end());
  // From the highest level down to the lowest odd one, every stretch of at least that level is reversed.
  for (int level = highest; level >= 1; --level) {
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin;
      while (end < order.size() && levels[order[end]] >= level) ++end;
      std::reverse(order.begin() + static_cast<std::ptrdiff_t>(begin),
                   order.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end + 1;
    }
  }
  return order;
}

bool turns_the_line(std::uint32_t code_point) {
  if (code_point < 0x590) return false;
  switch (fribidi_get_bidi_type(code_point)) {
    case FRIBIDI_TYPE_RTL:
    case FRIBIDI_TYPE_AL:
    case FRIBIDI_TYPE_AN:
    case FRIBIDI_TYPE_RLE:
    case FRIBIDI_TYPE_RLO:
    case FRIBIDI_TYPE_RLI:
      return true;
    default:
      return false;
  }
}

std::string isolated(std::string_view utf8) {
  constexpr std::uint32_t kFirstIsolate = 0x2066, kAnyIsolate = 0x2068, kEndOfIsolate = 0x2069;
  bool turns = false;
  std::string result;
  append_utf8(result, kAnyIsolate);
  int open = 1;
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint point = code_point_at(utf8, at);
    const auto bytes = static_cast<std::size_t>(point.bytes);
    result += utf8.substr(at, bytes);
    at += bytes;
    const bool begins = point.value >= kFirstIsolate && point.value <= kAnyIsolate;
    const bool ends = point.value == kEndOfIsolate;
    turns = turns || begins || ends || turns_the_line(point.value);
    if (begins) ++open;
    if (!ends) continue;
    // What follows an end that the text did not open is isolated again.
    if (--open == 0) {
      append_utf8(result, kAnyIsolate);
      open = 1;
    }
  }
  for (; open > 0; --open) append_utf8(result, kEndOfIsolate);
  return turns ? result : std::string(utf8);
}

std::uint32_t mirrored(std::uint32_t code_point) {
  FriBidiChar other = code_point;
  return fribidi_get_mirror_char(code_point, &other) != 0 ? other : code_point;
}

}  // namespace headscope
