// `diagnose` of a dump of a whole model.
#pragma once

#include <optional>
#include <vector>

#include "app/cli/arguments.h"
#include "core/base/cancel.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/model_dump.h"
#include "core/request/request.h"

namespace headscope::cli {

// The tensors of --theirs where these are files whose tensors are named as those of a model's layers, the request runs
// a model, and no --stage is given; else nullopt. Error when a file cannot be read.
std::optional<std::vector<DumpEntry>> theirs_of_model(const Arguments& given, const Request& request);

// Runs the model, prints what diagnose_model() finds, and keeps notices of names that are not known. Throws
// CheckFailed with --check where theirs differ; UsageError for --layout, which names of tensors say.
void diagnose_dump(const Arguments& given, const Request& request, const std::vector<DumpEntry>& theirs,
                   const DiagnoseOptions& options, const CancelToken& cancel);

}  // namespace headscope::cli
