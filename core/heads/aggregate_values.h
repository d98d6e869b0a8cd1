// Many heads as one matrix: mean and maximum, rollout and flow through the layers; and weights scaled by the length of
// the vectors that they move.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/heads/aggregate_kind.h"
#include "core/tensor/tensor.h"

namespace headscope {

// `weights` of one batch item, a tensor [heads, query_len, key_len] for every layer, the first layer first.
using LayersOfWeights = std::vector<Tensor>;

// mean, max: over all heads of all layers given. rollout: A^_L ... A^_1 with A^ = (0.5 A + 0.5 I) with rows that sum to
// 1, A the mean over the heads of a layer (Abnar & Zuidema 2020). flow: for every query of the last layer and every
// input token the maximum flow between them through the layers, A^ being the capacities (the same paper). Returns
// [query_len, key_len], computed in double. Throws UsageError for rollout or flow of matrices that are not square and
// for a flow larger than flow_fits() allows; Cancelled.
Tensor aggregate_of(Aggregate aggregate, const LayersOfWeights& layers, const CancelToken& cancel = {});

// Whether flow can be computed: tokens^4 * layers <= 2^24 (34 tokens in 12 layers, 53 in 2) and layers <= 1024.
bool flow_fits(std::int64_t tokens, std::int64_t layers);

// |w[i, j] (v_j Wo^h)| of one head: weights by the length of the vector that they add to the output (Kobayashi et al.
// 2020). Wo^h are the head's columns of the output projection; without one, v_j itself. [query_len, key_len].
Tensor value_weighted_norms(const Trace& trace, std::int64_t batch, std::int64_t head);
std::string_view value_weighted_formula();

}  // namespace headscope
