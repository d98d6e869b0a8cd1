#include "core/base/file_name.h"

#include <algorithm>

namespace headscope {

bool has_ending(std::string_view name, std::string_view ending) {
  return name.size() > ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), name.rbegin(),
                    [](char want, char c) { return want == (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
}

}  // namespace headscope
