#include "app/platform/key_sign.h"

namespace headscope {

KeyName nth_key(KeyName first, int n) {
  return static_cast<KeyName>(static_cast<int>(first) + n);
}

std::optional<KeyName> key_of_sign(char sign) {
  if (sign >= 'a' && sign <= 'z') return nth_key(KeyName::a, sign - 'a');
  if (sign >= '0' && sign <= '9') return nth_key(KeyName::zero, sign - '0');
  switch (sign) {
    case '+':
    case '=':
      return KeyName::plus;
    case '-':
      return KeyName::minus;
    case '/':
      return KeyName::slash;
    case ',':
      return KeyName::comma;
    case '.':
      return KeyName::period;
    default:
      return std::nullopt;
  }
}

}  // namespace headscope
