// Two texts beside each other, where only a part of each has room.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace headscope {

// Two texts of which the longer has more than `most` bytes, without the words that both begin with but the last of
// them: "… too tired", "… too wide". Shorter and equal ones as they are.
std::pair<std::string, std::string> from_where_they_part(const std::string& a, const std::string& b, std::size_t most);

}  // namespace headscope
