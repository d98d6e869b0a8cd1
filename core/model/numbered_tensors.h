// Attention of all layers that a file keeps by names of its own, alike but for the layer's number.
#pragma once

#include <vector>

#include "core/io/tensor_file.h"

namespace headscope {

// The tensors of a file, in the order of the one number that their names hold and else are alike ("layer_0.attn",
// "layer_1.attn"), where these are 0, 1, 2, ... and every tensor has three or four axes, as many as the others. Empty
// for every other file.
std::vector<const TensorEntry*> numbered_tensors(const TensorFile& file);

}  // namespace headscope
