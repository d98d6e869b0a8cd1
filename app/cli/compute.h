// From a request to its trace, for all commands.
#pragma once

#include <memory>

#include "core/attention/trace.h"
#include "core/cancel.h"

namespace headscope::cli {

// Engine::run, with the GPU where this build has one. A notice of the trace goes to standard error.
// `whole_model`: as EngineOptions.
std::shared_ptr<const Trace> computed_trace(const Request& request, const CancelToken& cancel,
                                            bool whole_model = false);

}  // namespace headscope::cli
