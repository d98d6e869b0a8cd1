// Names of files.
#pragma once

#include <string_view>

namespace headscope {

// Whether `name` ends with `ending` (".npy") and has something before it; letters A-Z count as small ones.
bool has_ending(std::string_view name, std::string_view ending);

}  // namespace headscope
