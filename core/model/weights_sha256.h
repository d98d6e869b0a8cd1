// The hash of weights that may be larger than memory.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/io/sha256.h"
#include "core/model/layer_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

class Checkpoint;

// Adds name, shape and float32 values of a tensor. Throws Cancelled between pieces of some megabytes.
void add_tensor(Sha256& sha, const std::string& name, const Tensor& tensor, const CancelToken& cancel);

// sha256_of(weights) in pieces of some megabytes. Throws Cancelled between them.
std::string sha256_of(const LayerWeights& weights, const CancelToken& cancel);

// Of a whole model, in the same way: embeddings, every layer with its norms and MLP, output head; names say which.
// Reads every weight once.
std::string sha256_of(const Checkpoint& checkpoint, const CancelToken& cancel);

}  // namespace headscope
