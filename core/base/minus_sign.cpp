#include "core/base/minus_sign.h"

#include <cctype>

namespace headscope {

namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Whether a number follows: "5", ".5", "inf", "nan".
bool begins_number(std::string_view rest) {
  if (rest.empty()) return false;
  if (is_digit(rest[0])) return true;
  if (rest[0] == '.') return rest.size() > 1 && is_digit(rest[1]);
  return rest.starts_with("inf") || rest.starts_with("nan");
}

// Whether what stands before is a mantissa and its e: "1.5e".
bool ends_in_exponent(std::string_view before) {
  if (before.size() < 2 || (before.back() != 'e' && before.back() != 'E')) return false;
  return is_digit(before[before.size() - 2]) || before[before.size() - 2] == '.';
}

bool ends_in_word(std::string_view before) {
  if (before.empty()) return false;
  const char last = before.back();
  return std::isalnum(static_cast<unsigned char>(last)) != 0 || last == '_' || last == '-' || last == ')' ||
         static_cast<unsigned char>(last) >= 0x80;
}

}  // namespace

std::string with_minus_signs(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view before = text.substr(0, at);
    const bool sign =
        text[at] == '-' && begins_number(text.substr(at + 1)) && (ends_in_exponent(before) || !ends_in_word(before));
    if (sign) {
      result += kMinusSign;
    } else {
      result += text[at];
    }
  }
  return result;
}

}  // namespace headscope
