// Numbers as words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"
#include "core/picture/cell_numbers.h"

namespace headscope::ui {

namespace {

bool is_zero_text(const std::string& text) {
  return text.find_first_of("123456789") == std::string::npos;
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

std::string cell_label(double weight) {
  return cell_number(weight_numbers(), weight);
}

}  // namespace headscope::ui
