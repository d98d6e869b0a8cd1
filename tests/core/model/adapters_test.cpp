// A model with adapters is the model that they were merged into by hand, to the bit.
#include "core/model/adapters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/model/checkpoint.h"
#include "core/model/folder_stamp.h"
#include "core/model/weights_sha256.h"
#include "tests/core/model/adapter_files.h"
#include "tests/core/model/renamed_models.h"

namespace headscope {
namespace {

using Matrix = PlainMatrix;

const std::string kQuery = "model.layers.0.self_attn.q_proj", kValue = "model.layers.1.self_attn.v_proj",
                  kUp = "model.layers.1.mlp.up_proj";

class Adapters : public FilesTest {
 protected:
  // Whether the model of the golden folder with these adapters is the one that `remaking` makes.
  void expect_merged(const std::string& golden, const std::string& adapters, const Remaking& remaking) {
    const std::string merged_folder = path("merged" + std::to_string(count_++));
    write_remade(kModels + golden, merged_folder, remaking);
    const auto with = Checkpoint::open(kModels + golden + " with adapter " + adapters);
    const auto by_hand = Checkpoint::open(merged_folder);
    EXPECT_EQ(bits_of(*with), bits_of(*by_hand)) << golden << " with " << adapters;
    EXPECT_EQ(sha256_of(*with, {}), sha256_of(*by_hand, {}));
    EXPECT_NE(sha256_of(*with, {}), sha256_of(*Checkpoint::open(kModels + golden), {}));
  }

  static MadeAdapter of_llama() {
    MadeAdapter adapter;
    adapter.add(kQuery, 16, 16);
    adapter.add(kValue, 8, 16);
    return adapter;
  }
  static Remaking remade(const MadeAdapter& adapter, const std::vector<std::pair<std::string, double>>& scales,
                         bool dora = false) {
    Remaking all;
    for (const auto& [module, s] : scales) {
      all[module + ".weight"] = [&adapter, module = module, s = s, dora](const Matrix& w) {
        return merged(w, adapter.b(module), adapter.a(module), s, dora ? adapter.m(module) : Tensor());
      };
    }
    return all;
  }

 private:
  int count_ = 0;
};

TEST_F(Adapters, LoraOfGroupedHeads) {
  const MadeAdapter adapter = of_llama();
  const std::string folder = adapter.write(path("lora"));
  expect_merged("llama", folder, remade(adapter, {{kQuery, 1.5}, {kValue, 1.5}}));
  expect_merged("llama", folder + "*-0.25", remade(adapter, {{kQuery, -0.375}, {kValue, -0.375}}));
  const auto base = Checkpoint::open(kModels + "llama");
  for (const char* same : {"*0", ";off:nothing"}) {
    const std::string off = same[0] == '*' ? folder + same : "off:" + folder + same;
    EXPECT_EQ(bits_of(*Checkpoint::open(kModels + "llama with adapter " + off)), bits_of(*base)) << off;
  }
}

TEST_F(Adapters, ScalesByRankByItsRootAndByPatterns) {
  MadeAdapter adapter = of_llama();
  adapter.config["use_rslora"] = true;
  expect_merged("llama", adapter.write(path("root")),
                remade(adapter, {{kQuery, 3 / std::sqrt(2.0)}, {kValue, 3 / std::sqrt(2.0)}}));
  MadeAdapter patterns = of_llama();
  patterns.add(kUp, 16, 16, 4);
  patterns.config["rank_pattern"] = {{"up_proj", 4}};
  // PEFT ends every expression where the name ends, so that "^model.layers.1" fits no module.
  patterns.config["alpha_pattern"] = {{"^model.layers.1", 40}, {R"(layers\.0\..*)", 5}, {"mlp.up_proj", 6}};
  expect_merged("llama", patterns.write(path("patterns")),
                remade(patterns, {{kQuery, 2.5}, {kValue, 1.5}, {kUp, 1.5}}));
}

TEST_F(Adapters, DoraBringsEveryOutputToItsLength) {
  MadeAdapter adapter = of_llama();
  adapter.config["use_dora"] = true;
  adapter.add_magnitude(kQuery, 16);
  adapter.add_magnitude(kValue, 8);
  expect_merged("llama", adapter.write(path("dora")), remade(adapter, {{kQuery, 1.5}, {kValue, 1.5}}, true));
  expect_merged("llama", path("dora") + "*0.5", remade(adapter, {{kQuery, 0.75}, {kValue, 0.75}}, true));
}

TEST_F(Adapters, Conv1dMatricesAreTransposed) {
  const std::string fused = "transformer.h.0.attn.c_attn", square = "transformer.h.1.attn.c_proj";
  for (const bool dora : {false, true}) {
    MadeAdapter adapter;
    // PEFT writes false where a Linear was adapted after them: the square one is [in, out] all the same.
    adapter.config["fan_in_fan_out"] = false;
    adapter.config["use_dora"] = dora;
    adapter.add(fused, 36, 12);
    adapter.add(square, 12, 12);
    if (dora) {
      adapter.add_magnitude(fused, 36);
      adapter.add_magnitude(square, 12);
    }
    Remaking remaking;
    for (const std::string& module : {fused, square}) {
      remaking[module + ".weight"] = [&adapter, module, dora](const Matrix& w) {
        return transposed(
            merged(transposed(w), adapter.b(module), adapter.a(module), 1.5, dora ? adapter.m(module) : Tensor()));
      };
    }
    expect_merged("gpt2", adapter.write(path(dora ? "dora" : "lora")), remaking);
  }
}

TEST_F(Adapters, SeveralActOneAfterTheOther) {
  const MadeAdapter first = of_llama();
  MadeAdapter second;
  second.config["use_dora"] = true;
  second.config["lora_alpha"] = 1;
  second.add(kQuery, 16, 16, 2);
  second.tensors["base_model.model." + kQuery + ".lora_A.weight"] = adapter_numbers(2, 16, 77);
  second.add_magnitude(kQuery, 16);
  Remaking remaking = remade(first, {{kQuery, 1.5}, {kValue, 1.5}});
  remaking[kQuery + ".weight"] = [&](const Matrix& w) {
    Matrix after = merged(w, first.b(kQuery), first.a(kQuery), 1.5);
    // What the first one made is read as float32.
    for (double& number : after.x) number = static_cast<float>(number);
    return merged(after, second.b(kQuery), second.a(kQuery), 0.5, second.m(kQuery));
  };
  expect_merged("llama", first.write(path("first")) + ";" + second.write(path("second")), remaking);
}

TEST_F(Adapters, EmbeddingsHeadsAndWholeTensors) {
  MadeAdapter adapter;
  adapter.add("lm_head", 24, 16);
  const std::string words = "base_model.model.model.embed_tokens.";
  adapter.tensors[words + "lora_embedding_A"] = adapter_numbers(2, 24, 91);
  adapter.tensors[words + "lora_embedding_B"] = adapter_numbers(16, 2, 92);
  const std::string norm = "model.layers.1.input_layernorm";
  adapter.tensors["base_model.model." + norm + ".weight"] = adapter_numbers(16, 0, 93);
  adapter.tensors["base_model.model.model.norm.modules_to_save.default.weight"] = adapter_numbers(16, 0, 94);
  adapter.config["modules_to_save"] = {"norm"};
  Remaking remaking = remade(adapter, {{"lm_head", 1.5}});
  remaking["model.embed_tokens.weight"] = [&](const Matrix& w) {
    return transposed(merged(transposed(w), adapter.tensors.at(words + "lora_embedding_B"),
                             adapter.tensors.at(words + "lora_embedding_A"), 1.5));
  };
  remaking[norm + ".weight"] = [&](const Matrix&) { return plain(adapter_numbers(16, 0, 93)); };
  remaking["model.norm.weight"] = [&](const Matrix&) { return plain(adapter_numbers(16, 0, 94)); };
  expect_merged("llama", adapter.write(path("more")), remaking);
}

// The same numbers by other names: with the adapter's own name in them, and without the words before the body.
TEST_F(Adapters, NamesOfPeft) {
  const MadeAdapter adapter = of_llama();
  MadeAdapter other;
  for (const auto& [name, tensor] : adapter.tensors) {
    std::string spelled = name;
    spelled.replace(spelled.rfind(".weight"), 7, ".default.weight");
    spelled.replace(spelled.find("model.layers"), 12, "layers");
    other.tensors[spelled] = tensor;
  }
  expect_merged("llama", other.write(path("named")), remade(adapter, {{kQuery, 1.5}, {kValue, 1.5}}));
}

TEST_F(Adapters, OfMlx) {
  const MadeAdapter adapter = of_llama();
  MadeAdapter mlx;
  mlx.file = "adapters.safetensors";
  mlx.config = {{"fine_tune_type", "lora"}, {"lora_parameters", {{"rank", 2}, {"scale", 20.0}, {"dropout", 0.0}}}};
  for (const std::string& module : {kQuery, kValue}) {
    const auto turned = [](const Tensor& of) { return of.permuted({1, 0}).dense_copy(); };
    mlx.tensors[module + ".lora_a"] = turned(adapter.a(module));
    mlx.tensors[module + ".lora_b"] = turned(adapter.b(module));
  }
  expect_merged("llama", mlx.write(path("mlx")), remade(adapter, {{kQuery, 20}, {kValue, 20}}));
}

TEST_F(Adapters, TwoByteModelsAreMergedInFloat32) {
  MadeAdapter adapter;
  adapter.add(kQuery, 16, 16);
  const std::string folder = adapter.write(path("lora"));
  const auto base = Checkpoint::open(kModels + "llama-bf16"),
             with = Checkpoint::open(kModels + "llama-bf16 with adapter " + folder);
  const Tensor before = base->block(0).attention.query.weight, after = with->block(0).attention.query.weight;
  const Matrix expected = merged(plain(before), adapter.b(kQuery), adapter.a(kQuery), 1.5);
  EXPECT_EQ(after.values(), std::vector<float>(expected.x.begin(), expected.x.end()));
  EXPECT_EQ(with->block(0).attention.key.weight.values(), base->block(0).attention.key.weight.values());
}

TEST_F(Adapters, SaysWhatAFolderHolds) {
  MadeAdapter adapter = of_llama();
  adapter.add(kUp, 16, 16, 4);
  adapter.config["rank_pattern"] = {{"up_proj", 4}};
  adapter.config["base_model_name_or_path"] = "org/tiny";
  const AdapterFacts facts = adapter_facts(adapter.write(path("lora")));
  EXPECT_STREQ(facts.kind, "LoRA");
  EXPECT_EQ(facts.base, "org/tiny");
  EXPECT_EQ(facts.least_rank, 2);
  EXPECT_EQ(facts.largest_rank, 4);
  EXPECT_EQ(facts.least_scaling, 0.75);
  EXPECT_EQ(facts.largest_scaling, 1.5);
  EXPECT_EQ(facts.modules, 3);
  EXPECT_EQ(facts.whole, 0);
  EXPECT_EQ(facts.changed, 16 * 16 + 8 * 16 + 16 * 16);
  EXPECT_EQ(facts.parameters, 2 * 32 + 2 * 24 + 4 * 32);
}

TEST_F(Adapters, AChangedFileIsSeen) {
  const MadeAdapter adapter = of_llama();
  const std::string folder = adapter.write(path("lora")), model = kModels + "llama with adapter " + folder;
  const FolderStamp stamp(model), off(kModels + "llama with adapter off:" + folder);
  EXPECT_TRUE(stamp.unchanged());
  std::ofstream(folder + "/adapter_config.json") << adapter.config.dump() << "  ";
  EXPECT_FALSE(stamp.unchanged());
  EXPECT_TRUE(off.unchanged());
}

TEST_F(Adapters, OfBothTowers) {
  const std::string models = HEADSCOPE_SOURCE_DIR "/tests/golden/vision_models/";
  for (const char* model : {"clip", "siglip"}) {
    const TensorFile file = open_safetensors(models + model + "/model.safetensors");
    MadeAdapter adapter;
    for (const std::string tower : {"text_model", "vision_model"}) {
      const std::string module = tower + ".encoder.layers.0.self_attn.q_proj";
      const auto entry = std::find_if(file.entries.begin(), file.entries.end(),
                                      [&](const TensorEntry& each) { return each.name == module + ".weight"; });
      ASSERT_NE(entry, file.entries.end()) << module;
      adapter.add(module, entry->shape[0], entry->shape[1]);
    }
    const std::string folder = adapter.write(path(model));
    for (const Tower tower : {Tower::text, Tower::image}) {
      const std::string module =
          (tower == Tower::text ? "text_model" : "vision_model") + std::string(".encoder.layers.0.self_attn.q_proj");
      const auto plainly = Checkpoint::open(models + model, tower);
      const auto with = Checkpoint::open(models + model + " with adapter " + folder, tower);
      const Matrix by_hand =
          merged(plain(plainly->block(0).attention.query.weight), adapter.b(module), adapter.a(module), 1.5);
      EXPECT_EQ(with->block(0).attention.query.weight.values(), std::vector<float>(by_hand.x.begin(), by_hand.x.end()))
          << model << " " << module;
    }
  }
}

}  // namespace
}  // namespace headscope
