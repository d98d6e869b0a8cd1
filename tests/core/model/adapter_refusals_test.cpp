// Adapters that do not fit, or that ask for what is not here: refused by name, never passed over.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/model/adapters.h"
#include "core/model/checkpoint.h"
#include "tests/core/io/gguf_files.h"
#include "tests/core/model/adapter_files.h"
#include "tests/core/model/renamed_models.h"

namespace headscope {
namespace {

const std::string kModule = "model.layers.0.self_attn.q_proj", kName = "base_model.model." + kModule;

class AdapterRefusals : public FilesTest {
 protected:
  static MadeAdapter lora() {
    MadeAdapter adapter;
    adapter.add(kModule, 16, 16);
    return adapter;
  }
  void refused(const MadeAdapter& adapter, const std::vector<std::string>& parts, const std::string& golden = "llama",
               const std::string& scale = "") {
    const std::string folder = adapter.write(path("adapter" + std::to_string(count_++)));
    std::vector<std::string> all = parts;
    all.push_back(folder);
    expect_refusal<Error>([&] { Checkpoint::open(kModels + golden + " with adapter " + folder + scale); }, all);
  }
  void config_refused(const char* key, const nlohmann::json& value, const std::vector<std::string>& parts) {
    MadeAdapter adapter = lora();
    adapter.config[key] = value;
    std::vector<std::string> all = parts;
    all.push_back("adapter_config.json");
    refused(adapter, all);
  }

 private:
  int count_ = 0;
};

TEST_F(AdapterRefusals, WhatIsNoLora) {
  for (const char* type : {"LOHA", "IA3", "PREFIX_TUNING", "VERA"}) {
    config_refused("peft_type", type, {"peft_type is \"" + std::string(type) + "\"", "expected \"LORA\""});
  }
  MadeAdapter adapter = lora();
  adapter.config.erase("peft_type");
  refused(adapter, {"peft_type is missing"});
  adapter.config = {{"fine_tune_type", "full"}, {"lora_parameters", {{"rank", 2}, {"scale", 1}}}};
  refused(adapter, {"fine_tune_type is \"full\", expected lora or dora"});
}

TEST_F(AdapterRefusals, ConfigurationsThatAskForOtherArithmetic) {
  config_refused("init_lora_weights", "pissa_niter_16", {"init_lora_weights is \"pissa_niter_16\"", "expected true"});
  config_refused("lora_bias", true, {"lora_bias is true", "not known here"});
  config_refused("layer_replication", {{0, 4}, {2, 5}}, {"layer_replication is a list"});
  config_refused("alora_invocation_tokens", {1, 2}, {"alora_invocation_tokens"});
  config_refused("trainable_token_indices", {1, 2}, {"trainable_token_indices names tokens"});
  config_refused("target_parameters", {"experts.gate_up_proj"}, {"target_parameters"});
  config_refused("r", 0, {"r is 0"});
  config_refused("lora_alpha", "16", {"lora_alpha is \"16\""});
  config_refused("rank_pattern", {{"q_proj", -1}}, {"rank_pattern has -1 for \"q_proj\""});
  for (const char* key : {"rank_pattern", "alpha_pattern"}) {
    config_refused(key, {{"(q_proj", 2}}, {"adapter_config.json: " + std::string(key)});
  }
  // Python writes these for what is no finite number.
  const std::string folder = lora().write(path("nan"));
  for (const char* number : {"NaN", "Infinity", "-Infinity"}) {
    std::ofstream(folder + "/adapter_config.json")
        << R"({"peft_type": "LORA", "r": 2, "lora_alpha": )" << number << "}";
    expect_refusal<Error>([&] { Checkpoint::open(kModels + "llama with adapter " + folder); },
                          {"adapter_config.json", "lora_alpha is " + std::string(number) + ","});
  }
}

TEST_F(AdapterRefusals, TensorsThatTheModelDoesNotHave) {
  MadeAdapter adapter = lora();
  adapter.add("model.layers.7.self_attn.q_proj", 16, 16);
  refused(adapter, {"does not fit", "model.layers.7.self_attn.q_proj.weight has no weight there"});
  adapter = lora();
  adapter.tensors["base_model.model.score.modules_to_save.weight"] = adapter_numbers(2, 16, 5);
  refused(adapter, {"score.weight has no weight there"});
  adapter = lora();
  adapter.tensors["base_model.model.model.embed_tokens.token_adapter.trainable_tokens_delta"] =
      adapter_numbers(2, 16, 5);
  refused(adapter, {"trainable_tokens_delta has no weight there"});
}

TEST_F(AdapterRefusals, TensorsOfAnotherFamily) {
  MadeAdapter adapter;
  adapter.add("bert.encoder.layer.0.attention.self.query", 16, 16);
  refused(adapter, {"bert.encoder.layer.0.attention.self.query.weight has no weight there"}, "roberta");
}

TEST_F(AdapterRefusals, OtherSizes) {
  MadeAdapter adapter;
  adapter.add("model.layers.0.self_attn.k_proj", 16, 16);
  refused(adapter, {"k_proj.weight is [8, 16]", "[16, 2] [2, 16]"});
  adapter = lora();
  adapter.tensors[kName + ".lora_A.weight"] = adapter_numbers(3, 16, 5);
  refused(adapter, {"q_proj.weight is [16, 16]", "[16, 2] [3, 16]"});
  adapter = lora();
  adapter.config["r"] = 4;
  refused(adapter, {kModule + " are of rank 2, expected 4"});
  adapter = lora();
  adapter.config["use_dora"] = true;
  adapter.add_magnitude(kModule, 15);
  refused(adapter, {"has 16 outputs, and its magnitudes are [15]"});
  adapter = lora();
  adapter.tensors["base_model.model.model.norm.weight"] = adapter_numbers(15, 0, 5);
  refused(adapter, {"model.norm.weight is [15], expected [16]"});
}

TEST_F(AdapterRefusals, TensorsWithoutThoseThatBelongToThem) {
  MadeAdapter adapter = lora();
  adapter.tensors.erase(kName + ".lora_B.weight");
  refused(adapter, {kModule + " has no lora_B"});
  adapter = lora();
  adapter.add_magnitude(kModule, 16);
  refused(adapter, {kModule + " has a lora_magnitude_vector, and adapter_config.json says LoRA"});
  adapter = lora();
  adapter.config["use_dora"] = true;
  refused(adapter, {kModule + " has no lora_magnitude_vector, and adapter_config.json says DoRA"});
  adapter = lora();
  adapter.tensors[kName + ".lora_B.bias"] = adapter_numbers(16, 0, 5);
  refused(adapter, {"lora_B.bias is no part of LoRA or DoRA"});
  adapter = lora();
  adapter.tensors[kName + ".lora_A.style.weight"] = adapter_numbers(2, 16, 5);
  refused(adapter, {"under two names of adapters"});
  adapter = lora();
  adapter.tensors.clear();
  refused(adapter, {"holds no tensors of an adapter"});
}

TEST_F(AdapterRefusals, WhatHasNoScaleOrNoEffect) {
  MadeAdapter adapter = lora();
  adapter.tensors["base_model.model.model.norm.weight"] = adapter_numbers(16, 0, 5);
  refused(adapter, {"model.norm.weight was trained whole, and takes no scale"}, "llama", "*0.5");
  // GPT-2's head is its embedding: the file has no lm_head of its own.
  MadeAdapter head;
  head.add("lm_head", 24, 12);
  refused(head, {"lm_head.weight has no weight there", "tied to the embedding"}, "gpt2");
  // BERT's pooler is there, and nothing that is shown reads it.
  MadeAdapter pooler;
  pooler.add("bert.pooler.dense", 12, 12);
  refused(pooler, {"changes bert.pooler.dense.weight", "nothing that is computed"}, "bert");
}

TEST_F(AdapterRefusals, TheOtherTowerAlone) {
  const std::string clip = HEADSCOPE_SOURCE_DIR "/tests/golden/vision_models/clip";
  MadeAdapter adapter;
  adapter.add("vision_model.encoder.layers.0.self_attn.q_proj", 12, 12);
  const std::string folder = adapter.write(path("images"));
  expect_refusal<Error>([&] { Checkpoint::open(clip + " with adapter " + folder); },
                        {folder, "changes nothing but the tower of " + clip + " that reads images", "--image"});
  Checkpoint::open(clip + " with adapter " + folder, Tower::image);
}

TEST_F(AdapterRefusals, FoldersThatAreNone) {
  const auto open = [&](const std::string& folder) { Checkpoint::open(kModels + "llama with adapter " + folder); };
  expect_refusal<Error>([&] { open(path("nowhere")); }, {path("nowhere"), "no adapter_config.json"});
  MadeAdapter adapter = lora();
  adapter.file = "other.safetensors";
  const std::string folder = adapter.write(path("empty"));
  expect_refusal<Error>([&] { open(folder); }, {folder, "no adapter_model.safetensors or adapter_model.bin"});
}

TEST_F(AdapterRefusals, GgufModels) {
  const std::string folder = lora().write(path("lora")), file = path("model.gguf");
  std::ofstream(file, std::ios::binary) << test::GgufWriter().text("general.architecture", "llama").bytes();
  expect_refusal<Error>([&] { Checkpoint::open(file + " with adapter " + folder); },
                        {folder, file + " is a GGUF model", "Expected the folder with config.json"});
}

}  // namespace
}  // namespace headscope
