// Tensors of a folder's files that no part of its model uses. Inside of a layer they may change what it computes, and
// are refused; elsewhere (poolers, classifiers, other towers) they are what Checkpoint::unexpected() lists.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// One list of layers: what stands before the number in the names of their tensors ("model.layers."), and how many
// there are. A tensor with a larger number is of no layer (the further layers of DeepSeek-V3 that predict two tokens).
struct LayerList {
  std::string before;
  std::int64_t count = 0;
};

// What follows the number and its dot, "self_attn.q_proj.weight"; "" for a tensor of none of the lists.
std::string name_in_layer(std::string_view tensor, std::span<const LayerList> lists);

// Whether a name is one that a pattern means: "*" stands for any text, {layer} for digits, everything else for itself.
bool fits_pattern(std::string_view name, std::string_view pattern);

struct Leftovers {
  std::string path;               // of the folder, or of its map
  std::string family;             // of the model
  bool mapped = false;            // a map says what it is made of
  std::vector<LayerList> layers;  // of all of its parts
  std::vector<std::string> unexpected;
  std::vector<std::string> named;  // by the map
  std::string body;                // of a map: how names of the body begin, "deberta."; "" for none
  std::vector<std::string> all;    // tensors of the files
};

// Throws Error that begins with the path, names the tensors that are of a layer, or that the map names, or that are of
// its body (the first ten), the family whose layers have them, where there is one, and what can be done.
void refuse_leftovers(const Leftovers& leftovers);

}  // namespace headscope
