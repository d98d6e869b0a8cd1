// What Request::patch_from names: the file of a session, or the request of A itself, which a session carries.
#pragma once

#include <string>

#include "core/request/request.h"

namespace headscope {

// Whether it is the JSON of A's request: what no file's path begins with is a brace.
inline bool carries_source(const Request& request) {
  return request.patch_from.starts_with('{');
}

}  // namespace headscope
