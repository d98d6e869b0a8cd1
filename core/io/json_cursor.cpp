#include "core/io/json_cursor.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/decimal_text.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"

namespace headscope {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

JsonCursor::JsonCursor(std::string_view json, const std::string& what)
    : json_(json), what_(std::make_shared<const std::string>(what)) {
  if (json.starts_with("\xEF\xBB\xBF")) {
    throw Error(fmt::format("{}: begins with a byte order mark; save it as UTF-8 without one", what));
  }
  if (const std::size_t nul = json.find('\0'); nul != json.npos) {
    at_ = nul;
    fail("not valid JSON: a NUL");
  }
  if (const std::size_t bad = first_invalid_byte(json); bad != json.npos) {
    at_ = bad;
    fail(fmt::format("not valid JSON: 0x{:02X}, which is not UTF-8,", static_cast<unsigned char>(json[bad])));
  }
}

void JsonCursor::fail(const std::string& sentence) const {
  throw Error(fmt::format("{}: {} at byte {}", *what_, sentence, at_ + 1));
}

void JsonCursor::skip_blanks() {
  while (at_ < json_.size()) {
    const char c = json_[at_];
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
    ++at_;
  }
}

void JsonCursor::expect(char wanted) {
  skip_blanks();
  if (at_ >= json_.size()) fail(fmt::format("not valid JSON: it ends where '{}' is expected,", wanted));
  if (json_[at_] != wanted) {
    fail(fmt::format("not valid JSON: found {} where '{}' is expected", in_quotes(json_.substr(at_, 12)), wanted));
  }
  ++at_;
}

JsonValue::Kind JsonCursor::kind() {
  skip_blanks();
  if (at_ >= json_.size()) fail("not valid JSON: it ends where a value is expected,");
  switch (json_[at_]) {
    case '"':
      return JsonValue::Kind::string;
    case '{':
      return JsonValue::Kind::object;
    case '[':
      return JsonValue::Kind::array;
    case 't':
    case 'f':
      return JsonValue::Kind::boolean;
    case 'n':
      return JsonValue::Kind::null;
    default:
      if (json_[at_] == '-' || is_digit(json_[at_])) return JsonValue::Kind::number;
      fail(fmt::format("not valid JSON: found {} where a value is expected", in_quotes(json_.substr(at_, 12))));
  }
}

void JsonCursor::read_string(std::string& text) {
  expect('"');
  text.clear();
  while (true) {
    const std::size_t begin = at_;
    while (at_ < json_.size() && json_[at_] != '"' && json_[at_] != '\\' &&
           static_cast<unsigned char>(json_[at_]) >= 0x20) {
      ++at_;
    }
    text.append(json_, begin, at_ - begin);
    if (at_ >= json_.size()) fail("not valid JSON: a string without end");
    const char c = json_[at_++];
    if (c == '"') return;
    if (c != '\\') fail("not valid JSON: a control character in a string");
    read_escape(text);
  }
}

std::uint32_t JsonCursor::read_hex() {
  std::uint32_t value = 0;
  const char* const begin = json_.data() + at_;
  if (json_.size() - at_ < 4) fail("not valid JSON: \\u without four hexadecimal digits");
  const auto read = std::from_chars(begin, begin + 4, value, 16);
  if (read.ptr != begin + 4) fail("not valid JSON: \\u without four hexadecimal digits");
  at_ += 4;
  return value;
}

void JsonCursor::read_escape(std::string& text) {
  if (at_ >= json_.size()) fail("not valid JSON: a string without end");
  const char c = json_[at_++];
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  if (const std::size_t known = letters.find(c); known != letters.npos) {
    text.push_back(meant[known]);
    return;
  }
  if (c != 'u') fail("not valid JSON: an unknown escape");
  std::uint32_t value = read_hex();
  if (value >= 0xD800 && value <= 0xDBFF) {
    if (!json_.substr(at_).starts_with("\\u")) fail("not valid JSON: half a surrogate pair");
    at_ += 2;
    const std::uint32_t low = read_hex();
    if (low < 0xDC00 || low > 0xDFFF) fail("not valid JSON: half a surrogate pair");
    value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
  } else if (value >= 0xDC00 && value <= 0xDFFF) {
    fail("not valid JSON: half a surrogate pair");
  }
  append_utf8(text, value);
}

std::string_view JsonCursor::read_number_text() {
  skip_blanks();
  const std::size_t begin = at_;
  const auto digits = [&] {
    const std::size_t first = at_;
    while (at_ < json_.size() && is_digit(json_[at_])) ++at_;
    return at_ > first;
  };
  const auto is = [&](char c) { return at_ < json_.size() && json_[at_] == c; };
  if (is('-')) ++at_;
  bool valid = true;
  if (is('0')) {
    ++at_;
  } else {
    valid = digits();
  }
  if (valid && is('.')) {
    ++at_;
    valid = digits();
  }
  if (valid && (is('e') || is('E'))) {
    ++at_;
    if (is('+') || is('-')) ++at_;
    valid = digits();
  }
  if (!valid) {
    at_ = begin;
    fail(fmt::format("found {} where a number is expected", in_quotes(json_.substr(begin, 12))));
  }
  return json_.substr(begin, at_ - begin);
}

double JsonCursor::read_number() {
  const std::string_view text = read_number_text();
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  // A number too small for a double reads as 0; one too large is an error.
  if (read.ec == std::errc::result_out_of_range && is_below_one(text)) return 0;
  if (read.ec != std::errc()) fail(fmt::format("found {}, too large a number", in_quotes(text)));
  return value;
}

std::int64_t JsonCursor::read_integer(std::int64_t low, std::int64_t high) {
  const std::string_view text = read_number_text();
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || value < low || value > high) {
    fail(fmt::format("found {} where a whole number from {} to {} is expected", shortened(text), low, high));
  }
  return value;
}

void JsonCursor::read_word(std::string_view word) {
  if (!json_.substr(at_).starts_with(word)) {
    fail(fmt::format("not valid JSON: found {}", in_quotes(json_.substr(at_, 12))));
  }
  at_ += word.size();
}

bool JsonCursor::enter(char open) {
  expect(open);
  skip_blanks();
  if (at_ < json_.size() && json_[at_] == (open == '[' ? ']' : '}')) {
    ++at_;
    return false;
  }
  return true;
}

bool JsonCursor::next(char close) {
  skip_blanks();
  if (at_ < json_.size() && json_[at_] == ',') {
    ++at_;
    return true;
  }
  expect(close);
  return false;
}

void JsonCursor::read_key(std::string& key) {
  read_string(key);
  expect(':');
}

void JsonCursor::finish() {
  skip_blanks();
  if (at_ < json_.size()) fail("not valid JSON: something follows the end");
}

}  // namespace headscope
