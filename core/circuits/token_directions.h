// The directions along which a head attends and moves, with the tokens at their ends; from weights alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/circuits/head_maps.h"
#include "core/circuits/token_score.h"
#include "core/model/checkpoint.h"

namespace headscope {

// A singular direction: QK or OV = sum of value left right^T, left and right of length 1.
struct TokenDirection {
  double value = 0;
  double share = 0;                  // value^2 of the sum of squares of all of them; 0 where that is 0
  std::vector<TokenScore> from, to;  // the tokens of largest projection at either end, the largest first
};

struct HeadDirections {
  std::vector<TokenDirection> qk;  // from: queries, left . y_t; to: keys, right . y_t
  std::vector<TokenDirection> ov;  // from: tokens that are read, right . y_t; to: tokens whose logits are raised,
                                   // row t of the decoder . diag(gain) P left; empty without a next-token head
};

struct DirectionsQuestion {
  std::int64_t layer = 0, head = 0;  // asserted to be inside
  std::int64_t top = 5, tokens = 8;  // directions of either circuit, at most as many as its rank; tokens at an end
  friend bool operator==(const DirectionsQuestion&, const DirectionsQuestion&) = default;
};

// Of QK = W_Q^T W_K and OV = W_O W_V of head_maps(), without their products of d_model by d_model, with the y_t and the
// decoder of token_circuit() (core/circuits/token_circuits.h). A direction may be turned around at both ends together:
// it is turned so that of all tokens the one of largest |projection| at `from` has a positive one. The vocabulary is
// read block by block. In double. UsageError as head_maps(). Throws Cancelled.
HeadDirections head_directions(const Checkpoint& checkpoint, const DirectionsQuestion& question, NormFolding folding,
                               const CancelToken& cancel);

}  // namespace headscope
