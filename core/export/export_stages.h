// `run --export`: stages of a trace written to a folder as CSV, NPY, safetensors or JSON, with a manifest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/export/export_plan.h"

namespace headscope {

// Writes all of it and manifest.json last; each file appears whole or not at all. `progress` gets the share done in [0,
// 1]. Returns the names of the files. Throws Error, Cancelled; files written before that are removed again.
std::vector<std::string> export_stages(const Trace& trace, const ExportPlan& plan,
                                       const std::function<void(double)>& progress = {},
                                       const CancelToken& cancel = {});

}  // namespace headscope
