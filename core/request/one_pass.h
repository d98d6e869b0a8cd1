// Whether the scores of a request need to be kept.
#pragma once

#include "core/request/request.h"

namespace headscope {

// Whether the middle of attention is one pass of the backend, whose scores are computed when read; with
// variants whose rows do not say so (variant_infos.h) every stage is kept.
bool in_one_pass(const Request& request);

}  // namespace headscope
