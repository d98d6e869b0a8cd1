// A model of a folder, written anew with other settings and tensors.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/io/safetensors.h"
#include "core/tensor/tensor.h"

namespace headscope {

// What becomes of a tensor, by its name; false: the new model has none of it.
using ChangeTensor = std::function<bool(std::string& name, Tensor& tensor)>;

// Writes config.json, model.safetensors and, where there is one, tokenizer.json into the folder `to`, which is made.
inline void write_changed_model(const std::string& from, const std::filesystem::path& to,
                                const std::function<void(nlohmann::json&)>& settings, const ChangeTensor& change) {
  std::filesystem::create_directories(to);
  nlohmann::json config = nlohmann::json::parse(std::ifstream(from + "/config.json"));
  settings(config);
  std::ofstream(to / "config.json") << config.dump();
  if (std::filesystem::exists(from + "/tokenizer.json")) {
    std::filesystem::copy_file(from + "/tokenizer.json", to / "tokenizer.json");
  }
  const SafetensorsFile file = SafetensorsFile::open(from + "/model.safetensors");
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const SafetensorsEntry& entry : file.entries()) {
    if (entry.name.find("inv_freq") != std::string::npos) continue;
    std::string name = entry.name;
    Tensor tensor = file.tensor(entry);
    if (change(name, tensor)) tensors.emplace_back(name, tensor);
  }
  std::vector<NamedTensorRef> refs;
  for (const auto& [name, tensor] : tensors) refs.push_back({name, &tensor});
  std::ofstream out(to / "model.safetensors", std::ios::binary);
  write_safetensors(out, refs, {});
}

}  // namespace headscope
