// config.json of models that read images.
#include <gtest/gtest.h>

#include "tests/core/model/read_config.h"

namespace headscope {
namespace {

using Json = ConfigJson;
using Arch = Architecture;

ModelConfig read_for(const ConfigJson& config, Tower tower) {
  return model_config_of(parse_strict_json(config.dump(), "config.json"), "config.json", tower);
}

TEST(VisionConfig, WhatIsLeftOutIsTheReferences) {
  const Arch vit = config_of_json({{"model_type", "vit"}}).architecture;
  ASSERT_TRUE(vit.image.has_value());
  EXPECT_EQ(vit.image->rows(), 14);
  EXPECT_EQ(vit.max_positions, 197);
  EXPECT_EQ(vit.norm_eps, 1e-12);
  EXPECT_EQ(vit.vocab_size, 0);
  EXPECT_EQ(vit.activation, Arch::Activation::gelu);
  const Arch dino =
      config_of_json({{"model_type", "dinov2"}, {"hidden_size", 384}, {"num_attention_heads", 6}}).architecture;
  EXPECT_EQ(dino.mlp_width, 1536);
  EXPECT_TRUE(dino.layer_scale);
  EXPECT_EQ(dino.image->registers, 0);
  EXPECT_EQ(dino.image->other_grid, ImageRule::OtherGrid::bicubic);
  const Arch registers = config_of_json({{"model_type", "dinov2_with_registers"}}).architecture;
  EXPECT_EQ(registers.image->registers, 4);
  EXPECT_EQ(registers.image->leading(), 5);
  EXPECT_EQ(registers.image->other_grid, ImageRule::OtherGrid::bicubic_antialias);
}

TEST(VisionConfig, GiantOnesHaveGatedMlps) {
  const Arch giant =
      config_of_json(
          {{"model_type", "dinov2"}, {"hidden_size", 1536}, {"num_attention_heads", 24}, {"use_swiglu_ffn", true}})
          .architecture;
  EXPECT_EQ(giant.mlp, Arch::Mlp::gated);
  EXPECT_EQ(giant.mlp_width, 4096);
  EXPECT_EQ(giant.activation, Arch::Activation::silu);
}

TEST(VisionConfig, TheTowerIsTheOneThatIsAskedFor) {
  const ConfigJson both = {{"model_type", "clip"},
                           {"text_config", {{"hidden_size", 64}, {"tie_word_embeddings", true}}},
                           {"vision_config", {{"model_type", "clip_vision_model"}, {"patch_size", 16}}}};
  const Arch text = read_for(both, Tower::text).architecture, image = read_for(both, Tower::image).architecture;
  EXPECT_EQ(text.family, "clip_text") << "a part that does not say its model_type";
  EXPECT_EQ(text.d_model, 64);
  EXPECT_TRUE(text.causal);
  EXPECT_FALSE(text.tied_embeddings);
  EXPECT_EQ(text.activation, Arch::Activation::quick_gelu);
  EXPECT_EQ(image.family, "clip_vision");
  EXPECT_EQ(image.image->rows(), 14);
  EXPECT_FALSE(image.image->patch_bias);
  // A model that reads one alone is that model.
  EXPECT_EQ(read_for({{"model_type", "gpt2"}}, Tower::image).architecture.family, "gpt2");
  EXPECT_EQ(read_for({{"model_type", "vit"}}, Tower::text).architecture.family, "vit");
  const ConfigJson siglip = {{"model_type", "siglip"},
                             {"text_config", {{"model_type", "siglip_text_model"}}},
                             {"vision_config", {{"model_type", "siglip_vision_model"}}}};
  EXPECT_FALSE(read_for(siglip, Tower::text).architecture.causal);
  EXPECT_FALSE(read_for(siglip, Tower::image).architecture.image->class_token);
}

TEST(VisionConfig, RelativesAreRefusedByWhatDiffers) {
  EXPECT_NE(config_refusal_of({{"model_type", "deit"}}).find("distillation token"), std::string::npos);
  EXPECT_NE(config_refusal_of({{"model_type", "siglip2"}}).find("nearest family is siglip"), std::string::npos);
  EXPECT_NE(config_refusal_of({{"model_type", "dinov2"}, {"mlp_ratio", 1e9}}).find("mlp_ratio"), std::string::npos);
  EXPECT_NE(config_refusal_of({{"model_type", "vit"}, {"image_size", {8, 9, 10}}}).find("[height, width]"),
            std::string::npos);
}

}  // namespace
}  // namespace headscope
