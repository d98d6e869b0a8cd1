// Numbers as a hand writes them: a whole number of tenths, hundredths ..., without any rounding of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

// units / 10^places: {142, 2} is 1.42.
struct Decimal {
  std::int64_t units = 0;
  int places = 0;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

// A matrix of them, row by row.
using DecimalGrid = std::vector<std::vector<Decimal>>;

// The places that quotients and powers of e are rounded to.
inline constexpr int kRoundedPlaces = 2;

// Exact. The sum has the places of the longer one, the product those of both together.
Decimal operator+(Decimal a, Decimal b);
Decimal operator*(Decimal a, Decimal b);
// sum over k of a[k] b[k], exact. Asserts that both are equally long.
Decimal dot_product(const std::vector<Decimal>& a, const std::vector<Decimal>& b);

// a / b in two places, a half away from zero. Asserts b > 0.
Decimal rounded_quotient(Decimal a, Decimal b);
// e to the power of x in two places.
Decimal rounded_power(Decimal x);

// "-1.42", with every place; "-0" is never written.
std::string decimal_text(Decimal number);
// The same with U+2212 for the minus, as people read it.
std::string printed_text(Decimal number);

}  // namespace headscope
