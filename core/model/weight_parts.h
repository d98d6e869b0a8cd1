// The tensors of a checkpoint one by one, each with a name that says which it is: for what goes through all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/checkpoint_weights.h"
#include "core/tensor/tensor.h"

namespace headscope {

class Checkpoint;

// Of what a tensor is a part. words: the table of the words' vectors, of which a text reads some rows; mlp: what acts
// after a layer's attention.
enum class WeightRole { words, embedding, attention, mlp, experts, head };

struct NamedWeight {
  std::string name;  // "layers.3.qkv.weight", whatever the file calls it
  Tensor tensor;     // never empty
  WeightRole role{};
};

// Those of the embeddings, of one layer and of the output head, each in a fixed order; nothing is read but what
// Checkpoint::embedding(), block() and output_head() read. A decoder that is the word embedding is not listed again.
std::vector<NamedWeight> embedding_weights(const Checkpoint& checkpoint);
std::vector<NamedWeight> block_weights(const Checkpoint& checkpoint, std::int64_t layer);
std::vector<NamedWeight> head_weights(const Checkpoint& checkpoint);

// Those of one layer's attention alone.
std::vector<NamedWeight> attention_weights(const LayerWeights& weights, const std::string& before = "");

}  // namespace headscope
