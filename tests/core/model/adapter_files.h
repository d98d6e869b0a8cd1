// Adapters as PEFT and MLX save them, and models with an adapter merged by hand, in float64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/io/safetensors.h"
#include "core/io/tensor_file.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Numbers between -0.5 and 0.5 that differ from seed to seed.
inline Tensor adapter_numbers(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  std::uint64_t state = seed * 2654435761u + 12345;
  std::vector<float> values;
  for (std::int64_t k = 0; k < rows * std::max<std::int64_t>(columns, 1); ++k) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    values.push_back(static_cast<float>(state >> 40) / static_cast<float>(1 << 24) - 0.5F);
  }
  if (columns == 0) return Tensor::of({rows}, {Axis::feature}, std::move(values));
  return Tensor::of({rows, columns}, {Axis::position, Axis::feature}, std::move(values));
}

struct MadeAdapter {
  nlohmann::json config = {{"peft_type", "LORA"}, {"r", 2}, {"lora_alpha", 3}};
  std::map<std::string, Tensor> tensors;
  std::string file = "adapter_model.safetensors";

  // The factors of a module of `out` outputs and `in` inputs, as PEFT names them.
  void add(const std::string& module, std::int64_t out, std::int64_t in, std::int64_t rank = 2) {
    const std::string before = "base_model.model." + module;
    tensors[before + ".lora_A.weight"] = adapter_numbers(rank, in, tensors.size() + 1);
    tensors[before + ".lora_B.weight"] = adapter_numbers(out, rank, tensors.size() + 1);
  }
  void add_magnitude(const std::string& module, std::int64_t out) {
    Tensor m = adapter_numbers(out, 0, tensors.size() + 1);
    for (std::int64_t k = 0; k < out; ++k) m.mutable_data()[k] += 1;
    tensors["base_model.model." + module + ".lora_magnitude_vector"] = m;
  }
  const Tensor& a(const std::string& module) const {
    return tensors.at("base_model.model." + module + ".lora_A.weight");
  }
  const Tensor& b(const std::string& module) const {
    return tensors.at("base_model.model." + module + ".lora_B.weight");
  }
  const Tensor& m(const std::string& module) const {
    return tensors.at("base_model.model." + module + ".lora_magnitude_vector");
  }

  std::string write(const std::string& folder) const {
    std::filesystem::create_directories(folder);
    std::ofstream(std::filesystem::path(folder) / "adapter_config.json") << config.dump();
    std::vector<NamedTensorRef> named;
    for (const auto& [name, tensor] : tensors) named.push_back({name, &tensor});
    std::ofstream out(std::filesystem::path(folder) / file, std::ios::binary);
    write_safetensors(out, named, {});
    return folder;
  }
};

// A matrix in float64, row by row.
struct PlainMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> x;
  double& at(std::int64_t i, std::int64_t j) { return x[static_cast<std::size_t>(i * columns + j)]; }
  double at(std::int64_t i, std::int64_t j) const { return x[static_cast<std::size_t>(i * columns + j)]; }
};

inline PlainMatrix plain(const Tensor& tensor) {
  const std::vector<float> values = tensor.values();
  return {tensor.dim(0), tensor.rank() > 1 ? tensor.dim(1) : 1, {values.begin(), values.end()}};
}

inline PlainMatrix transposed(const PlainMatrix& of) {
  PlainMatrix result{of.columns, of.rows, std::vector<double>(of.x.size())};
  for (std::int64_t i = 0; i < of.rows; ++i) {
    for (std::int64_t j = 0; j < of.columns; ++j) result.at(j, i) = of.at(i, j);
  }
  return result;
}

// W + s B A, of W [out, in]; with magnitudes every row is brought to its own.
inline PlainMatrix merged(PlainMatrix w, const Tensor& b, const Tensor& a, double s, const Tensor& m = {}) {
  const PlainMatrix left = plain(b), right = plain(a);
  for (std::int64_t o = 0; o < w.rows; ++o) {
    double square = 0;
    for (std::int64_t i = 0; i < w.columns; ++i) {
      for (std::int64_t k = 0; k < left.columns; ++k) w.at(o, i) += s * left.at(o, k) * right.at(k, i);
      square += w.at(o, i) * w.at(o, i);
    }
    if (m.empty()) continue;
    for (std::int64_t i = 0; i < w.columns; ++i)
      w.at(o, i) = m.values()[static_cast<std::size_t>(o)] / std::sqrt(square) * w.at(o, i);
  }
  return w;
}

// A copy of the model in `base` in which each of these tensors is what its function makes of it.
using Remaking = std::map<std::string, std::function<PlainMatrix(const PlainMatrix&)>>;
inline std::string write_remade(const std::string& base, const std::string& folder, const Remaking& remaking) {
  std::filesystem::create_directories(folder);
  std::filesystem::copy(base + "/config.json", folder + "/config.json");
  const TensorFile file = open_safetensors(base + "/model.safetensors");
  std::vector<std::pair<std::string, Tensor>> all;
  for (const TensorEntry& entry : file.entries) {
    if (entry.dtype != "F32") continue;
    Tensor tensor = file.tensor(entry);
    if (const auto found = remaking.find(entry.name); found != remaking.end()) {
      const PlainMatrix made = found->second(plain(tensor));
      tensor = Tensor::of(tensor.shape(), tensor.axes(), std::vector<float>(made.x.begin(), made.x.end()));
    }
    all.emplace_back(entry.name, tensor);
  }
  std::vector<NamedTensorRef> named;
  for (const auto& [name, tensor] : all) named.push_back({name, &tensor});
  std::ofstream out(folder + "/model.safetensors", std::ios::binary);
  write_safetensors(out, named, {});
  return folder;
}

}  // namespace headscope
