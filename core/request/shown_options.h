// The rows of the table of REQUEST that say how weights are shown, exported and measured.
#pragma once

#include <vector>

#include "core/request/request_text.h"

namespace headscope {

// groups, hide-tokens, renormalise, weighting, top-p.
std::vector<RequestOption> shown_options();

}  // namespace headscope
