// How wide the numbers are that a layer's weights are made of.
#include <memory>

#include "core/cost/cost_row.h"
#include "core/cost/layer_sizes.h"
#include "core/model/architecture.h"
#include "core/model/checkpoint.h"
#include "core/model/head_rule.h"
#include "core/model/inputs.h"
#include "core/model/layer_weights.h"
#include "core/model/relative_positions.h"
#include "core/model/row_norm.h"
#include "core/tensor/tensor.h"

namespace headscope {
namespace {

using W = CostTensor;

// Returns the bytes of one number of the tensor, as it lies in memory; 0 where there is none.
double bytes_of(const Tensor& tensor) {
  if (tensor.empty()) return 0;
  return tensor.number_type() == NumberType::float32 ? 4 : 2;
}

struct Widths {
  std::array<double, kCostTensors>& bytes;
  void set(CostTensor tensor, double width) { bytes[static_cast<std::size_t>(tensor)] = width; }
  void set(CostTensor weight, CostTensor bias, const Linear& linear) {
    set(weight, bytes_of(linear.weight));
    set(bias, bytes_of(linear.bias));
  }
};

// The projections as the file holds them: what a row of latents maps is a part of one matrix, which is read as it is
// used, and as wide as the latent's own.
void add_latents(Widths& widths, const Inputs& inputs) {
  const std::shared_ptr<const LatentWeights> latents = inputs.checkpoint->block(inputs.layer).latents;
  if (latents == nullptr) return;
  widths.set(W::query_latent, W::query_latent_bias, latents->query);
  widths.set(W::key_latent, W::key_latent_bias, latents->key);
  widths.set(W::query_latent_norm, bytes_of(latents->query_norm.weight));
  widths.set(W::key_latent_norm, bytes_of(latents->key_norm.weight));
  widths.set(W::key, bytes_of(latents->key.weight));
  widths.set(W::value, bytes_of(latents->key.weight));
}

}  // namespace

CostFacts cost_facts_of(const Trace& trace) {
  const Inputs& inputs = *trace.inputs;
  CostFacts facts{trace, cost_sizes_of(trace)};
  facts.bytes[static_cast<std::size_t>(W::stage)] = 4;
  Widths widths{facts.bytes};
  const LayerWeights& weights = inputs.weights;
  const Linear& all = weights.qkv;
  widths.set(W::qkv, W::qkv_bias, all);
  widths.set(W::query, W::query_bias, weights.fused() ? all : weights.query);
  widths.set(W::key, W::key_bias, weights.fused() ? all : weights.key);
  widths.set(W::value, W::value_bias, weights.fused() ? all : weights.value);
  widths.set(W::output, W::output_bias, weights.output);
  if (const HeadRule* rule = inputs.head_rule.get()) {
    widths.set(W::query_norm, bytes_of(rule->query_norm));
    widths.set(W::key_norm, bytes_of(rule->key_norm));
  }
  if (inputs.output_norm != nullptr) {
    widths.set(W::output_norm, bytes_of(inputs.output_norm->weights.weight));
    widths.set(W::output_norm_bias, bytes_of(inputs.output_norm->weights.bias));
  }
  if (inputs.relative_positions != nullptr) {
    const bool own = inputs.relative_positions->rule.own_projections;
    widths.set(W::position_key, W::position_key_bias, own ? weights.position_key : weights.key);
    widths.set(W::position_query, W::position_query_bias, own ? weights.position_query : weights.query);
  }
  facts.latent = inputs.checkpoint != nullptr && inputs.checkpoint->architecture().latents.has_value();
  if (facts.latent) add_latents(widths, inputs);
  return facts;
}

}  // namespace headscope
