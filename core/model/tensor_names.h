// Names of tensors, cut into what they say.
#pragma once

#include <string>

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

}  // namespace headscope
