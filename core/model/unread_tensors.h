// Tensors of a capture whose names mean nothing here: a misspelt one would be left out in silence.
#pragma once

#include <string>
#include <vector>

namespace headscope {

// "c.safetensors: 1 tensor has no name of a capture and is not read: layers.0.wieghts (near layers.0.weights)"; "" for
// none. The name that is nearest, where one is near, is one of layers.N.weights, scores, query, key, value, mask.
std::string unread_tensors_sentence(const std::string& path, const std::vector<std::string>& names);

// The names with those that are near, "layer.0.weights (near layers.0.weights)"; the first ten, the rest counted.
std::string unread_names(const std::vector<std::string>& names);

}  // namespace headscope
