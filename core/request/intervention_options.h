// The options of REQUEST that list interventions, made from the rows of their kinds.
#pragma once

#include <vector>

#include "core/request/request_text.h"

namespace headscope {

// `options` with one a kind put in behind "variant", which asserts to be there.
std::vector<RequestOption> with_interventions(std::vector<RequestOption> options);

}  // namespace headscope
