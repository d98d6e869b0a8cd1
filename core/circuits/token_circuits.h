// What a head does with tokens of the vocabulary, from weights alone: token to token, without a text.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/circuits/head_maps.h"
#include "core/circuits/token_score.h"
#include "core/model/checkpoint.h"

namespace headscope {

// The tokens of largest value, the largest first, of equal ones the smaller id.
struct TokenCircuit {
  std::vector<TokenScore> keys;     // that the token looks at, as a query
  std::vector<TokenScore> queries;  // that look at it, as a key
  std::vector<TokenScore> writes;   // whose logits it raises where it is read; empty without a next-token head
};

struct TokenQuestion {
  std::int64_t layer = 0, head = 0;  // asserted to be inside
  std::int64_t id = 0;               // in the vocabulary, asserted
  std::int64_t top = 10;
  friend bool operator==(const TokenQuestion&, const TokenQuestion&) = default;
};

// With e_t the word embedding of token t as it enters the stream (scaled, normalised and projected where the model does
// so; no position, no type) and y_t = e_t r_t, r_t the scale of the norm before the layer's attention at e_t (1 without
// one, and with NormFolding::ignore):
//   keys     s (W_Q y_id) . (W_K y_t)      queries  s (W_Q y_t) . (W_K y_id)      s: the layer's scale of scores
//   writes   row t of the decoder . diag(gain) P W_O W_V y_id      diag(gain) P of the final norm, without its scale;
//            with NormFolding::ignore without both
// with the maps of head_maps(): biases, rotary and relative positions are left out, so that scores are those of a token
// beside another one at no distance. The vocabulary is read block by block. Elhage et al. 2021, full QK and OV
// circuits. UsageError as head_maps(). Throws Cancelled.
TokenCircuit token_circuit(const Checkpoint& checkpoint, const TokenQuestion& question, NormFolding folding,
                           const CancelToken& cancel);

}  // namespace headscope
