#include "core/explain/cell_source.h"

#include <cstddef>

namespace headscope {

std::string_view role_name(SourceRole role) {
  constexpr std::string_view kNames[] = {"input",  "query",   "key",        "value", "score",
                                         "weight", "context", "projection", "bias"};
  return kNames[static_cast<std::size_t>(role)];
}

}  // namespace headscope
