// Whether two requests ask for the same.
#pragma once

#include "core/request/request.h"

namespace headscope {

// a == b, where NaN equals NaN: a request that holds one must not count as a new one each time that it is compared.
bool same_request(const Request& a, const Request& b);

}  // namespace headscope
