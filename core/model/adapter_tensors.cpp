#include "core/model/adapter_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/torch_file.h"
#include "core/model/config_reader.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

using Factors = AdapterTensors::Factors;

// What stands behind a module's name.
struct PartName {
  std::string_view word;
  const TensorEntry* Factors::*entry;  // null: a tensor that was trained whole
  bool embedding = false;
};

constexpr PartName kPeftParts[] = {{"lora_A", &Factors::a},
                                   {"lora_B", &Factors::b},
                                   {"lora_embedding_A", &Factors::a, true},
                                   {"lora_embedding_B", &Factors::b, true},
                                   {"lora_magnitude_vector", &Factors::magnitude},
                                   {"modules_to_save", nullptr},
                                   {"base_layer", nullptr}};
constexpr PartName kMlxParts[] = {{"lora_a", &Factors::a}, {"lora_b", &Factors::b}, {"m", &Factors::magnitude}};

// A tensor's name, taken apart: "base_model.model.M.lora_A.default.weight".
struct TakenApart {
  std::string module;
  const PartName* part = nullptr;  // null: none is named
  std::string rest;                // "default.weight"
};

TakenApart taken_apart(std::string_view name, AdapterConfig::Kind kind) {
  constexpr std::string_view kBefore = "base_model.model.";
  if (name.starts_with(kBefore)) name.remove_prefix(kBefore.size());
  const std::span<const PartName> parts =
      kind == AdapterConfig::Kind::mlx ? std::span<const PartName>(kMlxParts) : std::span<const PartName>(kPeftParts);
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string_view word = name.substr(begin, end - begin);
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const PartName& each) { return each.word == word; });
    if (begin > 0 && part != parts.end()) {
      return {std::string(name.substr(0, begin - 1)), &*part, std::string(name.substr(std::min(end + 1, name.size())))};
    }
    begin = end + 1;
  }
  return {std::string(name), nullptr, ""};
}

// Whether what follows lora_A is nothing, the name of the adapter, or either with `.weight` behind it.
bool ends_factor(std::string_view rest) {
  if (rest == "weight") return true;
  if (rest.ends_with(".weight")) rest.remove_suffix(std::string_view(".weight").size());
  return rest.find('.') == rest.npos && rest != "bias";
}

// Sorts the tensors of a file by what they are.
class Sorting {
 public:
  Sorting(AdapterTensors& to) : to_(to) {}

  void add(const TensorEntry& entry) {
    const TakenApart name = taken_apart(entry.name, to_.config.kind);
    if (name.part == nullptr) return add_whole(name.module, entry);
    if (name.part->entry == nullptr) {
      // Behind it the adapter's name may stand, and what of the module it is.
      constexpr std::string_view kOwn = "default.";
      const bool named = name.rest.starts_with(kOwn);
      return add_whole(name.module + "." + name.rest.substr(named ? kOwn.size() : 0), entry);
    }
    if (!ends_factor(name.rest)) return problem(shortened(entry.name) + " is no part of LoRA or DoRA");
    Factors& factors = factors_[name.module];
    factors.module = name.module;
    factors.embedding = factors.embedding || name.part->embedding;
    if (factors.*(name.part->entry) != nullptr)
      problem(shortened(entry.name) + " is there under two names of adapters");
    factors.*(name.part->entry) = &entry;
  }

  void finish() {
    for (auto& [name, factors] : factors_) {
      const std::string module = shortened(name);
      if (factors.a == nullptr || factors.b == nullptr) {
        problem(fmt::format("{} has no {}", module, factors.a == nullptr ? "lora_A" : "lora_B"));
      } else if (factors.a->shape.size() != 2 || factors.b->shape.size() != 2) {
        problem(module + " is a convolution, or no matrix, which is not merged here");
      } else if (factors.magnitude != nullptr && factors.embedding) {
        problem(module + " has DoRA of an embedding, which PEFT does not merge");
      } else if ((factors.magnitude != nullptr) != to_.config.dora && !factors.embedding) {
        problem(fmt::format("{} has {}, and adapter_config.json says {}", module,
                            to_.config.dora ? "no lora_magnitude_vector" : "a lora_magnitude_vector",
                            to_.config.dora ? "DoRA" : "LoRA"));
      }
      to_.factors.push_back(factors);
    }
    if (!problems_.empty()) throw Error(fmt::format("{}: {}", to_.file->path, first_ten(problems_, "; ")));
    if (to_.factors.empty() && to_.whole.empty()) throw Error(to_.file->path + ": holds no tensors of an adapter");
  }

 private:
  void problem(std::string sentence) { problems_.push_back(std::move(sentence)); }

  void add_whole(const std::string& tensor, const TensorEntry& entry) {
    const auto same = std::find_if(to_.whole.begin(), to_.whole.end(),
                                   [&](const AdapterTensors::Whole& each) { return each.tensor == tensor; });
    if (same != to_.whole.end()) return problem(shortened(tensor) + " is there twice");
    to_.whole.push_back({tensor, &entry});
  }

  AdapterTensors& to_;
  std::map<std::string, Factors> factors_;
  std::vector<std::string> problems_;
};

TensorFile open_adapter_file(const std::string& folder, AdapterConfig::Kind kind) {
  struct Row {
    const char* name;
    TensorFile (*open)(const std::string& path);
  };
  constexpr std::array<Row, 2> kPeft = {
      {{"adapter_model.safetensors", open_safetensors}, {"adapter_model.bin", open_torch}}};
  constexpr std::array<Row, 1> kMlx = {{{"adapters.safetensors", open_safetensors}}};
  const std::span<const Row> rows =
      kind == AdapterConfig::Kind::mlx ? std::span<const Row>(kMlx) : std::span<const Row>(kPeft);
  for (const Row& row : rows) {
    const fs::path path = fs::path(folder) / row.name;
    std::error_code error;
    if (fs::exists(fs::symlink_status(path, error))) return row.open(path.string());
  }
  throw Error(fmt::format("{}: found adapter_config.json and no {}", folder,
                          rows.size() == 1 ? rows[0].name : "adapter_model.safetensors or adapter_model.bin"));
}

}  // namespace

AdapterTensors read_adapter_tensors(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(fs::path(folder) / "adapter_config.json", error)) {
    throw Error(fmt::format(
        "{}: found no adapter_config.json in it; expected the folder of an adapter, as PEFT saves it", folder));
  }
  AdapterTensors tensors;
  tensors.folder = folder;
  tensors.config = read_adapter_config(folder);
  tensors.file = std::make_shared<const TensorFile>(open_adapter_file(folder, tensors.config.kind));
  Sorting sorting(tensors);
  for (const TensorEntry& entry : tensors.file->entries) sorting.add(entry);
  sorting.finish();
  return tensors;
}

}  // namespace headscope
