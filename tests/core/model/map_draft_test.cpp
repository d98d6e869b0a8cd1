// What the draft of a map takes from config.json, and what it says that it did not.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/harmless_keys.h"
#include "tests/core/model/renamed_models.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

class MapDrafts : public RenamedModel {
 protected:
  // The settings of the draft of a model whose configuration `change` has changed.
  Json settings_with(const Json& change) {
    write_renamed(model_, {});
    change_config([&](Json& config) { config.update(change); });
    draft_ = drafted();
    return Json::parse(draft_.json)["architecture"];
  }
  // Whether a sentence of `unsure` has that part.
  bool doubts(const std::string& part) const {
    return std::any_of(draft_.unsure.begin(), draft_.unsure.end(),
                       [&](const std::string& each) { return each.find(part) != each.npos; });
  }
  std::string model_ = "llama";
  MapDraft draft_;
};

// Granite: four factors, of which a map has three.
TEST_F(MapDrafts, GranitesFactorsAreFilledInOrNamed) {
  const Json settings = settings_with({{"model_type", "granite"},
                                       {"embedding_multiplier", 12.0},
                                       {"attention_multiplier", 0.015625},
                                       {"residual_multiplier", 0.22},
                                       {"logits_scaling", 8.0}});
  EXPECT_EQ(settings["embedding_scale"], 12.0);
  EXPECT_EQ(settings["score_scale"], 0.015625);
  EXPECT_EQ(settings["logit_scale"], 0.125);
  EXPECT_TRUE(doubts("residual_multiplier of config.json, 0.22, is not taken into account"));
  EXPECT_TRUE(doubts("model_type granite: it is like llama, but embeddings, residual sums and logits have factors"));
  for (const char* taken : {"embedding_multiplier", "attention_multiplier", "logits_scaling"}) {
    EXPECT_FALSE(doubts(taken)) << taken;
  }
  write(kMapName, draft_.json);
  EXPECT_EQ(open()->architecture().embedding_scale, 12);
  EXPECT_EQ(open()->architecture().score_scale, 0.015625);
  EXPECT_EQ(open()->architecture().logit_scale, 0.125);
}

TEST_F(MapDrafts, KeysThatMakeASetting) {
  const Json settings = settings_with({{"query_pre_attn_scalar", 16},
                                       {"attn_logit_softcapping", 50.0},
                                       {"final_logit_softcapping", 30.0},
                                       {"scale_embedding", true},
                                       {"rotary_pct", 0.5},
                                       {"use_parallel_residual", false},
                                       {"sliding_window", 3},
                                       {"layer_types", {"sliding_attention", "full_attention"}}});
  EXPECT_EQ(settings["score_scale"], 0.25);
  EXPECT_EQ(settings["score_softcap"], 50.0);
  EXPECT_EQ(settings["logit_softcap"], 30.0);
  EXPECT_EQ(settings["embedding_scale"], 4.0) << "the root of d_model 16";
  EXPECT_EQ(settings["rotary"]["partial_rotary_factor"], 0.5);
  EXPECT_EQ(settings["sliding_window"], 3);
  EXPECT_EQ(settings["window_layers"], Json::array({0}));
  EXPECT_FALSE(settings.contains("parallel"));
  EXPECT_FALSE(doubts("of config.json"));
}

TEST_F(MapDrafts, AWindowThatIsNotUsedIsNone) {
  EXPECT_FALSE(settings_with({{"use_sliding_window", false}, {"sliding_window", 3}}).contains("sliding_window"));
  EXPECT_FALSE(doubts("of config.json"));
  EXPECT_EQ(settings_with({{"sliding_window", 3}})["sliding_window"], 3);
  EXPECT_TRUE(doubts("sliding_window: that all layers have it is a guess"));
  EXPECT_EQ(settings_with({{"sliding_window", 3}, {"sliding_window_pattern", 2}})["window_layers"], Json::array({0}));
}

TEST_F(MapDrafts, EveryKeyThatMayMatterIsNamed) {
  settings_with({{"mystery_factor", 3},
                 {"attn_config", {{"qk_gn", true}, {"alibi", nullptr}}},
                 {"scale_attn_weights", true},
                 {"architectures", {"X"}},
                 {"attention_dropout", 0.1},
                 {"image_token_id", 7},
                 {"empty", Json::array()},
                 {"n_ctx", 99},
                 {"vision", {{"a", 1}}}});
  for (const char* part : {"mystery_factor of config.json, 3,", "attn_config.qk_gn of config.json, true,",
                           "n_ctx of config.json, 99,", "vision of config.json, an object,"}) {
    EXPECT_TRUE(doubts(part)) << part;
  }
  std::size_t named = 0;
  for (const std::string& each : draft_.unsure) named += each.find("of config.json") != each.npos ? 1 : 0;
  EXPECT_EQ(named, 4U);
}

TEST_F(MapDrafts, AKeyOfAnotherTypeIsNotTaken) {
  EXPECT_FALSE(settings_with({{"logit_scale", "inv_sqrt_d_model"}}).contains("logit_scale"));
  EXPECT_TRUE(doubts("logit_scale of config.json, \"inv_sqrt_d_model\","));
  EXPECT_FALSE(settings_with({{"query_pre_attn_scalar", 0}, {"logits_scaling", -1}}).contains("score_scale"));
  EXPECT_TRUE(doubts("query_pre_attn_scalar of config.json, 0,"));
  EXPECT_TRUE(doubts("logits_scaling of config.json, -1,"));
}

TEST_F(MapDrafts, TensorsOfSeveralFamiliesAreNamedSo) {
  model_ = "gemma";
  settings_with(Json::object());
  EXPECT_TRUE(doubts("but so do those of gemma, mistral, qwen2, stablelm, which compute otherwise"));
  EXPECT_TRUE(doubts("norm_plus_one"));
  EXPECT_TRUE(doubts("embedding_scale"));
}

// GPT-NeoX by the names of its tensors: every setting that config.json does not say is a guess, and is called one.
TEST_F(MapDrafts, GuessesByNamesAreNamed) {
  model_ = "gpt_neox";
  const Json settings = settings_with(Json::object());
  EXPECT_EQ(settings["fused_rows"], "per_head");
  EXPECT_EQ(settings["parallel"], true);
  EXPECT_EQ(settings["rotary"]["partial_rotary_factor"], 0.45);
  EXPECT_TRUE(doubts("fused_rows: \"per_head\" is a guess, as gpt_neox models have it"));
  EXPECT_TRUE(doubts("norm_place: before is a guess"));
  EXPECT_TRUE(doubts("causal: true is a guess"));
}

TEST(HarmlessKeys, ByNameAndValue) {
  const auto harmless = [](const char* key, const char* json) {
    return is_harmless_key(key, parse_strict_json(json, "value"));
  };
  EXPECT_TRUE(harmless("bos_token_id", "3"));
  EXPECT_TRUE(harmless("anything", "null"));
  EXPECT_TRUE(harmless("anything", "[]"));
  EXPECT_TRUE(harmless("position_embedding_type", "\"absolute\""));
  EXPECT_FALSE(harmless("position_embedding_type", "\"relative_key\""));
  EXPECT_TRUE(harmless("scale_attn_weights", "true"));
  EXPECT_FALSE(harmless("scale_attn_weights", "false"));
  EXPECT_FALSE(harmless("anything", "false"));
  EXPECT_FALSE(harmless("residual_multiplier", "1"));
}

}  // namespace
}  // namespace headscope
