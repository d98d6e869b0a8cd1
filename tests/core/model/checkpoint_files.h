// Small checkpoint folders as the ecosystem writes them.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/model/checkpoint.h"
#include "tests/core/model/model_files.h"

namespace headscope {

struct FileTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::string dtype = "F32";
};

// The bytes of a safetensors file in which value k of tensor t is t + k / 1024 (halved mantissas where the dtype asks),
// so that every tensor can be told from every other.
inline std::string safetensors_bytes(const std::vector<FileTensor>& tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::string data;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    std::int64_t count = 1;
    for (const std::int64_t size : tensors[t].shape) count *= size;
    const std::size_t begin = data.size();
    for (std::int64_t k = 0; k < count; ++k) {
      const float value = static_cast<float>(t) + static_cast<float>(k) / 1024.0f;
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      if (tensors[t].dtype == "F32") {
        data.append(reinterpret_cast<const char*>(&bits), 4);
      } else if (tensors[t].dtype == "BF16") {
        const auto half = static_cast<std::uint16_t>(bits >> 16);
        data.append(reinterpret_cast<const char*>(&half), 2);
      } else if (tensors[t].dtype == "F16") {
        // Normal numbers from 2^-14 on; smaller ones become 0.
        const int exponent = static_cast<int>(bits >> 23 & 0xFF) - 127 + 15;
        const auto half = static_cast<std::uint16_t>(exponent <= 0 ? 0 : exponent << 10 | (bits >> 13 & 0x3FF));
        data.append(reinterpret_cast<const char*>(&half), 2);
      } else {
        data.append(8, '\0');  // I64
      }
    }
    header[tensors[t].name] = {
        {"dtype", tensors[t].dtype}, {"shape", tensors[t].shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + text + data;
}

// A GPT-2 of 2 layers, d_model 4, 2 heads, 5 tokens, 6 positions.
inline nlohmann::json gpt2_config() {
  return {{"model_type", "gpt2"}, {"vocab_size", 5},  {"n_embd", 4},   {"n_layer", 2},
          {"n_head", 2},          {"n_positions", 6}, {"n_ctx", 1024}, {"activation_function", "gelu_new"}};
}

inline std::vector<FileTensor> gpt2_tensors(const std::string& prefix = "", const std::string& dtype = "F32") {
  std::vector<FileTensor> all = {{prefix + "wte.weight", {5, 4}, dtype}, {prefix + "wpe.weight", {6, 4}, dtype}};
  for (const char* layer : {"h.0.", "h.1."}) {
    const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
      all.push_back({prefix + layer + name, std::move(shape), dtype});
    };
    for (const char* norm : {"ln_1", "ln_2"}) {
      add(std::string(norm) + ".weight", {4});
      add(std::string(norm) + ".bias", {4});
    }
    add("attn.c_attn.weight", {4, 12});
    add("attn.c_attn.bias", {12});
    add("attn.c_proj.weight", {4, 4});
    add("attn.c_proj.bias", {4});
    add("mlp.c_fc.weight", {4, 16});
    add("mlp.c_fc.bias", {16});
    add("mlp.c_proj.weight", {16, 4});
    add("mlp.c_proj.bias", {4});
  }
  all.push_back({prefix + "ln_f.weight", {4}, dtype});
  all.push_back({prefix + "ln_f.bias", {4}, dtype});
  return all;
}

class CheckpointTest : public FilesTest {
 protected:
  std::string folder() const { return path("model"); }
  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(folder());
    std::ofstream(std::filesystem::path(folder()) / name, std::ios::binary) << bytes;
  }
  void write_model(const nlohmann::json& config, const std::vector<FileTensor>& tensors) const {
    write("config.json", config.dump());
    write("model.safetensors", safetensors_bytes(tensors));
  }
  std::shared_ptr<const Checkpoint> open() const { return Checkpoint::open(folder()); }
  void expect_refused(const std::vector<std::string>& parts) const;
};

inline void CheckpointTest::expect_refused(const std::vector<std::string>& parts) const {
  std::vector<std::string> all = parts;
  all.push_back(folder());
  expect_refusal<Error>([this] { open(); }, all);
}

}  // namespace headscope
