// Which part of a model a tensor seems to be, judged by its name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_map.h"

namespace headscope {

// A name cut at the number of its layer: "blocks.3.attn.q.weight" is {"blocks.", 3, ".attn.q.weight"}; without a layer
// `layer` is -1 and `before` the whole name.
struct LayeredName {
  std::string before;
  long layer = -1;
  std::string after;
};
LayeredName layered_name(const std::string& name);

// "attn.q.weight" as attn.q and weight; the last word stands for weights where it is no "bias".
struct ModuleName {
  std::string module;
  bool bias = false;
};

ModuleName module_name(const std::string& name);

// The part that a tensor seems to be: of a layer the name behind its number, else the whole name. `axes` is how many
// axes it has. Null for none.
const MapPart* guessed_part(std::string_view name, bool in_layer, std::size_t axes);

}  // namespace headscope
