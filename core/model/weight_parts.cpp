#include "core/model/weight_parts.h"

#include "core/model/checkpoint.h"

namespace headscope {
namespace {

// Gathers what is not empty.
class Gathered {
 public:
  explicit Gathered(std::string before) : before_(std::move(before)) {}

  Gathered& of(WeightRole role) {
    role_ = role;
    return *this;
  }
  void add(const std::string& name, const Tensor& tensor) {
    if (!tensor.empty()) weights_.push_back({before_ + name, tensor, role_});
  }
  void add(const std::string& name, const Linear& linear) {
    add(name + ".weight", linear.weight);
    add(name + ".bias", linear.bias);
  }
  void add(const std::string& name, const NormWeights& norm) {
    add(name + ".weight", norm.weight);
    add(name + ".bias", norm.bias);
  }
  void add(const std::string& name, const ExpertWeights::Expert& expert) {
    add(name + "gate", expert.gate);
    add(name + "up", expert.up);
    add(name + "down", expert.down);
  }
  std::vector<NamedWeight> take() { return std::move(weights_); }

 private:
  std::string before_;
  WeightRole role_ = WeightRole::attention;
  std::vector<NamedWeight> weights_;
};

void add_attention(Gathered& all, const LayerWeights& weights) {
  all.add("qkv", weights.qkv);
  all.add("query", weights.query);
  all.add("key", weights.key);
  all.add("value", weights.value);
  all.add("bias_k", weights.bias_k);
  all.add("bias_v", weights.bias_v);
  all.add("output", weights.output);
}

void add_latents(Gathered& all, const LatentWeights& latents) {
  all.add("query_latent", latents.query);
  all.add("key_latent", latents.key);
  all.add("query_latent_norm", latents.query_norm);
  all.add("key_latent_norm", latents.key_norm);
}

void add_experts(Gathered& all, const ExpertWeights& experts) {
  all.of(WeightRole::mlp).add("router", experts.router);
  all.of(WeightRole::experts);
  for (std::size_t e = 0; e < experts.experts.size(); ++e) {
    all.add("experts." + std::to_string(e) + ".", experts.experts[e]);
  }
  all.of(WeightRole::mlp).add("router_correction", experts.correction);
  all.add("shared_expert.", experts.shared);
}

}  // namespace

std::vector<NamedWeight> attention_weights(const LayerWeights& weights, const std::string& before) {
  Gathered all(before);
  add_attention(all, weights);
  return all.take();
}

std::vector<NamedWeight> embedding_weights(const Checkpoint& checkpoint) {
  const EmbeddingWeights embedding = checkpoint.embedding();
  Gathered all("embedding.");
  all.of(WeightRole::words).add("word", embedding.word);
  all.of(WeightRole::embedding).add("position", embedding.position);
  all.add("token_type", embedding.token_type);
  all.add("norm", embedding.norm);
  all.add("projection", embedding.projection);
  all.add("patches", embedding.patches.projection);
  all.add("class_token", embedding.patches.class_token);
  all.add("registers", embedding.patches.registers);
  all.add("first_convolution", embedding.convolutions.first);
  all.add("second_convolution", embedding.convolutions.second);
  all.add("relative", embedding.relative);
  all.add("relative_positions", embedding.relative_positions);
  all.add("relative_norm", embedding.relative_norm);
  all.add("probe", embedding.probe);
  return all.take();
}

std::vector<NamedWeight> block_weights(const Checkpoint& checkpoint, std::int64_t layer) {
  const BlockWeights block = checkpoint.block(layer);
  Gathered all("layers." + std::to_string(layer) + ".");
  all.add("attention_norm", block.attention_norm);
  all.of(WeightRole::mlp).add("mlp_norm", block.mlp_norm);
  all.of(WeightRole::attention).add("attention_norm_out", block.attention_norm_out);
  all.of(WeightRole::mlp).add("mlp_norm_out", block.mlp_norm_out);
  all.of(WeightRole::attention);
  add_attention(all, block.attention);
  all.add("position_key", block.attention.position_key);
  all.add("position_query", block.attention.position_query);
  all.add("query_norm", block.query_norm);
  all.add("key_norm", block.key_norm);
  all.of(WeightRole::mlp).add("gate", block.gate);
  all.add("up", block.up);
  all.add("down", block.down);
  all.of(WeightRole::attention).add("sinks", block.attention.sinks);
  all.of(WeightRole::mlp).add("convolution", block.convolution);
  all.add("convolution_norm", block.convolution_norm);
  all.of(WeightRole::attention);
  if (block.latents != nullptr) add_latents(all, *block.latents);
  if (block.experts != nullptr) add_experts(all, *block.experts);
  return all.take();
}

std::vector<NamedWeight> head_weights(const Checkpoint& checkpoint) {
  const OutputHead head = checkpoint.output_head();
  Gathered all("head.");
  all.of(WeightRole::head).add("final_norm", head.final_norm);
  all.add("projection", head.projection);
  all.add("transform", head.transform);
  all.add("transform_norm", head.transform_norm);
  if (!checkpoint.architecture().tied_embeddings) all.add("decoder", head.decoder);
  return all.take();
}

}  // namespace headscope
