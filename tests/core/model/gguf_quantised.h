// Models whose matrices are random blocks of GGUF's types, in both spellings.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/io/gguf_types.h"
#include "tests/core/model/gguf_models.h"

namespace headscope {

// Random blocks of `type`, with small finite halves.
inline std::string random_blocks(std::mt19937& random, const GgufType& type, std::int64_t count) {
  std::string bytes;
  const std::string name = type.name;
  const bool groups = name == "Q4_K" || name == "Q5_K";
  const bool halved = name != "MXFP4";  // whose scale is a power of two in its first byte
  for (std::int64_t block = 0; block < count / type.block_values; ++block) {
    std::string one(static_cast<std::size_t>(type.block_bytes), '\0');
    for (char& byte : one) byte = static_cast<char>(random() & 0xFF);
    const auto half_at = [&](std::size_t at) {
      const auto half = static_cast<std::uint16_t>((groups ? 0x0C00 : 0x1C00) + random() % 0x400);
      one.replace(at, 2, test::GgufWriter::raw(half));
    };
    if (halved) half_at(name == "Q6_K" ? 208 : 0);
    if (!halved) one[0] = static_cast<char>(118 + random() % 6);
    if (groups || name == "Q4_1" || name == "Q5_1") half_at(2);
    bytes += one;
  }
  return bytes;
}

// A Llama of 2 layers whose matrices are of `types`, one after the other.
inline TwoSpellings quantised_llama(const std::vector<std::string>& types, const std::string& architecture) {
  const std::int64_t width = 256, head_dim = 16, heads = 6, kv_heads = 2, mlp = 288, vocabulary = 37;
  TwoSpellings model;
  model.architecture = architecture;
  model.config = {{"model_type", architecture}, {"vocab_size", vocabulary},     {"hidden_size", width},
                  {"num_hidden_layers", 2},     {"num_attention_heads", heads}, {"num_key_value_heads", kv_heads},
                  {"head_dim", head_dim},       {"intermediate_size", mlp},     {"max_position_embeddings", 32},
                  {"rms_norm_eps", 1e-5},       {"tie_word_embeddings", false}};
  std::mt19937 random(11);
  std::size_t next = 0;
  const auto matrix = [&](const std::string& name, std::int64_t rows, std::int64_t columns) {
    std::string type = types[next++ % types.size()];
    if (columns % gguf_type(test::GgufWriter::type_number(type))->block_values != 0) type = "Q8_0";
    const GgufType& row = *gguf_type(test::GgufWriter::type_number(type));
    StoredTensor tensor{{rows, columns}, type, random_blocks(random, row, rows * columns), {}};
    tensor.values.resize(static_cast<std::size_t>(rows * columns));
    for (std::int64_t block = 0; block < rows * columns / row.block_values; ++block) {
      row.unpack(reinterpret_cast<const std::byte*>(tensor.bytes.data()) + block * row.block_bytes,
                 tensor.values.data() + block * row.block_values);
    }
    model.tensors[name] = std::move(tensor);
  };
  const auto norm = [&](const std::string& name) {
    StoredTensor tensor{{width}, "F32", "", {}};
    for (std::int64_t k = 0; k < width; ++k) tensor.values.push_back(0.5F + static_cast<float>(random() % 1000) / 1000);
    for (const float value : tensor.values) tensor.bytes += test::GgufWriter::raw(value);
    model.tensors[name] = std::move(tensor);
  };
  matrix("model.embed_tokens.weight", vocabulary, width);
  matrix("lm_head.weight", vocabulary, width);
  norm("model.norm.weight");
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    norm(layer + "input_layernorm.weight");
    norm(layer + "post_attention_layernorm.weight");
    matrix(layer + "self_attn.q_proj.weight", heads * head_dim, width);
    matrix(layer + "self_attn.k_proj.weight", kv_heads * head_dim, width);
    matrix(layer + "self_attn.v_proj.weight", kv_heads * head_dim, width);
    matrix(layer + "self_attn.o_proj.weight", width, heads * head_dim);
    matrix(layer + "mlp.gate_proj.weight", mlp, width);
    matrix(layer + "mlp.up_proj.weight", mlp, width);
    matrix(layer + "mlp.down_proj.weight", width, mlp);
  }
  name_as(model);
  return model;
}

// A mixture of two layers with 6 experts, of which every matrix is of another of `types`: experts of one tensor share
// theirs.
inline TwoSpellings quantised_mixture(const std::vector<std::string>& types) {
  TwoSpellings dense = quantised_llama({"Q8_0"}, "qwen3moe");
  std::mt19937 random(12);
  std::size_t next = 0;
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    for (const auto& [part, rows, columns] : {std::tuple<const char*, std::int64_t, std::int64_t>{"gate_proj", 32, 256},
                                              {"up_proj", 32, 256},
                                              {"down_proj", 256, 32}}) {
      std::string type = types[next++ % types.size()];
      if (columns % gguf_type(test::GgufWriter::type_number(type))->block_values != 0) type = "Q8_0";
      const GgufType& row = *gguf_type(test::GgufWriter::type_number(type));
      for (std::int64_t e = 0; e < 6; ++e) {
        StoredTensor tensor{{rows, columns}, type, random_blocks(random, row, rows * columns), {}};
        tensor.values.resize(static_cast<std::size_t>(rows * columns));
        for (std::int64_t block = 0; block < rows * columns / row.block_values; ++block) {
          row.unpack(reinterpret_cast<const std::byte*>(tensor.bytes.data()) + block * row.block_bytes,
                     tensor.values.data() + block * row.block_values);
        }
        dense.tensors[fmt::format("{}mlp.experts.{}.{}.weight", layer, e, part)] = std::move(tensor);
      }
      dense.tensors.erase(fmt::format("{}mlp.{}.weight", layer, part));
    }
    const auto vector = [&](const std::string& name, std::vector<std::int64_t> shape) {
      StoredTensor tensor{std::move(shape), "F32", "", {}};
      const std::int64_t count = tensor.shape.size() == 2 ? tensor.shape[0] * tensor.shape[1] : tensor.shape[0];
      for (std::int64_t k = 0; k < count; ++k) {
        tensor.values.push_back(0.5F - static_cast<float>(random() % 1000) / 1000);
        tensor.bytes += test::GgufWriter::raw(tensor.values.back());
      }
      dense.tensors[layer + name] = std::move(tensor);
    };
    vector("mlp.gate.weight", {6, 256});
    vector("self_attn.q_norm.weight", {16});
    vector("self_attn.k_norm.weight", {16});
  }
  dense.config["model_type"] = "qwen3_moe";
  dense.config["num_experts"] = 6;
  dense.config["num_experts_per_tok"] = 2;
  dense.config["moe_intermediate_size"] = 32;
  dense.config["norm_topk_prob"] = true;
  return dense;
}

}  // namespace headscope
