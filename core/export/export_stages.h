// `run --export`: stages of a trace written to a folder as CSV, NPY, safetensors or JSON, with a manifest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/export/export_plan.h"
#include "core/io/atomic_file.h"

namespace headscope {

// Adds files that appear together with those of an export; returns their names.
using AddFiles = std::function<std::vector<std::string>(FilesTogether&)>;

// Writes all of it, manifest.json, and what `beside` adds; all files appear together. `progress` gets the share done in
// [0, 1]. Returns the names of the files. Throws Error, UsageError and Cancelled; nothing is written then.
std::vector<std::string> export_stages(const Trace& trace, const ExportPlan& plan,
                                       const std::function<void(double)>& progress = {}, const CancelToken& cancel = {},
                                       const AddFiles& beside = {});

}  // namespace headscope
