// From a request to its trace, for all commands.
#pragma once

#include <cstdint>
#include <memory>

#include "app/cli/arguments.h"
#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope::cli {

// Those of an engine, with the GPU where this build has one, that reads the sessions of --patch-from.
EngineOptions engine_options(std::int64_t stage_memory, bool whole_model);

// Engine::run, with the GPU where this build has one. computed_trace() says the notices of the trace with the command's
// result. `stage_memory` (stage_memory_of() in request_arguments.h) and `whole_model`: as EngineOptions.
std::shared_ptr<const Trace> quiet_trace(const Request& request, std::int64_t stage_memory, const CancelToken& cancel,
                                         bool whole_model = false);
std::shared_ptr<const Trace> computed_trace(const Arguments& given, const Request& request, std::int64_t stage_memory,
                                            const CancelToken& cancel, bool whole_model = false);

// UsageError of the option "model" for a capture, and for one layer, of which `one_layer` says what is missing: "found
// one layer, which has no vocabulary".
void check_whole_model(const Request& request, const char* one_layer);

}  // namespace headscope::cli
