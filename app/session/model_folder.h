// A file of a checkpoint that was named instead of its folder.
#pragma once

#include <string>

namespace headscope {

// The folder of a checkpoint when `path` is one of its files of weights: config.json lies beside it, it has the name
// that such files have (model.safetensors, model-00001-of-00002.safetensors), and it is no capture. "" when it is none.
// Throws Error when the file cannot be read.
std::string folder_of_weights(const std::string& path);

}  // namespace headscope
