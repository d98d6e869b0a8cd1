// Text of others inside our sentences: short, on one line, and valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace headscope {

// At most 80 bytes of a text for a message; control characters and invalid UTF-8 shown as '?', the rest as "...".
std::string shortened(std::string_view text);

// The same in double quotes.
std::string in_quotes(std::string_view text);

}  // namespace headscope
