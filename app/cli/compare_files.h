// The files that `compare` writes.
#pragma once

#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/compare/comparison.h"
#include "core/compare/head_differences.h"
#include "core/request/stage.h"

namespace headscope::cli {

// The files that --stage and --out ask for.
struct CompareFiles {
  std::vector<StageId> stages;  // into the folder
  std::string folder;
  std::string table;  // of all heads of all layers; "": none is written
};

// UsageError for one of them without the other, but --out FILE.csv stands alone, and for both with FILE.csv.
CompareFiles compare_files(const Arguments& given);

// Writes what was asked for, and says so; "" where nothing was. UsageError for stages that cannot be subtracted, and
// for a table of heads of two results without one: nothing is written then. Error for files.
std::string write_compare_files(const CompareFiles& written, const Trace& a, const Trace& b, const Comparison& found,
                                const ModelDifference& models, const CancelToken& cancel);

}  // namespace headscope::cli
