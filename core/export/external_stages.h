// Stages that other code computed, from files: what ours are compared with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compare/diagnose.h"

namespace headscope {

// The stages in a file. A .safetensors file holds them by name; tensors of other names are left out. Any other file
// is one .npy: it is `stage`, or, without one, what its name ends with ("my_output.npy"), or the last stage of ours of
// its shape. A stage without its axis of batch is of batch 1. With a .safetensors file, `stage` picks one. Error when
// the file refuses or holds none of ours; UsageError when ours has no such stage.
std::vector<ExternalStage> read_external_stages(const Trace& ours, const std::string& path,
                                                std::optional<StageId> stage = std::nullopt);

}  // namespace headscope
