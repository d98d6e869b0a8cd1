// Numbers as text that no floating-point type holds.
#pragma once

#include <string_view>

namespace headscope {

// Whether |number| < 1, of a decimal number as JSON and std::from_chars spell it ("-12.5e-3"), however long its digits
// and its exponent are. Of a number that std::from_chars finds out of range it says which way: too small, or too large.
bool is_below_one(std::string_view number);

}  // namespace headscope
