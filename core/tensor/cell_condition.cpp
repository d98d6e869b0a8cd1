#include "core/tensor/cell_condition.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

namespace headscope {
namespace {

using Kind = CellCondition::Kind;

struct Word {
  std::string_view text;
  Kind kind;
};
constexpr Word kWords[] = {
    {"nan", Kind::nan},        {"inf", Kind::infinite}, {"+inf", Kind::plus_infinity}, {"-inf", Kind::minus_infinity},
    {"rowmax", Kind::row_max}, {"max", Kind::row_max}};
// The longer signs first.
constexpr Word kSigns[] = {{">=", Kind::at_least}, {"<=", Kind::at_most}, {"==", Kind::equal}, {">", Kind::above},
                           {"<", Kind::below},     {"=", Kind::equal},    {"", Kind::equal}};

// Small letters without blanks, with plain signs.
std::string plain(const std::string& text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto next = [&](std::string_view sign) { return std::string_view(text).substr(k).starts_with(sign); };
    const auto put = [&](std::string_view sign, std::string_view by) {
      result += by;
      k += sign.size() - 1;
    };
    if (next("\u2212")) {
      put("\u2212", "-");
    } else if (next("\u2265")) {
      put("\u2265", ">=");
    } else if (next("\u2264")) {
      put("\u2264", "<=");
    } else if (std::isspace(static_cast<unsigned char>(text[k])) == 0) {
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(text[k])));
    }
  }
  return result;
}

bool is_equal(double a, double b) {
  return a == b || std::fabs(a - b) <= 1e-6 * std::fabs(b);
}

bool meets(const CellCondition& condition, double value, double row_max) {
  switch (condition.kind) {
    case Kind::above:
      return value > condition.value;
    case Kind::at_least:
      return value >= condition.value;
    case Kind::below:
      return value < condition.value;
    case Kind::at_most:
      return value <= condition.value;
    case Kind::equal:
      return is_equal(value, condition.value);
    case Kind::nan:
      return std::isnan(value);
    case Kind::infinite:
      return std::isinf(value);
    case Kind::plus_infinity:
      return std::isinf(value) && value > 0;
    case Kind::minus_infinity:
      return std::isinf(value) && value < 0;
    case Kind::row_max:
      return value == row_max;
  }
  return false;
}

}  // namespace

std::optional<CellCondition> cell_condition_of(const std::string& text) {
  const std::string typed = plain(text);
  for (const Word& word : kWords) {
    if (typed == word.text) return CellCondition{word.kind, 0};
  }
  for (const Word& sign : kSigns) {
    if (!std::string_view(typed).starts_with(sign.text)) continue;
    std::string_view number = std::string_view(typed).substr(sign.text.size());
    if (number.starts_with("+")) number.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value)) return std::nullopt;
    return CellCondition{sign.kind, value};
  }
  return std::nullopt;
}

std::vector<std::int64_t> matching_columns(const CellCondition& condition, std::span<const float> row,
                                           std::span<const std::uint8_t> hidden) {
  const auto is_hidden = [&](std::size_t j) { return !hidden.empty() && hidden[j] != 0 && !std::isnan(row[j]); };
  double largest = std::numeric_limits<double>::quiet_NaN();
  if (condition.kind == Kind::row_max) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (!is_hidden(j) && std::isfinite(row[j])) largest = std::fmax(largest, static_cast<double>(row[j]));
    }
  }
  std::vector<std::int64_t> columns;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!is_hidden(j) && meets(condition, static_cast<double>(row[j]), largest)) {
      columns.push_back(static_cast<std::int64_t>(j));
    }
  }
  return columns;
}

}  // namespace headscope
