// How weights were shown by sessions that kept it in their view of all layers.
#pragma once

#include <string>

#include "core/request/request.h"

namespace headscope {

// Takes it from the "window" of a session ("layers": {"hide_special", "hide_first", "renormalize", "merge_words"}) into
// a request that says nothing of it. Of both tokens hidden the special ones stay so. Throws Error for a value of the
// wrong type.
void take_former_showing(const std::string& window, Request& request);

}  // namespace headscope
