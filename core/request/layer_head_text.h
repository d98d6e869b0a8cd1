// A head of a layer as options name it.
#pragma once

#include <string>
#include <string_view>

#include "core/request/interventions.h"

namespace headscope {

// "L:H", or "L.H" as --ablate has it. UsageError of `option` for other texts.
LayerHead parse_layer_head(std::string_view option, std::string_view text);

// "0:4".
std::string layer_head_text(const LayerHead& place);

}  // namespace headscope
