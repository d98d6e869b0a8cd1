// Reads stages that other code computed from files, to compare ours with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compare/diagnose.h"

namespace headscope {

// The stages in a file. A .safetensors file holds them by name; tensors of other names are left out. Any other file is
// one .npy: it holds `stage` or, when that is nullopt, the stage that its name ends with ("my_output.npy"), or else the
// last of our stages with its shape. A stage without a batch axis has batch 1. With a .safetensors file, `stage` picks
// one. Error when the file cannot be read or holds none of our stages; UsageError when `ours` has no such stage.
std::vector<ExternalStage> read_external_stages(const Trace& ours, const std::string& path,
                                                std::optional<StageId> stage = std::nullopt);

}  // namespace headscope
