// Heads that guess tokens for another model, by the classes that config.json names.
#pragma once

#include <string_view>

#include "core/io/json_text.h"

namespace headscope {

// The class among `architectures` of a config.json that is such a head (of EAGLE, Medusa and their like); "" where none
// is one.
std::string_view draft_head(const JsonValue& config);

}  // namespace headscope
