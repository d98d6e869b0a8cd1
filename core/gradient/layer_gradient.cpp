#include "core/gradient/layer_gradient.h"

#include "core/attention/model_stages.h"
#include "core/attention/patches.h"
#include "core/gradient/norm_gradient.h"

namespace headscope {
namespace {

bool is_after_sum(const LayerOf& layer) {
  return layer.architecture.norm_place == Architecture::NormPlace::after_sum;
}

bool has_mlp(const LayerOf& layer) {
  return layer.architecture.mlp != Architecture::Mlp::none;
}

RowNorm norm_of(const LayerOf& layer, const NormWeights& weights) {
  return row_norm_of(layer.architecture, weights);
}

// The norm of what the MLP reads, where there is one; as mlp_input() of core/model/stack.
bool norms_mlp_input(const LayerOf& layer) {
  return layer.architecture.parallel || layer.architecture.norms_input();
}

RowNorm mlp_input_norm(const LayerOf& layer) {
  const bool shared = layer.architecture.parallel && layer.weights.mlp_norm.empty();
  return norm_of(layer, shared ? layer.weights.attention_norm : layer.weights.mlp_norm);
}

// From what the MLP adds to what it reads: `dadded` is the gradient by what it adds. Adds to the gradients by the
// stream and by what attention left of it.
void before_added(const LayerOf& layer, const LayerPass& pass, const GradientRows& dadded, const PutGradient& put,
                  GradientRows& dstream, GradientRows& dattended) {
  put(kMlpPatch, dadded, layer.stream);
  GradientRows dresult = dadded;
  if (layer.architecture.norms_result()) {
    dresult = before_norm(result_norm_of(layer.architecture, layer.weights.mlp_norm_out), pass.mlp.result, dadded);
  }
  const GradientRows dread = before_mlp(layer.architecture, layer.weights, pass.mlp, dresult, layer.threads);
  put("mlp_in", dread, layer.stream);
  if (!norms_mlp_input(layer)) {
    dattended += dread;
  } else if (layer.architecture.parallel) {
    dstream += before_norm(mlp_input_norm(layer), pass.stream, dread);
  } else {
    dattended += before_norm(mlp_input_norm(layer), pass.attended, dread);
  }
}

}  // namespace

LayerPass layer_pass(const LayerOf& layer) {
  LayerPass pass;
  pass.stream = gradient_rows(layer.stream);
  pass.attention = gradient_rows(attention_added(layer.trace));
  pass.sum = pass.stream;
  pass.sum += pass.attention;
  pass.attended = is_after_sum(layer) ? normed(norm_of(layer, layer.weights.attention_norm), pass.sum) : pass.sum;
  pass.left = pass.attended;
  if (!has_mlp(layer)) return pass;
  pass.mlp_in = norms_mlp_input(layer)
                    ? normed(mlp_input_norm(layer), layer.architecture.parallel ? pass.stream : pass.attended)
                    : pass.attended;
  pass.mlp = mlp_pass(layer.architecture, layer.weights, pass.mlp_in, layer.threads);
  pass.added = pass.mlp.result;
  if (layer.architecture.norms_result()) {
    pass.added = normed(result_norm_of(layer.architecture, layer.weights.mlp_norm_out), pass.added);
  }
  pass.left += pass.added;
  return pass;
}

GradientRows left_of(const LayerOf& layer, const LayerPass& pass) {
  if (!has_mlp(layer) || !is_after_sum(layer)) return pass.left;
  return normed(norm_of(layer, layer.weights.mlp_norm), pass.left);
}

GradientRows before_layer(const LayerOf& layer, const LayerPass& pass, const GradientRows& dleft,
                          const PutGradient& put, const CancelToken& cancel) {
  const bool after_sum = is_after_sum(layer);
  GradientRows dstream(dleft.count, dleft.features);
  GradientRows dattended = dleft;
  if (has_mlp(layer)) {
    if (after_sum) dattended = before_norm(norm_of(layer, layer.weights.mlp_norm), pass.left, dleft);
    const GradientRows dadded = dattended;
    before_added(layer, pass, dadded, put, dstream, dattended);
  }
  cancel.check();
  // By the sum of the stream and what attention adds.
  const GradientRows dsum =
      after_sum ? before_norm(norm_of(layer, layer.weights.attention_norm), pass.sum, dattended) : dattended;
  dstream += dsum;
  GradientRows doutput = dsum;
  const Tensor& output = layer.trace.tensor(StageId::output);
  if (layer.trace.find(StageId::attention_norm_out) != nullptr) {
    put("attention_norm_out", dsum, output);
    doutput = before_norm(*layer.trace.inputs->output_norm, gradient_rows(output), dsum);
  }
  put("output", doutput, output);
  const GradientRows dinput = before_attention(layer.trace, doutput, put, layer.threads, cancel);
  const bool norms = layer.architecture.norms_input() && !layer.weights.attention_norm.empty();
  dstream += norms ? before_norm(norm_of(layer, layer.weights.attention_norm), pass.stream, dinput) : dinput;
  put(kStreamPatch, dstream, layer.stream);
  return dstream;
}

}  // namespace headscope
