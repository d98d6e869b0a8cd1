// Keys by the signs that they print, whatever the window is.
#pragma once

#include <optional>

#include "app/platform/key_event.h"

namespace headscope {

// The key `n` places behind `first` in KeyName: letters, digits and function keys stand there in their order.
KeyName nth_key(KeyName first, int n);

// The key of a lower-case letter, a digit or a sign that shortcuts use; "=" is the key of plus. nullopt for other
// signs.
std::optional<KeyName> key_of_sign(char sign);

}  // namespace headscope
