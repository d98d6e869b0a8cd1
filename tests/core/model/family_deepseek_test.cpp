// What DeepSeek's models read from config.json; their arithmetic is in tests/golden/models.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/model/read_config.h"

namespace headscope {
namespace {

ConfigJson small(const char* type) {
  ConfigJson config = sized_json(type);
  config.update({{"kv_lora_rank", 6},
                 {"qk_nope_head_dim", 5},
                 {"qk_rope_head_dim", 4},
                 {"v_head_dim", 3},
                 {"n_routed_experts", 8},
                 {"num_experts_per_tok", 2},
                 {"n_group", 4},
                 {"topk_group", 2}});
  return config;
}

TEST(FamilyDeepSeek, HeadsAreMadeOfLatents) {
  const Architecture plain = config_of_json(small("deepseek_v2")).architecture;
  ASSERT_TRUE(plain.latents && plain.rotary);
  EXPECT_EQ(*plain.latents, (LatentRule{1536, 6, 4, 1e-6}));
  EXPECT_EQ(plain.head_dim, 9);
  EXPECT_EQ(plain.value_features(), 3);
  EXPECT_EQ(plain.rotary->begin, 5);
  EXPECT_EQ(plain.rotary->features, 4);
  EXPECT_EQ(plain.rotary->pairs, RotaryRule::Pairs::neighbours);
  EXPECT_EQ(plain.score_scale, std::nullopt);
  EXPECT_EQ(config_of_json(json_with(small("deepseek_v2"), "q_lora_rank", nullptr)).architecture.latents->query_rank,
            0);
  EXPECT_NE(
      config_refusal_of(json_with(small("deepseek_v2"), "num_key_value_heads", 1)).find("num_key_value_heads is 1"),
      std::string::npos);
}

TEST(FamilyDeepSeek, LongContextsSharpenTheScores) {
  const ConfigJson yarn = {{"type", "yarn"},
                           {"factor", 40.0},
                           {"original_max_position_embeddings", 4096},
                           {"mscale", 1.0},
                           {"mscale_all_dim", 0.707}};
  const Architecture model = config_of_json(json_with(small("deepseek_v3"), "rope_scaling", yarn)).architecture;
  const double all = 0.0707 * std::log(40.0) + 1;
  EXPECT_TRUE(std::abs(*model.score_scale - all * all / 3) <= 1e-12);
  EXPECT_TRUE(std::abs(model.rotary->factor - (0.1 * std::log(40.0) + 1) / all) <= 1e-12);
  ConfigJson without = yarn;
  without["mscale_all_dim"] = 0;
  EXPECT_NE(config_refusal_of(json_with(small("deepseek_v3"), "rope_scaling", without)).find("mscale_all_dim is 0"),
            std::string::npos);
  without.erase("mscale_all_dim");
  EXPECT_EQ(config_of_json(json_with(small("deepseek_v3"), "rope_scaling", without)).architecture.score_scale,
            std::nullopt);
}

TEST(FamilyDeepSeek, ExpertsAreChosenByGroup) {
  const ConfigJson second = small("deepseek_v2");
  const Architecture greedy = config_of_json(second).architecture;
  EXPECT_EQ(greedy.mixture->groups, 1) << "greedy";
  EXPECT_FALSE(greedy.mixture->renormalised || greedy.mixture->sigmoid);
  EXPECT_EQ(greedy.mixture->shared_width, 2 * 1407);
  EXPECT_TRUE(greedy.has_experts(0));
  const Architecture limited = config_of_json(json_with(second, "topk_method", "group_limited_greedy")).architecture;
  EXPECT_EQ(limited.mixture->groups, 4);
  EXPECT_EQ(limited.mixture->chosen_groups, 2);
  EXPECT_FALSE(config_of_json(json_with(second, "n_routed_experts", nullptr)).architecture.mixture);
  EXPECT_EQ(config_of_json(json_with(second, "n_shared_experts", nullptr)).architecture.mixture->shared_width, 0);
  EXPECT_NE(config_refusal_of(json_with(second, "norm_topk_prob", true)).find("norm_topk_prob is true"),
            std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(second, "scoring_func", "sigmoid")).find("scoring_func is \"sigmoid\""),
            std::string::npos);

  const ConfigJson third = small("deepseek_v3");
  const Architecture model = config_of_json(third).architecture;
  EXPECT_TRUE(model.mixture->sigmoid && model.mixture->correction && model.mixture->renormalised);
  EXPECT_EQ(model.mixture->factor, 2.5);
  EXPECT_TRUE(!model.has_experts(2) && model.has_experts(3)) << "three dense layers first";
  EXPECT_NE(config_refusal_of(json_with(third, "topk_method", "greedy")).find("topk_method is \"greedy\""),
            std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(third, "n_group", 3)).find("do not fit"), std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(third, "num_experts_per_tok", 5)).find("do not fit"), std::string::npos);
  EXPECT_EQ(config_of_json(json_with(third, "rope_interleave", false)).architecture.rotary->pairs,
            RotaryRule::Pairs::halves);
  EXPECT_NE(config_refusal_of(json_with(third, "quantization_config", {{"quant_method", "fp8"}})).find("FP8"),
            std::string::npos);
}

}  // namespace
}  // namespace headscope
