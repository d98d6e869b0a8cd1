// What a head does with every token of the vocabulary, each with each: two matrices that are computed where they are
// read.
#pragma once

#include <cstdint>
#include <memory>

#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/circuits/head_maps.h"
#include "core/model/checkpoint.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct VocabularyMaps {
  Tensor qk;  // [tokens, tokens]: row the token that looks, column the one that it looks at: their score
  Tensor ov;  // [tokens, outputs]: row the token that is read, column the one whose logit changes; empty without a
              // next-token head
};

// The numbers of token_maps() (core/circuits/token_maps.h) for all pairs of tokens. Both matrices are products of two
// that have the width of a head, which are made here and kept: 2 (head_dim + value_head_dim) floats a token; no matrix
// of the vocabulary by the vocabulary is ever in memory. With the rows y_a of EmbeddedTokens and the decoder's rows d_b
//   qk[a, b] = (s W_Q y_a) . (W_K y_b)      ov[a, b] = (W_V y_a) . (M d_b),  row k of M: diag(gain) P (column k of W_O)
// in float32. `backend` computes, now and whenever the matrices are read, on any thread. UsageError as head_maps();
// `head` is asserted to be inside. Throws Cancelled.
VocabularyMaps vocabulary_maps(const Checkpoint& checkpoint, std::int64_t layer, std::int64_t head, NormFolding folding,
                               const std::shared_ptr<const Backend>& backend, const CancelToken& cancel);

}  // namespace headscope
