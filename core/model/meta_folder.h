// Folders as Meta ships Llama, and Mistral its models: params.json with consolidated.00.pth and those that follow it,
// or the same as .safetensors, and no config.json.
#pragma once

#include <string>

#include "core/io/json_text.h"
#include "core/model/weight_files.h"

namespace headscope {

// Whether it is such a folder.
bool is_meta_folder(const std::string& folder);

// Its weights, joined where they are split for several GPUs. Throws Error, as joined_shards() does.
WeightFiles open_meta_weights(const std::string& folder);

// What config.json of the family llama2c, which has these names of tensors, says of it: params.json, the width of the
// MLP and what params.json leaves out by the shapes of `files`, and the longest text of Meta's own code, 2048, where
// nothing is said. Throws Error where params.json and the tensors contradict each other; its sentence gives a
// config.json that fits the tensors.
JsonValue meta_config(const std::string& folder, const WeightFiles& files);

}  // namespace headscope
