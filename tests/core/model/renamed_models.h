// Checkpoints of tests/golden/models under other names, or with further tensors, and whether two models are the same.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/io/json_text.h"
#include "core/model/map_draft.h"
#include "core/model/model_map.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {

inline const std::string kModels = HEADSCOPE_SOURCE_DIR "/tests/golden/models/";

using Renaming = std::vector<std::pair<std::string, std::string>>;

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The same numbers under other names, and behind them tensors of float32 zeros.
inline std::string renamed(const std::string& safetensors, const Renaming& names,
                           const std::vector<FileTensor>& more = {}) {
  std::uint64_t length = 0;
  std::memcpy(&length, safetensors.data(), 8);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  const auto old = nlohmann::ordered_json::parse(safetensors.substr(8, length));
  for (const auto& [key, entry] : old.items()) {
    std::string name = key;
    for (const auto& [from, to] : names) {
      if (const std::size_t at = name.find(from); at != name.npos) name.replace(at, from.size(), to);
    }
    header[name] = entry;
  }
  std::string data = safetensors.substr(8 + length);
  for (const FileTensor& tensor : more) {
    const std::size_t end = data.size() + static_cast<std::size_t>(bytes_of(tensor));
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {data.size(), end}}};
    data.resize(end);
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t new_length = text.size();
  return std::string(reinterpret_cast<const char*>(&new_length), 8) + text + data;
}

// Every number that a layer and the head use.
inline std::string bits_of(const Checkpoint& model) {
  std::string all;
  const auto add = [&all](const Tensor& tensor) {
    const std::vector<float> values = tensor.empty() ? std::vector<float>() : tensor.values();
    all += std::to_string(values.size()) + ":" +
           std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  for (std::int64_t layer = 0; layer < model.architecture().num_layers; ++layer) {
    const BlockWeights block = model.block(layer);
    all += sha256_of(block.attention);
    for (const NormWeights& norm :
         {block.attention_norm, block.attention_norm_out, block.mlp_norm, block.mlp_norm_out}) {
      add(norm.weight);
      add(norm.bias);
    }
    for (const Linear& linear : {block.gate, block.up, block.down}) {
      add(linear.weight);
      add(linear.bias);
    }
    for (const Tensor& vector : {block.query_norm, block.key_norm, block.attention.sinks}) add(vector);
  }
  add(model.embedding().word);
  add(model.embedding().position);
  add(model.output_head().final_norm.weight);
  add(model.output_head().decoder.weight);
  add(model.output_head().decoder.bias);
  return all;
}

// Models with the same numbers that compute the same.
inline void expect_same_model(const Checkpoint& found, const Checkpoint& expected) {
  Architecture architecture = found.architecture();
  architecture.family = expected.architecture().family;
  // A family may name a norm or a transform that the model does not have.
  architecture.shared_norm = expected.architecture().shared_norm;
  if (!architecture.head_norm) architecture.head_norm_kind = expected.architecture().head_norm_kind;
  if (found.output_head().transform.empty()) architecture.head_activation = expected.architecture().head_activation;
  EXPECT_TRUE(architecture == expected.architecture());
  EXPECT_TRUE(bits_of(found) == bits_of(expected));
  EXPECT_EQ(found.unexpected(), std::vector<std::string>{});
  EXPECT_EQ(found.output_head().kind, expected.output_head().kind);
}

// A folder with a model of tests/golden/models whose configuration names no family.
class RenamedModel : public CheckpointTest {
 protected:
  void write_renamed(const std::string& model, const Renaming& names, const std::vector<FileTensor>& more = {}) const {
    write_golden(model, "homemade", names, more);
  }
  void write_golden(const std::string& model, const std::string& type, const Renaming& names,
                    const std::vector<FileTensor>& more) const {
    nlohmann::json config = nlohmann::json::parse(read_file(kModels + model + "/config.json"));
    if (!type.empty()) config["model_type"] = type;
    write("config.json", config.dump());
    write("model.safetensors", renamed(read_file(kModels + model + "/model.safetensors"), names, more));
  }
  void change_config(const std::function<void(nlohmann::json&)>& change) const {
    nlohmann::json config = nlohmann::json::parse(read_file(folder() + "/config.json"));
    change(config);
    write("config.json", config.dump());
  }
  MapDraft drafted() const {
    const std::string config = folder() + "/config.json";
    return draft_map(parse_strict_json(read_file(config), config), WeightFiles::open(folder()));
  }
  // Writes a map that `change` has changed.
  void write_map(const std::function<void(nlohmann::json&)>& change) const {
    nlohmann::json map = nlohmann::json::parse(drafted().json);
    change(map);
    write(kMapName, map.dump());
  }
};

}  // namespace headscope
