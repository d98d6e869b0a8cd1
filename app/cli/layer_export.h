// `run --layers`: the traces of several layers, whose stages are written together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/cli/arguments.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"

namespace headscope::cli {

// The traces of the layers that --layers names, "all" or numbers, each once and in the order of the layers: of a model
// that was computed whole its own, of a capture each computed anew. Empty where the option is not given. UsageError
// without --out, for one layer without a model around it, and for a layer that is not there.
std::vector<std::shared_ptr<const Trace>> layers_to_write(const Arguments& given,
                                                          const std::shared_ptr<const Trace>& trace,
                                                          std::int64_t memory, const CancelToken& cancel);

}  // namespace headscope::cli
