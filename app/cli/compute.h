// From a request to its trace, for all commands.
#pragma once

#include <cstdint>
#include <memory>

#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope::cli {

// Those of an engine, with the GPU where this build has one.
EngineOptions engine_options(std::int64_t stage_memory, bool whole_model);

// Engine::run, with the GPU where this build has one. Prints the notice of the trace to standard error. `stage_memory`
// (stage_memory_of() in request_arguments.h) and `whole_model`: as EngineOptions.
std::shared_ptr<const Trace> computed_trace(const Request& request, std::int64_t stage_memory,
                                            const CancelToken& cancel, bool whole_model = false);

}  // namespace headscope::cli
