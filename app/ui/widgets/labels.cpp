// Numbers as words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"

namespace headscope::ui {

namespace {

bool is_zero_text(const std::string& text) {
  return text.find_first_of("123456789") == std::string::npos;
}

// "5e−4": a number that two decimals would call 0.
std::string tiny_label(double value) {
  std::string text = fmt::format("{:.0e}", std::fabs(value));
  const std::size_t digits = text.find('e') + 2;
  text.erase(digits, std::min(text.find_first_not_of('0', digits), text.size() - 1) - digits);
  return with_minus_signs((value < 0 ? "-" : "") + text);
}

}  // namespace

std::string number_label(double value, int decimals, bool small_exact) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : with_minus_signs("-inf");
  const double size = std::fabs(value);
  if ((small_exact && size > 0 && size < 1e-3) || size >= 1e9)
    return with_minus_signs(fmt::format("{:.{}e}", value, decimals > 4 ? 4 : decimals));
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text[0] == '-' && is_zero_text(text)) text.erase(0, 1);
  return with_minus_signs(text);
}

std::string cell_label(double value, bool weight_like) {
  if (std::isnan(value) || std::isinf(value)) return "";  // drawn as marks
  const double size = std::fabs(value);
  if (weight_like && size < 0.005) return "";
  if (size >= 9999.5) return with_minus_signs(fmt::format("{:.0e}", value));
  if (size >= 99.5) return with_minus_signs(fmt::format("{:.0f}", value));
  if (size >= 9.95) return with_minus_signs(fmt::format("{:.1f}", value));
  std::string text = fmt::format("{:.2f}", value);
  if (is_zero_text(text)) return weight_like ? "" : value == 0 ? "0" : tiny_label(value);
  if (weight_like && text == "1.00") return "1";
  const bool negative = text[0] == '-';
  if (negative) text.erase(0, 1);
  if (text[0] == '0') text.erase(0, 1);
  return (negative ? kMinusSign : "") + text;
}

}  // namespace headscope::ui
