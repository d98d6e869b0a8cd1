#include "core/base/decimal_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace headscope {

bool is_below_one(std::string_view number) {
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, e);
  const std::size_t first = mantissa.find_first_of("123456789");
  if (first == mantissa.npos) return true;
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  // The power of ten of the first digit that counts: 0 in "7.5", 2 in "750", -2 in "0.075".
  const auto power = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) - (first < point ? 1 : 0);
  std::string_view digits = number.substr(std::min(e + 1, number.size()));
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) return digits.starts_with('-');
  return exponent < -power;
}

}  // namespace headscope
