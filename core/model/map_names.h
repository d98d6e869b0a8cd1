// Which part of a model a tensor seems to be, judged by its name.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/model/model_map.h"

namespace headscope {

// The part that a tensor seems to be: of a layer the name behind its number, else the whole name. `axes` is how many
// axes it has. Null for none.
const MapPart* guessed_part(std::string_view name, bool in_layer, std::size_t axes);

}  // namespace headscope
