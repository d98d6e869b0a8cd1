// The files of a checkpoint's folder.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/text/tokenizer.h"
#include "tests/core/io/gguf_files.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/pickle_files.h"
#include "tests/core/model/checkpoint_files.h"
#include "tests/faults/readers.h"

namespace headscope::test {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::string models_itself(const std::string& json) {
  return json;
}

// GPT-2 with a layer.
std::string models_small_config() {
  nlohmann::json config = gpt2_config();
  config["n_layer"] = 1;
  return config.dump();
}

std::vector<FileTensor> small_tensors() {
  std::vector<FileTensor> tensors = gpt2_tensors();
  std::erase_if(tensors, [](const FileTensor& each) { return each.name.starts_with("h.1."); });
  return tensors;
}

std::string small_model() {
  return safetensors_bytes(small_tensors());
}

// The same names and shapes; every tensor begins in one storage.
std::string small_torch_model() {
  std::vector<std::pair<std::string, std::string>> items;
  for (const FileTensor& tensor : small_tensors()) {
    PickledTensor stored{tensor.shape, {}, 0, 64};
    std::int64_t step = 1;
    for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size) {
      stored.strides.insert(stored.strides.begin(), step);
      step *= *size;
    }
    items.emplace_back(tensor.name, pickled_tensor(stored));
  }
  return torch_archive(pickled(pickled_dict(items)), {{"0", std::string(256, '\x3f')}});
}

// GPT-2 with a layer, told by a map.
std::string models_small_map() {
  nlohmann::ordered_json map = nlohmann::ordered_json::parse(R"({"matrices":"in_out","architecture":{"num_layers":1,
    "num_heads":2,"max_positions":6,"causal":true,"norm":"layer","norm_eps":1e-5,"norm_first":true,
    "activation":"gelu_tanh"},"unsure":[],"tensors":{"word.weight":"wte.weight","position.weight":"wpe.weight"}})");
  const std::pair<const char*, const char*> modules[] = {{"attention_norm", "h.{layer}.ln_1"},
                                                         {"qkv", "h.{layer}.attn.c_attn"},
                                                         {"output", "h.{layer}.attn.c_proj"},
                                                         {"mlp_norm", "h.{layer}.ln_2"},
                                                         {"up", "h.{layer}.mlp.c_fc"},
                                                         {"down", "h.{layer}.mlp.c_proj"},
                                                         {"final_norm", "ln_f"}};
  for (const auto& [ours, theirs] : modules) {
    for (const char* which : {".weight", ".bias"})
      map["tensors"][ours + std::string(which)] = theirs + std::string(which);
  }
  return map.dump();
}

constexpr const char* kShard = "model-00001-of-00001.safetensors";

std::string small_index() {
  nlohmann::json map;
  for (const FileTensor& tensor : small_tensors()) map[tensor.name] = kShard;
  return nlohmann::json{{"weight_map", map}}.dump();
}

std::string models_small_vocabulary() {
  return R"({"model":{"type":"WordLevel","unk_token":"u","vocab":{"u":0,"a":1,"b":2,"c":3,"d":4}}})";
}

std::string sha_of(const LayerWeights& weights) {
  return weights.empty() ? "none" : sha256_of(weights);
}

std::string read_model(const std::string& path) {
  const auto checkpoint = Checkpoint::open(path);
  const Architecture& model = checkpoint->architecture();
  std::string text = fmt::format("{} {} {} {} {} {}", model.num_layers, model.num_heads, model.d_model,
                                 model.vocab_size, model.max_positions, model.norm_eps);
  text += text_of(checkpoint->embedding().word) + sha_of(checkpoint->block(0).attention) +
          text_of(checkpoint->block(0).down.weight) + text_of(checkpoint->output_head().final_norm.weight);
  for (const std::string& name : checkpoint->unexpected()) text += " " + name;
  const auto tokenizer = checkpoint->tokenizer();
  return text + (tokenizer == nullptr ? " no tokenizer" : fmt::format("{}", tokenizer->kind()));
}

std::string read_checkpoint(const std::string& path) {
  return read_model(std::filesystem::path(path).parent_path().string());
}

Files beside_config() {
  return {{"model.safetensors", small_model()}};
}

Files beside_model() {
  return {{"config.json", models_small_config()}};
}

// An adapter in the folder of the model that it is of.
std::string small_adapter() {
  return safetensors_bytes({{"base_model.model.h.0.attn.c_attn.lora_A.weight", {2, 4}},
                            {"base_model.model.h.0.attn.c_attn.lora_B.weight", {12, 2}}});
}

std::string small_adapter_config() {
  return R"({"peft_type": "LORA", "r": 2, "lora_alpha": 4, "rank_pattern": {"c_attn": 2}, "target_modules": ["c_attn"]})";
}

Files beside_adapter() {
  return {{"config.json", models_small_config()},
          {"model.safetensors", small_model()},
          {"adapter_config.json", small_adapter_config()}};
}

Files beside_adapter_config() {
  return {{"config.json", models_small_config()},
          {"model.safetensors", small_model()},
          {"adapter_model.safetensors", small_adapter()}};
}

std::string read_adapted(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return read_model(folder + " with adapter " + folder);
}

Files beside_map() {
  return {{"config.json", R"({"model_type":"homemade"})"}, {"model.safetensors", small_model()}};
}

Files beside_index() {
  return {{"config.json", models_small_config()}, {kShard, small_model()}};
}

Files beside_shard() {
  return {{"config.json", models_small_config()}, {"model.safetensors.index.json", small_index()}};
}

// A model of LitGPT with a layer.
std::string small_yaml() {
  return "block_size: 6\nn_embd: 4\nn_head: 2\nn_layer: 1\npadded_vocab_size: 5\nrotary_percentage: 1.0\n";
}

Files beside_yaml() {
  std::vector<FileTensor> tensors = {{"transformer.wte.weight", {5, 4}}, {"lm_head.weight", {5, 4}}};
  const auto add = [&](const std::string& name, std::int64_t out, std::int64_t in) {
    if (in > 0) tensors.push_back({name + ".weight", {out, in}});
    if (in == 0) tensors.push_back({name + ".weight", {out}});
    tensors.push_back({name + ".bias", {out}});
  };
  add("transformer.ln_f", 4, 0);
  add("transformer.h.0.norm_1", 4, 0);
  add("transformer.h.0.norm_2", 4, 0);
  add("transformer.h.0.attn.attn", 12, 4);
  add("transformer.h.0.attn.proj", 4, 4);
  add("transformer.h.0.mlp.fc", 16, 4);
  add("transformer.h.0.mlp.proj", 4, 16);
  return {{"model.safetensors", safetensors_bytes(tensors)}};
}

const std::vector<Reader> kModelsRows = {
    {.name = "yaml",
     .covers = "core/model/own_config.cpp",
     .file = "model_config.yaml",
     .small = small_yaml,
     .read = read_checkpoint,
     .fuzz = "checkpoint_files",
     .beside = beside_yaml,
     .may_be_missing = "a folder without a configuration is refused as one",
     .says = "model of config.json needs"},
    {.name = "config",
     .covers = "Checkpoint::open open_model_folder read_json_text read_config_json core/model/weight_files.cpp",
     .file = "config.json",
     .small = models_small_config,
     .read = read_checkpoint,
     .fuzz = "model_config checkpoint_files",
     .beside = beside_config,
     .of_json = models_itself,
     .small_json = models_small_config,
     .python_numbers = true},
    {.name = "model",
     .covers = "Checkpoint::open WeightFiles::open open_safetensors",
     .file = "model.safetensors",
     .small = small_model,
     .read = read_checkpoint,
     .fuzz = "checkpoint_files",
     .beside = beside_model,
     .says = "config.json needs"},
    {.name = "index",
     .covers = "WeightFiles::open parse_weight_index",
     .file = "model.safetensors.index.json",
     .small = small_index,
     .read = read_checkpoint,
     .fuzz = "weight_index checkpoint_files",
     .beside = beside_index,
     .of_json = models_itself,
     .small_json = small_index},
    {.name = "shard",
     .covers = "WeightFiles::open",
     .file = kShard,
     .small = small_model,
     .read = read_checkpoint,
     .fuzz = "checkpoint_files",
     .beside = beside_shard,
     .says = "model.safetensors.index.json"},
    {.name = "torch_model",
     .covers = "WeightFiles::open",
     .file = "pytorch_model.bin",
     .small = small_torch_model,
     .read = read_checkpoint,
     .fuzz = "checkpoint_files",
     .beside = beside_model,
     .says = "config.json needs"},
    {.name = "adapter",
     .covers = "read_adapter_tensors",
     .file = "adapter_model.safetensors",
     .small = small_adapter,
     .read = read_adapted,
     .fuzz = "checkpoint_files",
     .beside = beside_adapter,
     .says = "does not fit"},
    {.name = "adapter_config",
     .covers = "read_adapter_config",
     .file = "adapter_config.json",
     .small = small_adapter_config,
     .read = read_adapted,
     .fuzz = "checkpoint_files",
     .beside = beside_adapter_config,
     .of_json = models_itself,
     .small_json = small_adapter_config},
    {.name = "map",
     .covers = "read_model_map",
     .file = "headscope-map.json",
     .small = models_small_map,
     .read = read_checkpoint,
     .fuzz = "checkpoint_files",
     .beside = beside_map,
     .of_json = models_itself,
     .small_json = models_small_map,
     .says = "config.json needs"},
    {.name = "gguf",
     .covers = "Checkpoint::open open_gguf_model GgufFile::open parse_gguf core/io/gguf.cpp",
     .file = "model.gguf",
     .small = small_gguf_llama,
     .read = read_model,
     .fuzz = "gguf"},
    {.name = "checkpoint_tokenizer",
     .covers = "Checkpoint::open",
     .file = "tokenizer.json",
     .small = models_small_vocabulary,
     .read = read_checkpoint,
     .fuzz = "checkpoint_files",
     .beside =
         [] {
           Files files = beside_config();
           files.emplace_back("config.json", models_small_config());
           return files;
         },
     .of_json = models_itself,
     .small_json = models_small_vocabulary,
     .passes_over = "parts that no step reads are not held"},
};

}  // namespace

std::vector<Reader> model_readers() {
  return kModelsRows;
}

}  // namespace headscope::test
