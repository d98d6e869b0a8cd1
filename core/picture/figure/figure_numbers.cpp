// Numbers at the ticks of colour bars and in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/minus_sign.h"
#include "core/picture/cell_numbers.h"
#include "core/picture/figure/figure_plan.h"

namespace headscope {

namespace {

// "1.2e5", "−1e−4"; `decimals` of the mantissa.
std::string scientific(double value, int decimals) {
  const std::string text = fmt::format("{:.{}e}", value, decimals);
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  return styled_digits(text.substr(0, e), true) + "e" + (exponent < 0 ? kMinusSign : "") +
         std::to_string(std::abs(exponent));
}

}  // namespace

std::string tick_text(double value, double largest) {
  const double size = std::fabs(largest);
  if (value == 0 || size == 0) return "0";
  if (size >= 99950 || size < 0.00095) return scientific(value, 1);
  const int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
  return styled_digits(fmt::format("{:.{}f}", value, std::clamp(3 - before_point, 0, 2 + (before_point <= 0))), true);
}

std::string signed_number_text(double value, int decimals) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return with_minus_signs(value > 0 ? "inf" : "-inf");
  const bool small = value != 0 && std::fabs(value) < 1e-3;
  return with_minus_signs(small ? fmt::format("{:.3e}", value) : fmt::format("{:.{}f}", value, decimals));
}

std::string weight_text(float value) {
  return cell_number(weight_numbers(), static_cast<double>(value));
}

}  // namespace headscope
