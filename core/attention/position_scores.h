// What relative positions add to the scores of a layer (Architecture::disentangled): the stages c2p and p2c.
#pragma once

#include <cstdint>
#include <memory>

#include "core/attention/trace_builder.h"
#include "core/backend/backend.h"

namespace headscope {

// The keys and queries of relative positions, [heads, count, head_dim] each, row by row of RelativePositions::rows:
// these times the layer's own projections, or those of queries and keys. Empty where the model does not have the part.
struct PositionHeads {
  Tensor keys, queries;
};

// The layer's, after edits of its weights. `inputs` has relative positions.
PositionHeads position_heads_of(const Inputs& inputs, const Backend& backend, const CancelToken& cancel);

// Adds the stages that the model has, with r the row of i - j:
//   c2p[b,h,i,j] = scale sum_d query[b,h,i,d] keys[h,r,d],  p2c[b,h,i,j] = scale sum_d key[b,h,j,d] queries[h,r,d]
// and puts them into the trace's mask, as what it adds to scores: every backend and every later stage then has them.
// Nothing happens to a trace whose inputs have no relative positions.
void add_position_scores(TraceBuilder& builder, const Heads& heads, const Backend& backend);

}  // namespace headscope
