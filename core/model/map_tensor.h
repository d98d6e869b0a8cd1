// What a headscope-map.json says of one tensor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/json_text.h"
#include "core/model/stored_layout.h"

namespace headscope {

struct MapTensor {
  std::string text;                    // its name, with {layer} where it is of a layer
  std::optional<StoredLayout> layout;  // where it does not stand as all others do
};

// Of "NAME", or {"name": "NAME", "stored": "heads_in_out"}, of the part `key`, "query.weight"; `in_layer`: every layer
// has one. nullopt, and one sentence more in `problems`, which begins with "tensors: " and the key, for anything else:
// a name without {layer} of a part of layers, an unknown word.
std::optional<MapTensor> map_tensor_of(const std::string& key, bool in_layer, const JsonValue& value,
                                       std::vector<std::string>& problems);

}  // namespace headscope
