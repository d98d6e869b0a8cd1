// Tensors that no part of a model uses: refused inside of its layers, listed elsewhere, passed over where they are
// known.
#include "core/model/leftover_tensors.h"

#include <array>

#include "core/base/error.h"
#include "core/model/harmless_tensors.h"
#include "core/model/layer_names.h"
#include "tests/core/model/renamed_models.h"

namespace headscope {
namespace {

class Leftover : public RenamedModel {};

using Names = std::vector<std::string>;

TEST(LeftoverNames, InALayer) {
  const std::vector<LayerList> lists = {{"model.layers.", 12}, {"encoder.block.", 2}};
  EXPECT_EQ(name_in_layer("model.layers.11.mlp.up.weight", lists), "mlp.up.weight");
  EXPECT_EQ(name_in_layer("model.layers.12.mlp.up.weight", lists), "") << "there is no such layer";
  EXPECT_EQ(name_in_layer("encoder.block.1.layer.0.q.weight", lists), "layer.0.q.weight");
  EXPECT_EQ(name_in_layer("model.layers.x.weight", lists), "");
  EXPECT_EQ(name_in_layer("model.layers.3", lists), "");
  EXPECT_EQ(name_in_layer("vision.model.layers.3.q", lists), "");
  EXPECT_EQ(name_in_layer("model.layers.99999999999999999999.q", lists), "");
}

TEST(LeftoverNames, Patterns) {
  EXPECT_TRUE(fits_pattern("a.b.weight", "a.b.weight"));
  EXPECT_TRUE(fits_pattern("a.12.b.weight", "a.{layer}.b.weight"));
  EXPECT_TRUE(fits_pattern("a.12.lora_A.default.weight", "*.lora_*"));
  EXPECT_TRUE(fits_pattern("a.1.b.2.weight", "a.*.{layer}.weight"));
  EXPECT_TRUE(fits_pattern("", "*"));
  EXPECT_FALSE(fits_pattern("a.b.weight", "a.b"));
  EXPECT_FALSE(fits_pattern("a.b.weight", "b.*"));
  EXPECT_FALSE(fits_pattern("a.x.weight", "a.{layer}.weight"));
  EXPECT_FALSE(fits_pattern("a", ""));
}

TEST(LeftoverNames, HarmlessBuffers) {
  const auto harmless = [](const char* name, std::vector<std::int64_t> shape) {
    return is_harmless({name, "F32", std::move(shape), 0});
  };
  EXPECT_TRUE(harmless("transformer.h.0.attn.bias", {1, 1, 8, 8}));
  EXPECT_TRUE(harmless("gpt_neox.layers.0.attention.masked_bias", {}));
  EXPECT_TRUE(harmless("h.0.attn.masked_bias", {1}));
  EXPECT_TRUE(harmless("bert.pooler.dense.weight", {4, 4}));
  EXPECT_FALSE(harmless("blocks.0.attn.bias", {24})) << "a bias of a projection";
  EXPECT_FALSE(harmless("layers.0.pooler.weight", {4, 4})) << "a part of a layer";
}

TEST(LeftoverNames, FamiliesByTheNamesOfALayer) {
  const auto first = [](const std::set<std::string>& names) {
    const auto found = families_by_names(names);
    return found.empty() ? std::string("none") : found.front()->fixed.family;
  };
  const std::set<std::string> llama = {
      "input_layernorm.weight",  "self_attn.q_proj.weight",        "self_attn.k_proj.weight", "self_attn.v_proj.weight",
      "self_attn.o_proj.weight", "mlp.gate_proj.weight",           "mlp.up_proj.weight",      "mlp.down_proj.weight",
      "self_attn.q_proj.bias",   "post_attention_layernorm.weight"};
  EXPECT_EQ(first(llama), "llama");
  std::set<std::string> qwen3 = llama;
  qwen3.insert({"self_attn.q_norm.weight", "self_attn.k_norm.weight"});
  EXPECT_EQ(first(qwen3), "qwen3");
  std::set<std::string> gemma2 = llama;
  gemma2.insert({"pre_feedforward_layernorm.weight", "post_feedforward_layernorm.weight"});
  EXPECT_EQ(first(gemma2), "gemma2");
  gemma2.insert("strange.weight");
  EXPECT_EQ(first(gemma2), "none");
  EXPECT_EQ(first({}), "none");
}

// What checkpoints of the hub hold beside the weights of their family.
TEST_F(Leftover, RealExtrasOpen) {
  struct Case {
    const char* model;
    std::vector<FileTensor> more;
    Names listed;
  };
  const Case cases[] = {
      {"gpt2",
       {{"transformer.h.0.attn.bias", {1, 1, 9, 9}},
        {"transformer.h.1.attn.masked_bias", {}},
        {"score.weight", {2, 8}}},
       {"score.weight"}},
      {"bert",
       {{"bert.encoder.layer.0.num_batches_tracked", {}}, {"classifier.weight", {3, 12}}, {"qa_outputs.bias", {2}}},
       {"classifier.weight", "qa_outputs.bias"}},
      {"roberta",
       {{"roberta.pooler.dense.weight", {12, 12}},
        {"roberta.embeddings.position_ids", {1, 11}},
        {"classifier.out_proj.weight", {2, 12}}},
       {"classifier.out_proj.weight"}},
      {"distilbert", {{"pre_classifier.weight", {4, 4}}}, {"pre_classifier.weight"}},
      {"electra", {{"discriminator_predictions.dense.weight", {3, 3}}}, {"discriminator_predictions.dense.weight"}},
      {"deberta_v2", {{"pooler.dense.weight", {3, 3}}, {"classifier.bias", {3}}}, {"classifier.bias"}},
      {"gptj", {{"transformer.h.0.attn.bias", {1, 1, 9, 9}}, {"transformer.h.0.attn.masked_bias", {}}}, {}},
      {"gpt_neox", {{"gpt_neox.layers.1.attention.rotary_emb.inv_freq", {3}}}, {}},
      {"falcon", {{"transformer.h.0.self_attention.maybe_rotary.inv_freq", {3}}}, {}},
      {"llama",
       {{"model.mtp.0.weight", {3}}, {"model.layers.0.self_attn.rotary_emb.cos_cached", {3}}},
       {"model.mtp.0.weight"}},
      {"deepseek_v3",
       {{"model.layers.61.eh_proj.weight", {3}}, {"model.layers.61.self_attn.q_a_proj.weight", {3}}},
       {"model.layers.61.eh_proj.weight", "model.layers.61.self_attn.q_a_proj.weight"}},
      {"gemma3-wrapped",
       {{"vision_tower.vision_model.encoder.layers.0.mlp.fc1.weight", {3}},
        {"multi_modal_projector.mm_input_projection_weight", {3}}},
       {"multi_modal_projector.mm_input_projection_weight",
        "vision_tower.vision_model.encoder.layers.0.mlp.fc1.weight"}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.model);
    write_golden(each.model, "", {}, each.more);
    EXPECT_EQ(open()->unexpected(), each.listed);
  }
}

TEST_F(Leftover, RealExtrasOfTwoTowersOpen) {
  struct Case {
    const char* model;
    std::vector<FileTensor> more;
    Names listed;
  };
  const Case cases[] = {
      {"../encoder_decoders/t5",
       {{"decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", {8, 3}},
        {"decoder.embed_tokens.weight", {43, 20}}},
       {}},
      {"../encoder_decoders/bart", {{"model.encoder.version", {1}}}, {"model.encoder.version"}},
      // Listed, for it is not the words that it would be tied to.
      {"../encoder_decoders/whisper", {{"proj_out.weight", {1, 1}}}, {"proj_out.weight"}},
      {"../vision_models/clip", {{"logit_bias", {1}}, {"text_model.embeddings.position_ids", {1, 9}}}, {}},
      {"../vision_models/siglip", {{"text_model.embeddings.position_ids", {1, 9}}}, {}},
      {"../vision_models/vit", {{"decoder.0.bias", {2}}}, {}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.model);
    const std::string tensors = kModels + each.model + "/model.safetensors";
    write("config.json", read_file(kModels + each.model + "/config.json"));
    write("model.safetensors", renamed(read_file(tensors), {}, each.more));
    EXPECT_EQ(Checkpoint::open(folder(), Tower::image)->unexpected(), each.listed);
    EXPECT_EQ(open()->unexpected(), each.listed);
  }
}

TEST_F(Leftover, TensorsOfALayerAreRefused) {
  write_golden("qwen3", "llama", {}, {});
  expect_refused({"its layers have tensors that those of a llama model do not have",
                  "model.layers.0.self_attn.k_norm.weight", "a qwen3 model has all of them", "headscope-map.json",
                  "--map-draft", "\"ignore\""});
  write_golden("llama", "", {}, {{"model.layers.1.self_attn.q_proj.lora_A.weight", {2, 16}}});
  expect_refused({"model.layers.1.self_attn.q_proj.lora_A.weight"});
  write_golden("gpt2", "", {}, {{"transformer.h.0.attn.bias", {36}}});
  expect_refused({"transformer.h.0.attn.bias"});
  write_golden("bert", "", {}, {{"bert.encoder.layer.1.adapter.down.weight", {2, 12}}});
  expect_refused({"bert.encoder.layer.1.adapter.down.weight"});
}

TEST_F(Leftover, AMapMayIgnoreThem) {
  write_golden("llama", "", {}, {{"model.layers.1.self_attn.q_proj.lora_A.weight", {2, 16}}});
  write(kMapName, R"({"ignore": ["model.layers.{layer}.*.lora_A.weight"]})");
  expect_same_model(*open(), *Checkpoint::open(kModels + "llama"));
  EXPECT_EQ(open()->architecture().family, "llama");
  write(kMapName, R"({"ignore": ["model.layers.{layer}.*.lora_B.weight"]})");
  expect_refused({kMapName, "ignore has", "lora_B", "no file has such a tensor"});
  write(kMapName, R"({"ignore": [3]})");
  expect_refused({kMapName, "ignore has 3, expected names"});
}

TEST_F(Leftover, AMapNamesWhatItsLayersHold) {
  write_renamed("gemma2", {});
  write_map([](nlohmann::json& map) {
    for (const char* key : {"attention_norm_out.weight", "mlp_norm_out.weight"}) map["tensors"].erase(key);
    map["architecture"]["norm_place"] = "before";
  });
  expect_refused({kMapName, "does not use these tensors", "model.layers.0.post_attention_layernorm.weight",
                  "a gemma2 model has all of them", "\"ignore\""});
  write_map([](nlohmann::json& map) {
    for (const char* key : {"attention_norm_out.weight", "mlp_norm_out.weight"}) map["tensors"].erase(key);
    map["architecture"]["norm_place"] = "before";
    map["ignore"] = {"model.layers.{layer}.post_*_layernorm.weight"};
  });
  EXPECT_EQ(open()->unexpected(), Names{});
}

// RMS norms have no bias: one that a map names is not used, and neither is a table of the body that it does not name.
TEST_F(Leftover, WhatAMapNamesOrItsBodyHoldsIsUsed) {
  write_renamed("gpt2", {});
  write_map([](nlohmann::json& map) { map["architecture"]["norm"] = "rms"; });
  expect_refused({kMapName, "transformer.h.0.ln_1.bias"});
  write_renamed("gpt2", {}, {{"transformer.more_positions.weight", {9, 8}}, {"score.weight", {2, 8}}});
  write_map([](nlohmann::json& map) { map["tensors"].erase("more"); });
  expect_refused({kMapName, "transformer.more_positions.weight"});
  write_map([](nlohmann::json& map) { map["ignore"] = {"transformer.more_positions.weight"}; });
  EXPECT_EQ(open()->unexpected(), Names{"score.weight"});
}

}  // namespace
}  // namespace headscope
