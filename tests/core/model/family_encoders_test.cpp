// What encoders with narrow embeddings, shared layers or rotary positions read from config.json; their arithmetic is in
// tests/golden/models.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/model/read_config.h"

namespace headscope {
namespace {

using Arch = Architecture;

TEST(FamilyEncoders, ElectraProjectsEmbeddingsThatAreNarrower) {
  const Json electra = with(sized("electra"), "embedding_size", 6);
  const Architecture narrow = read(electra).architecture;
  EXPECT_EQ(narrow.embedding_width, 6);
  EXPECT_EQ(narrow.word_width(), 6);
  EXPECT_EQ(narrow.norm_place, Arch::NormPlace::after_sum);
  EXPECT_EQ(read(with(electra, "embedding_size", 16)).architecture.embedding_width, 0) << "no projection";
  EXPECT_EQ(read(sized("electra")).architecture.embedding_width, 128);
  EXPECT_EQ(read(with(electra, "hidden_act", "relu")).architecture.head_activation, Arch::Activation::gelu);
  EXPECT_NE(refusal_of(with(electra, "is_decoder", true)).find("is_decoder is true"), std::string::npos);
}

TEST(FamilyEncoders, AlbertSharesWeightsInGroups) {
  const Architecture all = read(sized("albert")).architecture;
  EXPECT_EQ(all.layer_groups, 1);
  EXPECT_EQ(all.stored_layer(3), 0);
  EXPECT_EQ(all.activation, Arch::Activation::gelu_tanh);
  EXPECT_EQ(all.head_activation, Arch::Activation::gelu_tanh);
  const Architecture two = read(with(sized("albert"), "num_hidden_groups", 2)).architecture;
  EXPECT_EQ(two.stored_layer(1), 0);
  EXPECT_EQ(two.stored_layer(2), 1);
  EXPECT_EQ(read(with(sized("albert"), "embedding_size", 16)).architecture.embedding_width, 16)
      << "projected all the same";
  EXPECT_NE(refusal_of(with(sized("albert"), "num_hidden_groups", 3)).find("num_hidden_groups is 3"),
            std::string::npos);
  EXPECT_NE(refusal_of(with(sized("albert"), "inner_group_num", 2)).find("inner_group_num is 2"), std::string::npos);
}

TEST(FamilyEncoders, ModernBertHasWindowsWithTheirOwnBase) {
  const Json config = sized("modernbert", 7);
  const Architecture plain = read(config).architecture;
  EXPECT_FALSE(plain.causal);
  EXPECT_TRUE(plain.bare_first_layer && plain.embedding_norm && plain.final_norm && plain.tied_embeddings);
  EXPECT_TRUE(!plain.norm_bias && !plain.transform_bias && !plain.transform_norm_bias && plain.decoder_bias);
  EXPECT_TRUE(!plain.has_window(0) && plain.has_window(1) && plain.has_window(2) && !plain.has_window(6));
  EXPECT_EQ(plain.sliding_window, 65) << "64 keys on each side";
  EXPECT_TRUE(std::abs(plain.rotary_of(0)->inverse_frequencies[1] - std::pow(160000, -0.25)) < 1e-7);
  EXPECT_TRUE(std::abs(plain.rotary_of(1)->inverse_frequencies[1] - 0.1) < 1e-7);
  EXPECT_EQ(*read(with(config, "local_rope_theta", nullptr)).architecture.rotary_of(1), *plain.rotary_of(0));
  EXPECT_FALSE(read(with(config, "global_attn_every_n_layers", 1)).architecture.sliding_window);
  EXPECT_EQ(read(with(config, "local_attention", 7)).architecture.sliding_window, 4) << "3 on each side";
  EXPECT_FALSE(read(with(config, "decoder_bias", false)).architecture.decoder_bias);
  EXPECT_EQ(read(with(config, "classifier_activation", "relu")).architecture.head_activation, Arch::Activation::relu);
  // As newer versions write it.
  const Json nested = {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 160000.0}}},
                       {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 10000.0}}}};
  const Json types = {"full_attention",    "sliding_attention", "sliding_attention", "full_attention",
                      "sliding_attention", "sliding_attention", "full_attention"};
  EXPECT_EQ(read(with(with(config, "rope_parameters", nested), "layer_types", types)).architecture, plain);
  EXPECT_NE(refusal_of(with(config, "rope_scaling", {{"type", "linear"}, {"factor", 2}})).find("rope_scaling is"),
            std::string::npos);
}

}  // namespace
}  // namespace headscope
