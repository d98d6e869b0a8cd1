// What a head does with the tokens of a chosen set, each with each, from weights alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/circuits/head_maps.h"
#include "core/model/checkpoint.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The most tokens of a set: its maps are small.
inline constexpr std::size_t kMostMapTokens = 500;

struct TokenMapsQuestion {
  std::int64_t layer = 0, head = 0;  // asserted to be inside
  std::vector<std::int64_t> ids;     // in the vocabulary, asserted; a token may stand there twice
  friend bool operator==(const TokenMapsQuestion&, const TokenMapsQuestion&) = default;
};

struct TokenMaps {
  Tensor qk;  // [ids, ids]: row the token that looks, column the one that it looks at: their score
  Tensor ov;  // [ids, ids]: row the token that is read, column the one whose logit changes; empty without a next-token
              // head
};

// The numbers of token_circuit() (core/circuits/token_circuits.h) for pairs of chosen tokens, with its y_t:
//   qk[a, b] = s (W_Q y_a) . (W_K y_b)      ov[a, b] = row b of the decoder . diag(gain) P W_O W_V y_a
// Sums in double. UsageError as head_maps(). Throws Cancelled.
TokenMaps token_maps(const Checkpoint& checkpoint, const TokenMapsQuestion& question, NormFolding folding,
                     const CancelToken& cancel);

}  // namespace headscope
