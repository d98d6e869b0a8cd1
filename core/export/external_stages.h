// Reads stages that other code computed from files, to compare ours with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnose/diagnose.h"

namespace headscope {

// Whether the file holds several tensors by name: .safetensors, .npz, a file of torch.save, or a folder of .npy files.
bool names_its_stages(const std::string& path);

// The stages in a file or folder. One that names_its_stages() holds them by name, as stages are called or as programs
// call them (q, k, v, attn, attn_weights, attn_output, out); tensors of other names are left out. Any other file is one
// .npy: it holds `stage` or, when that is nullopt, the stage that its name ends with ("my_output.npy"), or else the
// last of our stages with its shape. A stage without a batch axis has batch 1. With several tensors, `stage` picks one.
// Error when the file cannot be read, holds none of our stages, or one of them twice; UsageError when `ours` has no
// such stage.
std::vector<ExternalStage> read_external_stages(const Trace& ours, const std::string& path,
                                                std::optional<StageId> stage = std::nullopt);

}  // namespace headscope
