#include "core/base/grouped_digits.h"

#include <cstddef>

#include "core/base/minus_sign.h"

namespace headscope {

std::string grouped_digits(std::int64_t number) {
  std::string digits = std::to_string(number);
  const bool negative = number < 0;
  if (negative) digits.erase(0, 1);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return negative ? kMinusSign + digits : digits;
}

std::string grouped_count(std::int64_t count, const std::string& thing) {
  return grouped_digits(count) + " " + thing + (count == 1 ? "" : "s");
}

}  // namespace headscope
