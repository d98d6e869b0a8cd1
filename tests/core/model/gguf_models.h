// Checkpoint folders of tests/golden/models written again as GGUF, as converters write them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/io/safetensors.h"
#include "tests/core/io/gguf_files.h"
#include "tests/core/model/model_files.h"
#include "tests/core/model/two_spellings.h"

namespace headscope {

// `tensor` as a converter stores it under `name` of GGUF.
inline StoredTensor converted(const TwoSpellings& model, const std::string& name, const StoredTensor& tensor) {
  StoredTensor result = tensor;
  const bool matrix = tensor.shape.size() == 2;
  const std::size_t number =
      tensor.bytes.size() / tensor.values.size();  // bytes of one; block types are converted rowwise
  const bool layer_matrix = matrix && name.starts_with("blk.");
  if (model.architecture == "gpt2" && layer_matrix) {  // Conv1D's [in, out]
    const std::int64_t rows = tensor.shape[0], columns = tensor.shape[1];
    result.shape = {columns, rows};
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const auto from = static_cast<std::size_t>(r * columns + c), to = static_cast<std::size_t>(c * rows + r);
        result.bytes.replace(to * number, number, tensor.bytes, from * number, number);
      }
    }
  }
  const bool paired = name.find("attn_q.") != name.npos || name.find("attn_k.") != name.npos;
  if (model.architecture == "llama" && paired) {
    const std::int64_t rows = tensor.shape[0];
    const std::size_t row_bytes = tensor.bytes.size() / static_cast<std::size_t>(rows);
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto to = static_cast<std::size_t>(paired_row(r, model.head_dim()));
      result.bytes.replace(to * row_bytes, row_bytes, tensor.bytes, static_cast<std::size_t>(r) * row_bytes, row_bytes);
    }
  }
  return result;
}

// What the converter of Phi and Phi-3 writes beside the sizes: no key_length, and how many features are turned.
inline void add_phi_keys(const TwoSpellings& model, test::GgufWriter& file) {
  const std::string prefix = model.architecture + ".";
  const nlohmann::json& config = model.config;
  const double share = config.value("partial_rotary_factor", 1.0);
  const auto u32 = [&](const std::string& key, std::int64_t value) {
    file.u32(prefix + key, static_cast<std::uint32_t>(value));
  };
  u32("attention.head_count_kv", model.kv_heads());
  u32("rope.dimension_count", static_cast<std::int64_t>(share * static_cast<double>(model.width())) / model.heads());
  if (model.architecture == "phi2") {
    file.f32(prefix + "attention.layer_norm_epsilon", config.value("layer_norm_eps", 1e-5F));
    return;
  }
  file.f32(prefix + "attention.layer_norm_rms_epsilon", config.value("rms_norm_eps", 1e-5F));
  file.f32(prefix + "rope.freq_base", config.value("rope_theta", 10000.0F));
  u32("attention.sliding_window", model.number("sliding_window"));
  u32("rope.scaling.original_context_length",
      model.number("original_max_position_embeddings", model.number("max_position_embeddings")));
}

inline test::GgufWriter gguf_metadata(const TwoSpellings& model) {
  test::GgufWriter file;
  const std::string prefix = model.architecture + ".";
  const auto u32 = [&](const std::string& key, std::int64_t value) {
    file.u32(prefix + key, static_cast<std::uint32_t>(value));
  };
  file.text("general.architecture", model.architecture).text("general.name", "of a test");
  u32("block_count", model.layers());
  u32("embedding_length", model.width());
  u32("attention.head_count", model.heads());
  u32("feed_forward_length", model.number("intermediate_size", model.number("n_inner", 4 * model.width())));
  u32("context_length", model.number("max_position_embeddings", model.number("n_positions")));
  if (model.architecture == "gpt2") {
    file.f32(prefix + "attention.layer_norm_epsilon", model.config.value("layer_norm_epsilon", 1e-5F));
    return file;
  }
  if (model.architecture.starts_with("phi")) {
    add_phi_keys(model, file);
    return file;
  }
  u32("attention.head_count_kv", model.kv_heads());
  u32("attention.key_length", model.head_dim());
  u32("attention.value_length", model.head_dim());
  u32("rope.dimension_count", model.head_dim());
  if (model.experts() > 0) {
    u32("expert_count", model.experts());
    u32("expert_used_count", model.number("num_experts_per_tok"));
    if (model.config.contains("moe_intermediate_size")) {
      u32("expert_feed_forward_length", model.number("moe_intermediate_size"));
    }
  }
  file.f32(prefix + "attention.layer_norm_rms_epsilon", model.config.value("rms_norm_eps", 1e-6F));
  const nlohmann::json& config = model.config;
  const nlohmann::json parameters = config.value("rope_parameters", nlohmann::json::object());
  file.f32(prefix + "rope.freq_base", config.value("rope_theta", parameters.value("rope_theta", 10000.0F)));
  const nlohmann::json scaling = config.value("rope_scaling", nlohmann::json::object());
  if (scaling.value("rope_type", scaling.value("type", "")) == "linear") {
    file.text(prefix + "rope.scaling.type", "linear")
        .f32(prefix + "rope.scaling.factor", scaling.value("factor", 1.0F));
  }
  if (scaling.value("rope_type", scaling.value("type", "")) == "yarn") {
    file.text(prefix + "rope.scaling.type", "yarn").f32(prefix + "rope.scaling.factor", scaling.value("factor", 1.0F));
    u32("rope.scaling.original_context_length", scaling.value("original_max_position_embeddings", 0));
    if (scaling.contains("beta_fast")) {
      file.f32(prefix + "rope.scaling.yarn_beta_fast", scaling.value("beta_fast", 32.0F))
          .f32(prefix + "rope.scaling.yarn_beta_slow", scaling.value("beta_slow", 1.0F));
    }
  }
  if (model.has_outer_norms()) {
    u32("attention.sliding_window", model.number("sliding_window"));
    for (const char* cap : {"attn_logit_softcapping", "final_logit_softcapping"}) {
      if (config.contains(cap)) file.f32(prefix + cap, config.value(cap, 0.0F));
    }
  }
  if (model.architecture == "gpt-oss") {
    u32("attention.sliding_window", model.number("sliding_window"));
    u32("expert_feed_forward_length", model.number("intermediate_size"));
  }
  return file;
}

// Columns first, first + step, ... of every [rows, columns] of `stacked`, [experts, rows, columns], as rows; of a bias
// [experts, columns] the same numbers. Float32.
inline StoredTensor columns_of(const StoredTensor& stacked, std::int64_t first, std::int64_t step) {
  const std::int64_t experts = stacked.shape[0], columns = stacked.shape.back(), count = columns / step;
  const std::int64_t rows = stacked.shape.size() == 3 ? stacked.shape[1] : 1;
  StoredTensor result{{experts, count, rows}, "F32", "", {}};
  if (stacked.shape.size() == 2) result.shape = {experts, count};
  for (std::int64_t e = 0; e < experts; ++e) {
    for (std::int64_t c = 0; c < count; ++c) {
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t at = (e * rows + r) * columns + first + c * step;
        result.bytes += test::GgufWriter::raw(stacked.values[static_cast<std::size_t>(at)]);
      }
    }
  }
  return result;
}

// gpt-oss: gate and up stand column by column beside each other, [experts, in, 2 * out].
inline void add_stacked_experts(const TwoSpellings& model, std::int64_t layer, test::GgufWriter& file) {
  const auto add = [&](const char* ours, const char* gguf, std::int64_t first, std::int64_t step) {
    for (const auto& [of, end] : {std::pair{"", "weight"}, {"_bias", "bias"}}) {
      const StoredTensor part =
          columns_of(model.tensors.at(fmt::format("model.layers.{}.mlp.experts.{}{}", layer, ours, of)), first, step);
      file.tensor(fmt::format("blk.{}.{}.{}", layer, gguf, end), part.shape, part.type, part.bytes);
    }
  };
  add("gate_up_proj", "ffn_gate_exps", 0, 2);
  add("gate_up_proj", "ffn_up_exps", 1, 2);
  add("down_proj", "ffn_down_exps", 0, 1);
}

// The matrices of all experts of a layer, one below the other, as one tensor each for gate, up and down.
inline void add_experts(const TwoSpellings& model, std::int64_t layer, test::GgufWriter& file) {
  if (model.architecture == "gpt-oss") return add_stacked_experts(model, layer, file);
  const bool mixtral = model.config.contains("num_local_experts");
  const std::string inside = mixtral ? "block_sparse_moe.experts." : "mlp.experts.";
  for (const auto& [ours, gguf] : {std::pair{mixtral ? "w1" : "gate_proj", "ffn_gate_exps"},
                                   {mixtral ? "w3" : "up_proj", "ffn_up_exps"},
                                   {mixtral ? "w2" : "down_proj", "ffn_down_exps"}}) {
    StoredTensor all;
    for (std::int64_t e = 0; e < model.experts(); ++e) {
      const StoredTensor& one = model.tensors.at(fmt::format("model.layers.{}.{}{}.{}.weight", layer, inside, e, ours));
      all.shape = {model.experts(), one.shape[0], one.shape[1]};
      all.type = one.type;
      all.bytes += one.bytes;
    }
    file.tensor(fmt::format("blk.{}.{}.weight", layer, gguf), all.shape, all.type, all.bytes);
  }
}

inline std::string gguf_bytes(const TwoSpellings& model) {
  test::GgufWriter file = gguf_metadata(model);
  for (std::int64_t layer = 0; model.experts() > 0 && layer < model.layers(); ++layer) {
    add_experts(model, layer, file);
  }
  for (const auto& [name, tensor] : model.tensors) {
    if (name.find(".experts.") != name.npos) continue;
    const std::string gguf = gguf_name(model, name);
    const StoredTensor stored = converted(model, gguf, tensor);
    file.tensor(gguf, stored.shape, stored.type, stored.bytes);
  }
  return file.bytes();
}

// The bytes of the data section that are a tensor's.
inline std::string file_bytes(const std::string& file, const SafetensorsEntry& entry) {
  std::uint64_t header = 0;
  std::memcpy(&header, file.data(), 8);
  return file.substr(8 + header + entry.begin, entry.end - entry.begin);
}

// A folder of tests/golden/models.
inline TwoSpellings golden_model(const std::string& folder, const std::string& architecture) {
  TwoSpellings model;
  model.architecture = architecture;
  std::ifstream(folder + "/config.json") >> model.config;
  if (model.config.contains("swiglu_limit")) model.config["swiglu_limit"] = 7.0;  // GGUF has no key for it
  std::ifstream in(folder + "/model.safetensors", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const SafetensorsFile file = SafetensorsFile::open(folder + "/model.safetensors");
  for (const SafetensorsEntry& entry : file.entries()) {
    // Names with and without the body's prefix are told apart by the file's own.
    std::string name = entry.name;
    if (architecture == "gpt2" && name.starts_with("transformer.")) name = name.substr(12);
    model.tensors[name] = {entry.shape, entry.dtype, file_bytes(bytes, entry), file.tensor(entry).values()};
  }
  name_as(model);
  return model;
}

// Writes config.json and model.safetensors, float32.
inline void write_folder(const std::string& folder, const TwoSpellings& model) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/config.json") << model.config.dump();
  std::vector<Tensor> tensors;
  std::vector<NamedTensorRef> refs;
  tensors.reserve(model.tensors.size());
  for (const auto& [name, stored] : model.tensors) {
    Shape shape;
    Axes axes;
    for (const std::int64_t size : stored.shape) {
      shape.push_back(size);
      axes.push_back(Axis::feature);
    }
    tensors.push_back(Tensor::of(shape, axes, stored.values));
    refs.push_back({name, &tensors.back()});
  }
  std::ofstream out(folder + "/model.safetensors", std::ios::binary);
  write_safetensors(out, refs, {});
}

}  // namespace headscope
