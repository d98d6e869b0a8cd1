// The input of layer 0 is a sum of two parts: the token's own row, and all that does not depend on the token.
#pragma once

#include <cstdint>
#include <span>

#include "core/model/checkpoint.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Both parts of a text are [1, len, width], width: Architecture::word_width(). embedded() of core/model/stack.h
// normalises and projects their sum.
struct EmbeddingSums {
  Tensor words;  // word[id] * scale
  Tensor rest;   // token_type[type] + position[i + offset], with zeros where the model has none
};

// Reads the rows of `ids` only, which must be in the vocabulary; `types` may be empty: all 0.
EmbeddingSums embedding_sums(const Checkpoint& checkpoint, std::span<const std::int64_t> ids,
                             std::span<const std::int64_t> types);

// Returns what enters layer 0 where the row of token i counts shares[i] times, [batch, len, d_model]:
// normed_embedding(shares[i] words[i] + rest[i]).
Tensor embedded_shares(const Checkpoint& checkpoint, const EmbeddingSums& sums, std::span<const double> shares,
                       std::int64_t batch);

}  // namespace headscope
