// The backward pass through a whole model: the gradient of one number by every stage of every layer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/gradient/logit_slopes.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct StageGradient {
  std::string stage;  // as patches name it: "context", "stream", "mlp_out"
  Tensor tensor;      // of the stage's shape: d number / d each of its numbers
};

struct LayerGradients {
  std::vector<StageGradient> stages;
  // Null when it was not asked for, or the layer has no such stage.
  const Tensor* find(std::string_view stage) const;
};

struct ModelGradients {
  std::vector<LayerGradients> layers;
};

// Throws UsageError, which names `option`, for what the backward pass does not know: a trace that is no whole model's,
// a decoder beside an encoder, layers that were not kept; a mixture of experts, latents, norms of heads with weights of
// their own, clipped projections; known mistakes, heads merged directly, dropout, a past, cross-attention, finite fills
// of hidden cells, rows without a visible key, a softcap after the mask; interventions other than a painted mask;
// scores so many that their gradients would exceed kDefaultMemoryLimit.
void check_gradient(const std::string& option, const Trace& trace);

// The gradients by the stages named (empty: all that are known): stream, what enters each layer; input, query_proj,
// key_proj, value_proj, query, key, value, c2p, p2c, raw_scores, scores, capped_scores, masked_scores, weights,
// context, concat, output, attention_norm_out of attention; mlp_out, what the MLP adds, mlp_in, what it reads. Every
// gradient is that of the stage's numbers put in as a patch puts them: all that comes after follows, and nothing else
// changes. Of fused projections query_proj, key_proj and value_proj hold the parts. Sums are in double, of the float32
// numbers of the trace; MLPs and norms are computed again in double. Batch items beyond the first have the gradient 0.
// Throws as check_gradient(), with the option's name, and Cancelled.
ModelGradients model_gradients(const std::string& option, const Trace& trace, const LogitSlopes& slopes,
                               std::span<const std::string> stages, const CancelToken& cancel);

}  // namespace headscope
