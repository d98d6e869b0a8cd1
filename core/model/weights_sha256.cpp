#include "core/model/weights_sha256.h"

#include <bit>
#include <string_view>

#include "core/io/sha256.h"
#include "core/io/tensor_blocks.h"
#include "core/model/checkpoint.h"

namespace headscope {
namespace {

void add_tensor(Sha256& sha, std::string_view name, const Tensor& tensor, const CancelToken& cancel) {
  if (tensor.empty()) return;
  sha.add(name.data(), name.size() + 1);  // with its NUL, so that names cannot run into shapes
  sha.add_u32(static_cast<std::uint32_t>(tensor.rank()));
  for (const std::int64_t size : tensor.shape()) {
    sha.add_u32(static_cast<std::uint32_t>(size));
    sha.add_u32(static_cast<std::uint32_t>(size >> 32));
  }
  // In pieces: the weights may be larger than memory.
  const auto add = [&sha](std::span<const float> values) {
    if constexpr (std::endian::native == std::endian::little) {
      sha.add(values.data(), values.size_bytes());
    } else {
      for (const float value : values) sha.add_u32(std::bit_cast<std::uint32_t>(value));
    }
  };
  for_each_block(tensor, cancel, add);
}

void add_linear(Sha256& sha, const std::string& name, const Linear& linear, const CancelToken& cancel) {
  add_tensor(sha, name + ".weight", linear.weight, cancel);
  add_tensor(sha, name + ".bias", linear.bias, cancel);
}

void add_norm(Sha256& sha, const std::string& name, const NormWeights& norm, const CancelToken& cancel) {
  add_tensor(sha, name + ".weight", norm.weight, cancel);
  add_tensor(sha, name + ".bias", norm.bias, cancel);
}

void add_attention(Sha256& sha, const std::string& before, const LayerWeights& weights, const CancelToken& cancel) {
  add_linear(sha, before + "qkv", weights.qkv, cancel);
  add_linear(sha, before + "query", weights.query, cancel);
  add_linear(sha, before + "key", weights.key, cancel);
  add_linear(sha, before + "value", weights.value, cancel);
  add_tensor(sha, before + "bias_k", weights.bias_k, cancel);
  add_tensor(sha, before + "bias_v", weights.bias_v, cancel);
  add_linear(sha, before + "output", weights.output, cancel);
}

void add_expert(Sha256& sha, const std::string& before, const ExpertWeights::Expert& expert,
                const CancelToken& cancel) {
  add_linear(sha, before + "gate", expert.gate, cancel);
  add_linear(sha, before + "up", expert.up, cancel);
  add_linear(sha, before + "down", expert.down, cancel);
}

void add_experts(Sha256& sha, const std::string& before, const ExpertWeights& experts, const CancelToken& cancel) {
  add_linear(sha, before + "router", experts.router, cancel);
  for (std::size_t e = 0; e < experts.experts.size(); ++e) {
    add_expert(sha, before + "experts." + std::to_string(e) + ".", experts.experts[e], cancel);
  }
  add_tensor(sha, before + "router_correction", experts.correction, cancel);
  add_expert(sha, before + "shared_expert.", experts.shared, cancel);
}

}  // namespace

std::string sha256_of(const LayerWeights& weights, const CancelToken& cancel) {
  Sha256 sha;
  add_attention(sha, "", weights, cancel);
  return sha.hex();
}

std::string sha256_of(const LayerWeights& weights) {
  return sha256_of(weights, CancelToken());
}

std::string sha256_of(const Checkpoint& checkpoint, const CancelToken& cancel) {
  Sha256 sha;
  const EmbeddingWeights embedding = checkpoint.embedding();
  add_tensor(sha, "embedding.word", embedding.word, cancel);
  add_tensor(sha, "embedding.position", embedding.position, cancel);
  add_tensor(sha, "embedding.token_type", embedding.token_type, cancel);
  add_norm(sha, "embedding.norm", embedding.norm, cancel);
  add_linear(sha, "embedding.projection", embedding.projection, cancel);
  add_linear(sha, "embedding.patches", embedding.patches.projection, cancel);
  add_tensor(sha, "embedding.class_token", embedding.patches.class_token, cancel);
  add_tensor(sha, "embedding.registers", embedding.patches.registers, cancel);
  add_linear(sha, "embedding.first_convolution", embedding.convolutions.first, cancel);
  add_linear(sha, "embedding.second_convolution", embedding.convolutions.second, cancel);
  add_tensor(sha, "embedding.relative", embedding.relative, cancel);
  add_tensor(sha, "embedding.relative_positions", embedding.relative_positions, cancel);
  add_norm(sha, "embedding.relative_norm", embedding.relative_norm, cancel);
  add_tensor(sha, "embedding.probe", embedding.probe, cancel);
  for (std::int64_t layer = 0; layer < checkpoint.architecture().num_layers; ++layer) {
    const BlockWeights block = checkpoint.block(layer);
    const std::string before = "layers." + std::to_string(layer) + ".";
    add_norm(sha, before + "attention_norm", block.attention_norm, cancel);
    add_norm(sha, before + "mlp_norm", block.mlp_norm, cancel);
    add_norm(sha, before + "attention_norm_out", block.attention_norm_out, cancel);
    add_norm(sha, before + "mlp_norm_out", block.mlp_norm_out, cancel);
    add_attention(sha, before, block.attention, cancel);
    add_linear(sha, before + "position_key", block.attention.position_key, cancel);
    add_linear(sha, before + "position_query", block.attention.position_query, cancel);
    add_tensor(sha, before + "query_norm", block.query_norm, cancel);
    add_tensor(sha, before + "key_norm", block.key_norm, cancel);
    add_linear(sha, before + "gate", block.gate, cancel);
    add_linear(sha, before + "up", block.up, cancel);
    add_linear(sha, before + "down", block.down, cancel);
    add_tensor(sha, before + "sinks", block.attention.sinks, cancel);
    add_linear(sha, before + "convolution", block.convolution, cancel);
    add_norm(sha, before + "convolution_norm", block.convolution_norm, cancel);
    if (block.latents != nullptr) {
      add_linear(sha, before + "query_latent", block.latents->query, cancel);
      add_linear(sha, before + "key_latent", block.latents->key, cancel);
      add_norm(sha, before + "query_latent_norm", block.latents->query_norm, cancel);
      add_norm(sha, before + "key_latent_norm", block.latents->key_norm, cancel);
    }
    if (block.experts == nullptr) continue;
    add_experts(sha, before, *block.experts, cancel);
  }
  const OutputHead head = checkpoint.output_head();
  add_norm(sha, "head.final_norm", head.final_norm, cancel);
  add_linear(sha, "head.projection", head.projection, cancel);
  add_linear(sha, "head.transform", head.transform, cancel);
  add_norm(sha, "head.transform_norm", head.transform_norm, cancel);
  // A decoder that is the word embedding is hashed already.
  if (!checkpoint.architecture().tied_embeddings) add_linear(sha, "head.decoder", head.decoder, cancel);
  return sha.hex();
}

}  // namespace headscope
