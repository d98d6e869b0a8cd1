// What encoders with narrow embeddings, shared layers or rotary positions read from config.json; their arithmetic is in
// tests/golden/models.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/model/read_config.h"

namespace headscope {
namespace {

using Arch = Architecture;

TEST(FamilyEncoders, ElectraProjectsEmbeddingsThatAreNarrower) {
  const ConfigJson electra = json_with(sized_json("electra"), "embedding_size", 6);
  const Architecture narrow = config_of_json(electra).architecture;
  EXPECT_EQ(narrow.embedding_width, 6);
  EXPECT_EQ(narrow.word_width(), 6);
  EXPECT_EQ(narrow.norm_place, Arch::NormPlace::after_sum);
  EXPECT_EQ(config_of_json(json_with(electra, "embedding_size", 16)).architecture.embedding_width, 0)
      << "no projection";
  EXPECT_EQ(config_of_json(sized_json("electra")).architecture.embedding_width, 128);
  EXPECT_EQ(config_of_json(json_with(electra, "hidden_act", "relu")).architecture.head_activation,
            Arch::Activation::gelu);
  EXPECT_NE(config_refusal_of(json_with(electra, "is_decoder", true)).find("is_decoder is true"), std::string::npos);
}

TEST(FamilyEncoders, AlbertSharesWeightsInGroups) {
  const Architecture all = config_of_json(sized_json("albert")).architecture;
  EXPECT_EQ(all.layer_groups, 1);
  EXPECT_EQ(all.stored_layer(3), 0);
  EXPECT_EQ(all.activation, Arch::Activation::gelu_tanh);
  EXPECT_EQ(all.head_activation, Arch::Activation::gelu_tanh);
  const Architecture two = config_of_json(json_with(sized_json("albert"), "num_hidden_groups", 2)).architecture;
  EXPECT_EQ(two.stored_layer(1), 0);
  EXPECT_EQ(two.stored_layer(2), 1);
  EXPECT_EQ(config_of_json(json_with(sized_json("albert"), "embedding_size", 16)).architecture.embedding_width, 16)
      << "projected all the same";
  EXPECT_NE(config_refusal_of(json_with(sized_json("albert"), "num_hidden_groups", 3)).find("num_hidden_groups is 3"),
            std::string::npos);
  EXPECT_NE(config_refusal_of(json_with(sized_json("albert"), "inner_group_num", 2)).find("inner_group_num is 2"),
            std::string::npos);
}

TEST(FamilyEncoders, ModernBertHasWindowsWithTheirOwnBase) {
  const ConfigJson config = sized_json("modernbert", 7);
  const Architecture plain = config_of_json(config).architecture;
  EXPECT_FALSE(plain.causal);
  EXPECT_TRUE(plain.bare_first_layer && plain.embedding_norm && plain.final_norm && plain.tied_embeddings);
  EXPECT_TRUE(!plain.norm_bias && !plain.transform_bias && !plain.transform_norm_bias && plain.decoder_bias);
  EXPECT_TRUE(!plain.has_window(0) && plain.has_window(1) && plain.has_window(2) && !plain.has_window(6));
  EXPECT_EQ(plain.sliding_window, 65) << "64 keys on each side";
  EXPECT_TRUE(std::abs(plain.rotary_of(0)->inverse_frequencies[1] - std::pow(160000, -0.25)) < 1e-7);
  EXPECT_TRUE(std::abs(plain.rotary_of(1)->inverse_frequencies[1] - 0.1) < 1e-7);
  EXPECT_EQ(*config_of_json(json_with(config, "local_rope_theta", nullptr)).architecture.rotary_of(1),
            *plain.rotary_of(0));
  EXPECT_FALSE(config_of_json(json_with(config, "global_attn_every_n_layers", 1)).architecture.sliding_window);
  EXPECT_EQ(config_of_json(json_with(config, "local_attention", 7)).architecture.sliding_window, 4) << "3 on each side";
  EXPECT_FALSE(config_of_json(json_with(config, "decoder_bias", false)).architecture.decoder_bias);
  EXPECT_EQ(config_of_json(json_with(config, "classifier_activation", "relu")).architecture.head_activation,
            Arch::Activation::relu);
  // As newer versions write it.
  const ConfigJson nested = {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 160000.0}}},
                             {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 10000.0}}}};
  const ConfigJson types = {"full_attention",    "sliding_attention", "sliding_attention", "full_attention",
                            "sliding_attention", "sliding_attention", "full_attention"};
  EXPECT_EQ(config_of_json(json_with(json_with(config, "rope_parameters", nested), "layer_types", types)).architecture,
            plain);
  EXPECT_NE(
      config_refusal_of(json_with(config, "rope_scaling", {{"type", "linear"}, {"factor", 2}})).find("rope_scaling is"),
      std::string::npos);
}

}  // namespace
}  // namespace headscope
