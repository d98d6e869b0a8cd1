// Whether the scores of a request need to be kept.
#pragma once

#include "core/request/request.h"

namespace headscope {

// Whether the middle of attention is one pass of the backend, whose scores are computed when read; with
// softmax-over-queries and key-not-transposed every stage is kept.
bool in_one_pass(const Request& request);

}  // namespace headscope
