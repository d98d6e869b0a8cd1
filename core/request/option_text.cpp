#include "core/request/option_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/utf8.h"

namespace headscope {

void refuse_value(std::string_view option, std::string_view text, std::string_view kind, std::string_view expected) {
  throw UsageError(option, fmt::format("'{}' is not {}", shortened(text), kind), expected);
}

namespace {

// 0: the whole text is a number; else why it is none.
template <typename T>
std::errc parse_exactly(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return error;
  return next == end ? std::errc() : std::errc::invalid_argument;
}

}  // namespace

std::int64_t parse_whole(std::string_view option, std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  if (parse_exactly(text, value) != std::errc() || value < low || value > high) {
    refuse_value(option, text, "a whole number that fits",
                 high == std::numeric_limits<std::int64_t>::max() ? fmt::format("{} or more", low)
                                                                  : fmt::format("{} to {}", low, high));
  }
  return value;
}

std::uint64_t parse_seed(std::string_view option, std::string_view text) {
  std::uint64_t value = 0;
  if (parse_exactly(text, value) != std::errc()) {
    refuse_value(option, text, "a seed", "a whole number, 0 to 18446744073709551615");
  }
  return value;
}

double parse_finite(std::string_view option, std::string_view text, std::string_view expected) {
  double value = 0;
  const std::errc error = parse_exactly(text, value);
  if (error == std::errc::result_out_of_range) {
    refuse_value(option, text, "a number that float64 holds", expected);
  }
  if (error != std::errc() || !std::isfinite(value)) refuse_value(option, text, "a finite number", expected);
  return value;
}

std::string double_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc() ? std::string(buffer.data(), end) : fmt::format("{}", value);
}

std::vector<std::string> parse_list(std::string_view option, std::string_view text, std::string_view kind,
                                    std::string_view expected) {
  std::vector<std::string> terms;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view term = rest.substr(0, comma);
    if (term.empty()) refuse_value(option, text, kind, expected);
    terms.emplace_back(term);
    if (comma == rest.npos) return terms;
    rest.remove_prefix(comma + 1);
  }
}

void check_text(std::string_view option, std::string_view text, bool utf8) {
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {
    throw UsageError(option, fmt::format("holds a NUL at byte {}", nul), "text without one");
  }
  if (!utf8) return;
  if (const std::size_t bad = first_invalid_byte(text); bad != text.npos) {
    throw UsageError(option,
                     fmt::format("byte {} (0x{:02X}) is not valid UTF-8", bad, static_cast<unsigned char>(text[bad])),
                     "UTF-8 text");
  }
}

}  // namespace headscope
