// Options of REQUEST that do nothing for a request.
#pragma once

#include "core/request/request.h"
#include "core/request/request_text.h"

namespace headscope {

// Whether the option acts on the request, whatever its value.
bool acts_on(const RequestOption& option, const Request& request);

// Throws UsageError where the request has the option at another value than its default, and it does nothing there:
// "--seed: found with a capture, where it does nothing; expected what is drawn: ...".
void refuse_idle(const RequestOption& option, const Request& request);

}  // namespace headscope
