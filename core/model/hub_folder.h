// Folders in which huggingface_hub keeps the models that it has fetched: models--ORG--NAME with snapshots/COMMIT and
// refs/main, which names one of them.
#pragma once

#include <string>

namespace headscope {

// The name of the folder for "org/name" or "name"; "" when `model` is no such name.
std::string hub_folder_name(const std::string& model);

// Whether it holds snapshots and is called as such folders are.
bool is_hub_folder(const std::string& folder);

// The snapshot that refs/main names, or else the one whose folder changed last. Throws Error where there is none, or
// where refs/main names none and several changed at the same time.
std::string hub_snapshot(const std::string& folder);

// "org/name" of the path of a snapshot; "" of every other path.
std::string hub_model_name(const std::string& path);

}  // namespace headscope
