// What an export writes, file by file: decided before anything is computed or written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/export/export_stages.h"

namespace headscope {

struct ExportedStage {
  StageId id{};
  Region region;  // of its tensor
};

// The stages of the plan that have cells in its region. UsageError as planned_files().
std::vector<ExportedStage> exported_stages(const Trace& trace, const ExportPlan& plan);

// One CSV matrix of a stage.
struct Slice {
  std::int64_t batch = 0, head = 0;
  std::string name;  // "weights.b0.h2.csv"
};
std::vector<Slice> slices_of(const ExportedStage& stage);

// {"headscope": version, "tokens": JSON list, "key_tokens": JSON list} for all.safetensors.
std::map<std::string, std::string> export_metadata(const Trace& trace);

}  // namespace headscope
