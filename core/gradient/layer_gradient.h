// One layer of a model in double: forwards from its stream and what its attention adds, and backwards.
#pragma once

#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/gradient/attention_gradient.h"
#include "core/gradient/mlp_gradient.h"
#include "core/gradient/rows.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint_weights.h"

namespace headscope {

// A layer in double, from its float32 stream and what its attention adds.
struct LayerPass {
  GradientRows stream, attention;  // x, a
  GradientRows sum, attended;      // x + a; normalised with NormPlace::after_sum
  GradientRows mlp_in;
  MlpPass mlp;         // its result before a norm of it
  GradientRows added;  // what the MLP adds
  GradientRows left;   // what leaves the layer, before its norm with NormPlace::after_sum
};

struct LayerOf {
  const Architecture& architecture;
  const BlockWeights& weights;
  const Trace& trace;
  const Tensor& stream;
  ThreadPool& threads;
};

LayerPass layer_pass(const LayerOf& layer);
// What leaves the layer, with the norm of NormPlace::after_sum.
GradientRows left_of(const LayerOf& layer, const LayerPass& pass);

// The gradient by the stream that enters, from that by what leaves; `put` gets the stages of the layer. Throws
// Cancelled.
GradientRows before_layer(const LayerOf& layer, const LayerPass& pass, const GradientRows& dleft,
                          const PutGradient& put, const CancelToken& cancel);

}  // namespace headscope
