// Text from files or users, made fit for our messages: short, on one line, valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace headscope {

// At most 80 bytes of a text for a message: control characters and invalid UTF-8 become '?', and "..." stands for what
// is cut off.
std::string shortened(std::string_view text);

// The same in double quotes.
std::string in_quotes(std::string_view text);

}  // namespace headscope
