// Positions of models that are computed: a table of sines and cosines, and biases of relative positions.
#pragma once

#include <cstdint>

#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"
#include "core/request/mask.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Marian's table [positions, features]: with half = ceil(features / 2) and angle(p, d) = p / 10000^(2 floor(d / 2) /
// features), taken in double, feature k < half is sin(angle(p, 2 k)), feature half + k is cos(angle(p, 2 k + 1)).
// Equals MarianSinusoidalPositionalEmbedding of Hugging Face Transformers.
Tensor sinusoidal_table(std::int64_t positions, std::int64_t features);

// The row of the table of biases for a key `distance` = j - i after the query, see RelativeRule. Logarithms are taken
// in float32, as T5's own code has them: at the edge between two buckets the rounding decides.
std::int64_t relative_bucket(const RelativeRule& rule, std::int64_t distance);

// The row of the table of relative positions for a query `distance` = i - j after the key, see DisentangledRule.
// Logarithms are taken in float32, as the model's own code has them.
std::int64_t relative_row(const DisentangledRule& rule, std::int64_t distance);

// What a model's biases of relative positions add to the scores, [heads, query_len, key_len], as a mask that knows the
// row of every cell in the file's table, EmbeddingWeights::relative.
MaskFile relative_bias(const RelativeRule& rule, const EmbeddingWeights& weights, std::int64_t query_len,
                       std::int64_t key_len);

}  // namespace headscope
