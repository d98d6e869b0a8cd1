// Tensors that lie in the files of models and change nothing of what is computed here.
#pragma once

#include "core/io/tensor_file.h"

namespace headscope {

// Whether a tensor that no part of a model uses is one that can be ignored without a message: causal masks, position
// ids and inverse frequencies, which code computes again; biases of relative positions that T5's own code saved and
// never read; and, where it is of no layer, a pooler or a head that compares sentences. See Checkpoint::unexpected.
bool is_harmless(const TensorEntry& entry);

// Whether a tensor of one attention layer, below whatever prefix, is its causal mask or what is written where it hides.
bool is_mask_of_layer(const TensorEntry& entry);

}  // namespace headscope
