#include "core/base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>

namespace headscope {
namespace {

// Lead byte -> sequence length and the range of its second byte (Unicode 15, table 3-7); later bytes are 80..BF.
struct Lead {
  int bytes = 0;
  unsigned second_low = 0x80;
  unsigned second_high = 0xBF;
  std::uint32_t bits = 0;
};

Lead lead_of(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF, byte & 0x1Fu};
  if (byte == 0xE0) return {3, 0xA0, 0xBF, 0};
  if (byte == 0xED) return {3, 0x80, 0x9F, 0xD};
  if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF, byte & 0xFu};
  if (byte == 0xF0) return {4, 0x90, 0xBF, 0};
  if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF, byte & 0x7u};
  if (byte == 0xF4) return {4, 0x80, 0x8F, 4};
  return {};
}

bool breaks_between(std::uint32_t left, std::uint32_t right, utf8proc_int32_t* state) {
  return utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(left), static_cast<utf8proc_int32_t>(right),
                                          state) != 0;
}

// Where the code point before `at` starts; at > 0.
std::size_t code_point_before(std::string_view text, std::size_t at) {
  for (std::size_t back = std::min<std::size_t>(at, 4); back > 1; --back) {
    const CodePoint point = code_point_at(text, at - back);
    if (point.valid && static_cast<std::size_t>(point.bytes) == back) return at - back;
  }
  return at - 1;
}

// Classes after which a break needs no look further back than one code point: not the flags of which only pairs
// join, nor the extenders that may continue an emoji sequence.
bool breaks_without_history(std::uint32_t code_point) {
  switch (utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->boundclass) {
    case UTF8PROC_BOUNDCLASS_OTHER:
    case UTF8PROC_BOUNDCLASS_CR:
    case UTF8PROC_BOUNDCLASS_LF:
    case UTF8PROC_BOUNDCLASS_CONTROL:
    case UTF8PROC_BOUNDCLASS_L:
    case UTF8PROC_BOUNDCLASS_V:
    case UTF8PROC_BOUNDCLASS_T:
    case UTF8PROC_BOUNDCLASS_LV:
    case UTF8PROC_BOUNDCLASS_LVT:
      return true;
    default:
      return false;
  }
}

// Nobody writes a cluster of more bytes. One that is longer may be left at any character behind so many of its bytes:
// a step over it must not cost what the whole text would.
constexpr std::size_t kLongestGrapheme = 1024;

bool both_stand_alone(unsigned char left, unsigned char right) {
  return left < 0x80 && right < 0x80 && !(left == '\r' && right == '\n');
}

// A boundary at or before `at` that can be told from its two neighbours alone; of a very long cluster a character
// within it.
std::size_t safe_start(std::string_view text, std::size_t at) {
  const std::size_t lowest = at > kLongestGrapheme ? at - kLongestGrapheme : 0;
  while (at > lowest) {
    const std::size_t before = code_point_before(text, at);
    const std::uint32_t left = code_point_at(text, before).value;
    utf8proc_int32_t state = 0;
    if (breaks_without_history(left) && breaks_between(left, code_point_at(text, at).value, &state)) return at;
    at = before;
  }
  return at;
}

// `at`, or when it lies within a character, the end of that.
std::size_t end_of_character(std::string_view text, std::size_t at) {
  for (std::size_t back = 1; back < 4 && back <= at && at < text.size(); ++back) {
    const CodePoint point = code_point_at(text, at - back);
    if (point.valid && static_cast<std::size_t>(point.bytes) > back)
      return at - back + static_cast<std::size_t>(point.bytes);
  }
  return at;
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(text[at + offset]); };
  if (byte(0) < 0x80) return {byte(0), 1, true};
  const Lead lead = lead_of(byte(0));
  if (lead.bytes == 0 || text.size() - at < static_cast<std::size_t>(lead.bytes)) return {};
  std::uint32_t value = lead.bits;
  for (int i = 1; i < lead.bytes; ++i) {
    const unsigned next = byte(static_cast<std::size_t>(i));
    const bool second = i == 1;
    if (next < (second ? lead.second_low : 0x80) || next > (second ? lead.second_high : 0xBF)) return {};
    value = (value << 6) | (next & 0x3Fu);
  }
  return {value, lead.bytes, true};
}

std::size_t first_invalid_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    // Eight ASCII characters at once.
    for (std::uint64_t eight = 0; at + 8 <= text.size(); at += 8) {
      std::memcpy(&eight, text.data() + at, 8);
      if ((eight & 0x8080808080808080u) != 0) break;
    }
    if (at == text.size()) break;
    const CodePoint point = code_point_at(text, at);
    if (!point.valid) return at;
    at += static_cast<std::size_t>(point.bytes);
  }
  return std::string_view::npos;
}

bool is_valid_utf8(std::string_view text) {
  return first_invalid_byte(text) == std::string_view::npos;
}

void append_utf8(std::string& text, std::uint32_t code_point) {
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (surrogate || code_point > 0x10FFFF) code_point = 0xFFFD;
  const auto push = [&text](std::uint32_t byte) {
    text.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
  };
  if (code_point < 0x80) {
    push(code_point);
  } else if (code_point < 0x800) {
    push(0xC0 | (code_point >> 6));
    push(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    push(0xE0 | (code_point >> 12));
    push(0x80 | ((code_point >> 6) & 0x3F));
    push(0x80 | (code_point & 0x3F));
  } else {
    push(0xF0 | (code_point >> 18));
    push(0x80 | ((code_point >> 12) & 0x3F));
    push(0x80 | ((code_point >> 6) & 0x3F));
    push(0x80 | (code_point & 0x3F));
  }
}

std::size_t next_grapheme(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  if (at + 1 < text.size() && both_stand_alone(byte(at), byte(at + 1))) return at + 1;
  const std::size_t most = at + std::min(text.size() - at, kLongestGrapheme);
  utf8proc_int32_t state = 0;
  CodePoint left = code_point_at(text, at);
  at += static_cast<std::size_t>(left.bytes);
  while (at < most) {
    const CodePoint right = code_point_at(text, at);
    if (breaks_between(left.value, right.value, &state)) break;
    at += static_cast<std::size_t>(right.bytes);
    left = right;
  }
  return at;
}

std::size_t previous_grapheme(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  if (at == 0) return 0;
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  if (at >= 2 && both_stand_alone(byte(at - 2), byte(at - 1))) return at - 1;
  at = end_of_character(text, at);
  std::size_t boundary = safe_start(text, code_point_before(text, at));
  while (true) {
    const std::size_t next = next_grapheme(text, boundary);
    if (next >= at) return boundary;
    boundary = next;
  }
}

bool is_space(std::uint32_t code_point) {
  if (code_point >= 0x2000 && code_point <= 0x200A) return true;
  switch (code_point) {
    case 0x09:
    case 0x0A:
    case 0x0B:
    case 0x0C:
    case 0x0D:
    case 0x20:
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000:
      return true;
    default:
      return false;
  }
}

}  // namespace headscope
