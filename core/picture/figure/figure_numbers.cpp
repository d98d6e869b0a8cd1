// Numbers in cells and at the ticks of colour bars.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/minus_sign.h"
#include "core/base/utf8.h"
#include "core/picture/figure/figure_plan.h"

namespace headscope {

namespace {

// "-0.50" -> "−.5" with `trim`, "−.50" without; "-0" -> "0".
std::string styled(std::string digits, bool trim) {
  const bool negative = digits.starts_with('-');
  if (negative) digits.erase(0, 1);
  if (trim && digits.find('.') != std::string::npos) {
    while (digits.ends_with('0')) digits.pop_back();
    if (digits.ends_with('.')) digits.pop_back();
  }
  if (digits.find_first_not_of("0.") == std::string::npos) return "0";
  if (digits.starts_with("0.")) digits.erase(0, 1);
  return (negative ? kMinusSign : "") + digits;
}

// "1.2e5", "−1e−4"; `decimals` of the mantissa.
std::string scientific(double value, int decimals) {
  const std::string text = fmt::format("{:.{}e}", value, decimals);
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  return styled(text.substr(0, e), true) + "e" + (exponent < 0 ? kMinusSign : "") + std::to_string(std::abs(exponent));
}

int characters(const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; at < text.size(); at += static_cast<std::size_t>(code_point_at(text, at).bytes)) ++count;
  return count;
}

}  // namespace

std::string tick_text(double value, double largest) {
  const double size = std::fabs(largest);
  if (value == 0 || size == 0) return "0";
  if (size >= 99950 || size < 0.00095) return scientific(value, 1);
  const int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
  return styled(fmt::format("{:.{}f}", value, std::clamp(3 - before_point, 0, 2 + (before_point <= 0))), true);
}

std::string signed_number_text(double value, int decimals) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return with_minus_signs(value > 0 ? "inf" : "-inf");
  const bool small = value != 0 && std::fabs(value) < 1e-3;
  return with_minus_signs(small ? fmt::format("{:.3e}", value) : fmt::format("{:.{}f}", value, decimals));
}

std::string weight_text(float value) {
  if (!(value >= 0.005F)) return "";
  if (value >= 0.995F && value < 1.005F) return "1";
  return styled(fmt::format("{:.2f}", value), false);
}

std::string value_text(float value, int most) {
  if (value != 0 && std::fabs(value) < 0.005F) {
    const std::string text = scientific(static_cast<double>(value), 0);
    return characters(text) <= most ? text : "";
  }
  for (int decimals = 2; decimals >= 0; --decimals) {
    std::string text = styled(fmt::format("{:.{}f}", value, decimals), false);
    const bool is_zero = value != 0 && text == "0";
    if (characters(text) <= most && !is_zero) return text;
  }
  std::string text = scientific(value, 0);
  return characters(text) <= most ? text : "";
}

}  // namespace headscope
