// Low-rank adapters: a folder of one, and those that stand beside a model.
#pragma once

#include <string>

#include "app/cli/describe.h"

namespace headscope::cli {

// Whether a folder is one of PEFT or MLX that holds no model of its own.
bool is_adapter_folder(const std::string& folder);

// Describes the adapter that the folder holds: its kind, ranks and counts. Throws Error when it is malformed.
Description describe_adapter(const std::string& folder);

// Adds the adapters of a model's name (core/request/model_text.h) as "adapters": of each what its folder holds.
void add_adapters(const std::string& model, Description& description);

}  // namespace headscope::cli
