#include "core/picture/cell_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/minus_sign.h"

namespace headscope {
namespace {

constexpr double kSmallest = 1e-290, kLargest = 1e290;  // beyond them units are no numbers
constexpr int kPowersFrom = 3;                          // decimals from which a count of units may be shorter

int exponent_of(double size) {
  return static_cast<int>(std::floor(std::log10(size)));
}

// The most decimals that a picture with numbers of this size is given.
int most_decimals(double size, NumberLook look) {
  const int digits = look == NumberLook::terminal ? 4 : 2;
  if (size >= 1e9) return 2 - exponent_of(size);
  if (look == NumberLook::picture && size >= 99.5) return 0;
  if (look == NumberLook::picture && size >= 9.95) return 1;
  return size >= 0.095 ? digits : digits - 1 - exponent_of(size);
}

bool is_zero(const std::string& digits) {
  return digits.find_first_of("123456789") == std::string::npos;
}

// The sign and the digits in the words of the look; `digits` has no sign.
std::string signed_text(bool negative, const std::string& digits, NumberLook look) {
  if (look == NumberLook::terminal) return (negative ? "-" : "") + digits;
  return (negative ? kMinusSign : "") + digits;
}

std::string fixed_text(const CellNumbers& numbers, double size) {
  std::string digits = fmt::format("{:.{}f}", size, numbers.decimals);
  if (is_zero(digits)) return "";
  if (numbers.weights && std::fabs(size - 1) <= numbers.unit() / 2 && digits.front() == '1') return "1";
  if (numbers.look == NumberLook::picture && digits.starts_with("0.")) digits.erase(0, 1);
  return digits;
}

std::string power_text(const CellNumbers& numbers, double size) {
  const std::string count = fmt::format("{:.0f}", size / numbers.unit());
  if (is_zero(count)) return "";
  const int exponent = -numbers.decimals;
  return count + "e" + signed_text(exponent < 0, std::to_string(std::abs(exponent)), numbers.look);
}

std::string text_of(const CellNumbers& numbers, double value) {
  const double half = numbers.unit() / 2;
  double size = std::fabs(value);
  if (!(size >= half)) return "";
  // Exactly half a unit would be rounded to the even digit, 0, and be left blank.
  size = std::max(size, std::nextafter(half, std::numeric_limits<double>::infinity()));
  const std::string digits = numbers.powers ? power_text(numbers, size) : fixed_text(numbers, size);
  return digits.empty() ? "" : signed_text(value < 0, digits, numbers.look);
}

int longest_of(const CellNumbers& numbers, const CellValues& values) {
  const auto letters = [&](double value) { return letters_of(text_of(numbers, value)); };
  const int longest = std::max(letters(values.low), letters(values.high));
  if (!numbers.weights) return longest;
  // 1 is shorter than what is below it.
  return std::max({longest, letters(std::max(values.low, -0.9)), letters(std::min(values.high, 0.9))});
}

}  // namespace

void CellValues::add(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

double CellNumbers::unit() const {
  return std::pow(10.0, -decimals);
}

CellNumbers cell_numbers(const CellValues& asked, const CellRoom& room) {
  CellValues values = asked;
  if (values.weights) values.add(1);
  CellNumbers numbers;
  numbers.weights = values.weights;
  numbers.look = room.look;
  const double size = std::max(std::fabs(values.low), std::fabs(values.high));
  if (!(size >= kSmallest && size <= kLargest)) return numbers;
  for (int decimals = most_decimals(size, room.look);; --decimals) {
    numbers.decimals = decimals;
    if (!(size >= 0.95 * numbers.unit())) break;
    for (const int letters : {room.letters, room.small_letters}) {
      numbers.small = letters != room.letters;
      for (const bool powers : {false, true}) {
        if (powers ? decimals >= 0 && decimals < kPowersFrom : decimals < 0) continue;
        numbers.powers = powers;
        numbers.letters = longest_of(numbers, values);
        if (numbers.letters <= letters) return numbers;
      }
    }
  }
  numbers.letters = 0;
  return numbers;
}

CellNumbers weight_numbers() {
  constexpr int kAnyLetters = 9;
  return {.decimals = 2, .weights = true, .letters = kAnyLetters};
}

std::string cell_number(const CellNumbers& numbers, double value) {
  if (numbers.letters == 0 || !std::isfinite(value)) return "";
  std::string text = text_of(numbers, value);
  return letters_of(text) <= numbers.letters ? text : "";
}

std::string styled_digits(std::string digits, bool trim) {
  const bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  if (trim && digits.find('.') != std::string::npos) {
    while (digits.ends_with('0')) digits.pop_back();
    if (digits.ends_with('.')) digits.pop_back();
  }
  if (is_zero(digits)) return "0";
  if (digits.starts_with("0.")) digits.erase(0, 1);
  return signed_text(negative, digits, NumberLook::picture);
}

int letters_of(const std::string& number) {
  return static_cast<int>(std::count_if(number.begin(), number.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace headscope
