#include "assets/web/include/libcxx.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

const char* past_digits(const char* at, const char* last) {
  while (at != last && is_digit(*at)) ++at;
  return at;
}

// Where `word` ends, in either case; `at` when it does not stand there.
const char* past_word(const char* at, const char* last, const char* word) {
  const char* const begin = at;
  for (; *word != '\0'; ++at, ++word) {
    if (at == last || (*at | 0x20) != *word) return begin;
  }
  return at;
}

// Where the longest number that begins at `first` ends, by the grammar of from_chars; `first` when there is none.
const char* end_of_number(const char* first, const char* last) {
  const char* at = first != last && *first == '-' ? first + 1 : first;
  for (const char* word : {"infinity", "inf", "nan"}) {
    if (const char* end = past_word(at, last, word); end != at) return end;
  }
  const char* const whole = past_digits(at, last);
  const char* end = whole;
  if (whole != last && *whole == '.') {
    end = past_digits(whole + 1, last);
    if (whole == at && end == whole + 1) return first;  // a point alone
  } else if (whole == at) {
    return first;
  }
  if (end == last || (*end | 0x20) != 'e') return end;
  const char* power = end + 1;
  if (power != last && (*power == '-' || *power == '+')) ++power;
  const char* const after = past_digits(power, last);
  return after == power ? end : after;
}

template <class Number>
std::from_chars_result read(const char* first, const char* last, Number& value, Number (*parse)(const char*, char**)) {
  const char* const end = end_of_number(first, last);
  if (end == first) return {first, std::errc::invalid_argument};
  const std::string text(first, end);
  const Number found = parse(text.c_str(), nullptr);
  const bool written = text.find_first_of("0123456789") != text.npos;
  const std::size_t digits = text.find_first_of("eE");
  const bool is_zero = text.substr(0, digits).find_first_of("123456789") == text.npos;
  if (written && (std::isinf(found) || (found == 0 && !is_zero))) return {end, std::errc::result_out_of_range};
  value = found;
  return {end, std::errc()};
}

// The digits and the power of ten of the shortest decimals that read back to `value`, which is finite and not 0.
template <class Number>
std::string shortest_digits(Number value, int& power, Number (*parse)(const char*, char**)) {
  char text[64];
  for (int more = 0; more <= 17; ++more) {
    std::snprintf(text, sizeof(text), "%.*e", more, static_cast<double>(value));
    if (parse(text, nullptr) == value) break;
  }
  char* const e = std::strchr(text, 'e');
  power = std::atoi(e + 1);
  std::string digits;
  for (const char* at = text; at != e; ++at) {
    if (is_digit(*at)) digits += *at;
  }
  return digits;
}

template <class Number>
std::string shortest(Number value, Number (*parse)(const char*, char**)) {
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isnan(value)) return sign + "nan";
  if (std::isinf(value)) return sign + "inf";
  if (value == 0) return sign + "0";
  int power = 0;
  const std::string digits = shortest_digits(std::abs(value), power, parse);
  const int count = static_cast<int>(digits.size());
  char tail[16];
  std::snprintf(tail, sizeof(tail), "e%c%02d", power < 0 ? '-' : '+', std::abs(power));
  const std::string scientific = digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") + tail;
  std::string fixed;
  if (power < 0) {
    fixed = "0." + std::string(static_cast<std::size_t>(-power - 1), '0') + digits;
  } else if (power + 1 >= count) {
    // Large numbers are written in full: the zeros after the shortest digits would be others.
    char whole[512];
    std::snprintf(whole, sizeof(whole), "%.0f", std::abs(static_cast<double>(value)));
    fixed = whole;
  } else {
    const auto before = static_cast<std::size_t>(power + 1);
    fixed = digits.substr(0, before) + "." + digits.substr(before);
  }
  return sign + (fixed.size() <= scientific.size() ? fixed : scientific);
}

std::to_chars_result write(char* first, char* last, const std::string& text) {
  if (static_cast<std::ptrdiff_t>(text.size()) > last - first) return {last, std::errc::value_too_large};
  std::memcpy(first, text.data(), text.size());
  return {first + text.size(), std::errc()};
}

}  // namespace

namespace std {

#if _LIBCPP_VERSION < 14000
to_chars_result to_chars(char* first, char* last, double value) {
  return write(first, last, shortest(value, std::strtod));
}

to_chars_result to_chars(char* first, char* last, float value) {
  return write(first, last, shortest(value, std::strtof));
}
#endif

#if _LIBCPP_VERSION < 200000
from_chars_result from_chars(const char* first, const char* last, double& value) {
  return read(first, last, value, std::strtod);
}

from_chars_result from_chars(const char* first, const char* last, float& value) {
  return read(first, last, value, std::strtof);
}
#endif

}  // namespace std
