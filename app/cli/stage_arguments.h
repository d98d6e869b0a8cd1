// Names of stages, cells and regions on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/model_stage.h"
#include "core/attention/trace.h"
#include "core/export/export_stages.h"
#include "core/request/stage.h"

namespace headscope::cli {

// The stage of one layer of that name. Throws UsageError that lists the stages and names the most similar one.
StageId stage_from(const std::string& option, const std::string& name);

// The stage of the trace. Throws UsageError that lists the stages of the trace.
const Stage& stage_of(const Trace& trace, StageId stage);

// "weights,context" in the order given, each once; empty for "all".
std::vector<StageId> stages_from(const std::string& option, const std::string& text);

// What --export names: stages of the layer, and of the whole model (core/attention/model_stage.h).
struct ExportNames {
  std::vector<StageId> stages;  // empty for "all", which is all stages of the layer
  std::vector<ModelStageId> of_model;
};

// "stream,weights" in the order given, each once. Throws UsageError that lists the stages of both kinds.
ExportNames export_names_from(const std::string& option, const std::string& text);

// "0,2,7,-1": whole numbers, below 0 from the end of their axis.
std::vector<std::int64_t> cell_numbers_from(const std::string& option, const std::string& text);

// The cell of a stage that --at names. UsageError when the count of numbers differs from the stage's axes, or the cell
// lies outside.
Index cell_from(const std::vector<std::int64_t>& numbers, StageId stage, const Tensor& tensor);

// "B,H,I0:I1,J0:J1"; ":" stands for all of an axis.
ExportRegion region_from(const std::string& option, const std::string& text);

}  // namespace headscope::cli
