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

inline std::int64_t bytes_of(const FileTensor& tensor) {
  std::int64_t bytes = tensor.dtype == "I64" ? 8 : tensor.dtype == "F32" ? 4 : 2;
  for (const std::int64_t size : tensor.shape) bytes *= size;
  return bytes;
}

// What stands before the values of a safetensors file, and how many bytes of values follow.
inline std::string safetensors_header(const std::vector<FileTensor>& tensors, std::uint64_t& data_bytes) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  data_bytes = 0;
  for (const FileTensor& tensor : tensors) {
    const std::uint64_t end = data_bytes + static_cast<std::uint64_t>(bytes_of(tensor));
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {data_bytes, end}}};
    data_bytes = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + text;
}

// A safetensors file in which value k of tensor t is t + k / 1024 (rounded towards zero where the dtype is narrower),
// so that every tensor can be told from every other.
inline std::string safetensors_bytes(const std::vector<FileTensor>& tensors) {
  std::uint64_t data_bytes = 0;
  std::string bytes = safetensors_header(tensors, data_bytes);
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const std::string& dtype = tensors[t].dtype;
    const std::int64_t width = dtype == "I64" ? 8 : dtype == "F32" ? 4 : 2;
    for (std::int64_t k = 0; k < bytes_of(tensors[t]) / width; ++k) {
      const float value = static_cast<float>(t) + static_cast<float>(k) / 1024.0f;
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      if (dtype == "F32") {
        bytes.append(reinterpret_cast<const char*>(&bits), 4);
      } else if (dtype == "I64") {
        bytes.append(8, '\0');
      } else {
        // Of float16 numbers from 2^-14 on; smaller ones become 0.
        const int exponent = static_cast<int>(bits >> 23 & 0xFF) - 127 + 15;
        const std::uint32_t half =
            exponent <= 0 ? 0 : static_cast<std::uint32_t>(exponent) << 10 | (bits >> 13 & 0x3FF);
        const auto narrow = static_cast<std::uint16_t>(dtype == "BF16" ? bits >> 16 : half);
        bytes.append(reinterpret_cast<const char*>(&narrow), 2);
      }
    }
  }
  return bytes;
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
