// Describes a model by the config.json of its checkpoint folder.
#pragma once

#include <string>

#include "app/cli/describe.h"
#include "core/model/architecture.h"

namespace headscope::cli {

// Family, layers, heads and widths: a line, and members of the JSON object.
void add_sizes(const Architecture& model, Description& description);

// The same by config.json alone, without weights; where no family of it is known, why.
void add_configured_sizes(const std::string& path, Description& description);

// Whether the file is such a configuration, by its name: config.json, or LitGPT's lit_config.json.
bool is_model_config(const std::string& path);

// "config": what is usually asked of a configuration, as it stands in the file. Error when the file is none.
void add_config(const std::string& path, Description& description);

}  // namespace headscope::cli
