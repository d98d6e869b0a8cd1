// Reads what another program dumped of a whole model: tensors by name, whatever their names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/diagnose/model_dump.h"

namespace headscope {

// The tensors of numbers in files that name them: .safetensors, .npz, a file of torch.save, or a folder of .npy files,
// whose names without the ending they have. Read when they are asked for. Error when a file cannot be read.
std::vector<DumpEntry> dump_entries(std::span<const std::string> paths);

}  // namespace headscope
