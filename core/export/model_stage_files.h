// The stages of a whole model in an export: which part of them, and the files of each.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "core/attention/model_stages.h"
#include "core/base/cancel.h"
#include "core/export/export_plan.h"

namespace headscope {

struct ExportedModelStage {
  const ModelStage* stage = nullptr;  // of the plan
  Region region;                      // of its tensor
  const char* name() const { return model_stage_info(stage->id).name.data(); }
};

// The plan's stages, with the items, positions and features of its region. UsageError for a region that names a head,
// which these stages do not have, or that lies outside of one of them.
std::vector<ExportedModelStage> exported_model_stages(const ExportPlan& plan);

// How the files of a stage are written.
struct ModelStageWriting {
  Tensor tensor;                    // the stage's numbers, as they shall be read
  std::vector<std::string> tokens;  // one a position
  std::function<void(const std::string& name, const std::function<void(std::ostream&)>& write)> add;
};

// The files of one stage in the plan's format: as CSV a matrix of each layer and item, "stream.l3.b0.csv" (of stages
// without layers "logits.b0.csv"), or one table whose lines begin with the layer; else one file. Nothing for
// safetensors, whose one file holds all stages. Throws Cancelled.
void write_model_stage(const ExportedModelStage& exported, ExportFormat format, const ModelStageWriting& writing,
                       const CancelToken& cancel);

}  // namespace headscope
