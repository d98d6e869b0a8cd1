#include "core/worksheet/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/assert.h"
#include "core/base/minus_sign.h"

namespace headscope {

namespace {

std::int64_t power_of_ten(int places) {
  std::int64_t power = 1;
  for (int k = 0; k < places; ++k) power *= 10;
  return power;
}

std::int64_t units_in(Decimal number, int places) {
  return number.units * power_of_ten(places - number.places);
}

}  // namespace

Decimal operator+(Decimal a, Decimal b) {
  const int places = std::max(a.places, b.places);
  return {units_in(a, places) + units_in(b, places), places};
}

Decimal operator*(Decimal a, Decimal b) {
  return {a.units * b.units, a.places + b.places};
}

Decimal dot_product(const std::vector<Decimal>& a, const std::vector<Decimal>& b) {
  HEADSCOPE_ASSERT(a.size() == b.size(), "vectors of a dot product are equally long");
  Decimal sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum = sum + a[k] * b[k];
  return sum;
}

Decimal rounded_quotient(Decimal a, Decimal b) {
  HEADSCOPE_ASSERT(b.units > 0, "a positive divisor");
  const int places = std::max(a.places, b.places);
  const std::int64_t above = std::abs(units_in(a, places)) * power_of_ten(kRoundedPlaces);
  const std::int64_t below = units_in(b, places);
  const std::int64_t rounded = (2 * above + below) / (2 * below);
  return {a.units < 0 ? -rounded : rounded, kRoundedPlaces};
}

Decimal rounded_power(Decimal x) {
  const double exponent = static_cast<double>(x.units) / static_cast<double>(power_of_ten(x.places));
  return {std::llround(std::exp(exponent) * static_cast<double>(power_of_ten(kRoundedPlaces))), kRoundedPlaces};
}

std::string decimal_text(Decimal number) {
  const std::int64_t whole = power_of_ten(number.places), size = std::abs(number.units);
  const std::string sign = number.units < 0 ? "-" : "";
  if (number.places == 0) return fmt::format("{}{}", sign, size);
  return fmt::format("{}{}.{:0{}}", sign, size / whole, size % whole, number.places);
}

std::string printed_text(Decimal number) {
  return with_minus_signs(decimal_text(number));
}

}  // namespace headscope
