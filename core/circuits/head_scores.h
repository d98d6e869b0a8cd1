// What every head of a model would do by its weights alone, as one number each: copying, and looking one token back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/cancel.h"
#include "core/circuits/head_maps.h"
#include "core/model/checkpoint.h"

namespace headscope {

struct HeadScores {
  std::int64_t layer = 0, head = 0;
  std::optional<double> copying;         // -1 ... 1; nullopt: the model has no next-token head
  std::optional<double> previous_token;  // 0 ... 1; nullopt: positions are not learned
};

// Of every head, layer by layer, with y_t, s and the decoder of token_circuit() (core/circuits/token_circuits.h):
//   copying         sum of lambda / sum of |lambda| over the eigenvalues of the map of tokens to logits, U diag(gain) P
//                   W_O W_V E^T [vocabulary, vocabulary], E with a row y_t and U the decoder. 1: what is read is
//                   raised, whatever it is. Those that are not 0 are the eigenvalues of W_V (E^T U) diag(gain) P W_O
//                   [head_dim, head_dim]; their sum is its trace. NaN where all are 0. (Elhage et al. 2021, "copying /
//                   primitive information".)
//   previous_token  mean over positions i > 0 of the weight on i - 1 of softmax_j(s (W_Q p_i) . (W_K p_j)), over j <= i
//                   where the model is causal, else over all j; p_i: row i of the table of positions as it enters the
//                   stream alone, times the scale of the norm before the layer's attention at p_i
// Left out: biases, what words add to scores, and in later layers what earlier ones wrote. E^T U [d_model, d_model] is
// made block by block of the vocabulary; in double. `progress` gets layers done and their number, and may be empty.
// UsageError as head_maps(). Throws Cancelled.
std::vector<HeadScores> head_scores(const Checkpoint& checkpoint, NormFolding folding, const CancelToken& cancel,
                                    const std::function<void(std::int64_t done, std::int64_t count)>& progress = {});

}  // namespace headscope
