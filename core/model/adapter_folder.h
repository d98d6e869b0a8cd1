// Folders in which PEFT keeps what it has trained beside a model.
#pragma once

#include <string>

namespace headscope {

// Why the folder is no model: it holds an adapter, adapter_config.json, of another one and no weights of its own. It
// begins with the folder's path and names the base model. "" of every other folder. Throws Error when
// adapter_config.json cannot be read.
std::string adapter_sentence(const std::string& folder);

}  // namespace headscope
