// Rows of the table of families: models that read images, and the text models beside them.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/model/config_values.h"
#include "core/model/family_rows.h"

namespace headscope {
namespace {

using Arch = Architecture;

constexpr std::int64_t kMostPixels = 16384;  // of a side

// A side length, or a list [height, width].
std::array<std::int64_t, 2> sides_of(ConfigReader& reader, const char* key, std::int64_t otherwise) {
  const JsonValue* value = reader.find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::array) {
    const std::int64_t side = reader.whole(key, 1, kMostPixels, otherwise);
    return {side, side};
  }
  std::array<std::int64_t, 2> sides{1, 1};
  if (value->items.size() != sides.size()) {
    reader.add_problem(fmt::format("{} is a list of {}, expected [height, width]", key, value->items.size()));
    return sides;
  }
  for (std::size_t k = 0; k < sides.size(); ++k) {
    JsonValue one;
    one.kind = JsonValue::Kind::object;
    one.keys = {key};
    one.items = {value->items[k]};
    ConfigReader item(one);
    sides[k] = item.whole(key, 1, kMostPixels);
    for (const std::string& problem : item.problems()) reader.add_problem(problem);
  }
  return sides;
}

// Sizes of images and patches, and how many positions follow from them.
void read_image(ConfigReader& reader, std::int64_t image, std::int64_t patch, Arch& architecture) {
  ImageRule& rule = *architecture.image;
  const auto sides = sides_of(reader, "image_size", image);
  const auto patches = sides_of(reader, "patch_size", patch);
  rule.height = sides[0];
  rule.width = sides[1];
  rule.patch = patches[0];
  if (patches[0] != patches[1]) {
    reader.add_problem(
        fmt::format("patch_size is {} x {}, which is not implemented; expected squares", patches[0], patches[1]));
  }
  reader.whole("num_channels", ImageRule::kChannels, ImageRule::kChannels, ImageRule::kChannels);
  if (rule.rows() < 1 || rule.columns() < 1) {
    reader.add_problem(fmt::format("patch_size is {}, which does not fit an image_size of {} x {}", rule.patch,
                                   rule.height, rule.width));
  }
  architecture.max_positions = (rule.class_token ? 1 : 0) + rule.rows() * rule.columns();
}

// What all rows here have in common: a pre-norm encoder whose head makes no tokens.
Family encoder(const char* name) {
  Family row;
  row.fixed.family = name;
  row.fixed.position = Arch::Position::learned;
  row.fixed.mlp = Arch::Mlp::plain;
  row.fixed.final_norm = true;
  row.keys = {.vocab_size = {"", 0},
              .d_model = {"hidden_size", 768},
              .num_layers = {"num_hidden_layers", 12},
              .num_heads = {"num_attention_heads", 12},
              .mlp_width = {"intermediate_size", 3072},
              .max_positions = {"", 1},
              .norm_eps = {"layer_norm_eps", 1e-12},
              .activation = "hidden_act"};
  row.makes_vectors = true;
  return row;
}

}  // namespace

// https://github.com/huggingface/transformers, models/vit (Dosovitskiy et al. 2021).
Family vit() {
  Family row = encoder("vit");
  row.fixed.image = ImageRule{};
  row.model_types = {"vit"};
  row.names = {.patch = "embeddings.patch_embeddings.projection",
               .class_token = "embeddings.cls_token",
               .position_table = "embeddings.position_embeddings",
               .layer = "encoder.layer.",
               .attention_norm = "layernorm_before",
               .query = "attention.attention.query",
               .key = "attention.attention.key",
               .value = "attention.attention.value",
               .output = "attention.output.dense",
               .mlp_norm = "layernorm_after",
               .up = "intermediate.dense",
               .down = "output.dense",
               .final_norm = "layernorm"};
  row.left_out = {"classifier.", "pooler.", "decoder.", "embeddings.mask_token"};
  row.particulars = [](ConfigReader& reader, const Family&, Arch& architecture) {
    architecture.qkv_bias = reader.truth("qkv_bias", true);
    read_image(reader, 224, 16, architecture);
  };
  return row;
}

// models/dinov2 and dinov2_with_registers (Oquab et al. 2023, Darcet et al. 2024): results are scaled, and positions
// are interpolated to any grid of patches.
Family dinov2() {
  Family row = vit();
  row.fixed.family = "dinov2";
  row.fixed.norm_place = Arch::NormPlace::around;
  row.fixed.layer_scale = true;
  row.model_types = {"dinov2", "dinov2_with_registers"};
  row.keys.mlp_width = {};
  row.keys.norm_eps.otherwise = 1e-6;
  row.names.registers = "embeddings.register_tokens";
  row.names.attention_norm = "norm1";
  row.names.mlp_norm = "norm2";
  row.names.attention_scale = "layer_scale1.lambda1";
  row.names.mlp_scale = "layer_scale2.lambda1";
  row.names.up = "mlp.fc1";
  row.names.down = "mlp.fc2";
  row.particulars = [](ConfigReader& reader, const Family& family, Arch& architecture) {
    architecture.qkv_bias = reader.truth("qkv_bias", true);
    const double wide = static_cast<double>(architecture.d_model) * reader.positive("mlp_ratio", 4);
    if (wide < 1 || wide > static_cast<double>(kMostFeatures)) {
      reader.add_problem(fmt::format("mlp_ratio makes an MLP of {} features, expected 1 to {}", wide, kMostFeatures));
      return;
    }
    architecture.mlp_width = static_cast<std::int64_t>(wide);
    if (family.fixed.mlp == Arch::Mlp::gated) {  // two thirds, rounded up to eights
      architecture.activation = Arch::Activation::silu;
      architecture.mlp_width = (static_cast<std::int64_t>(std::floor(wide) * 2 / 3) + 7) / 8 * 8;
    }
    ImageRule& rule = *architecture.image;
    const bool registers = reader.text("model_type", "") == "dinov2_with_registers";
    if (registers) rule.registers = reader.whole("num_register_tokens", 0, 1024, 4);
    read_image(reader, 224, 16, architecture);
    const bool square = rule.rows() == rule.columns();
    if (square) rule.other_grid = registers ? ImageRule::OtherGrid::bicubic_antialias : ImageRule::OtherGrid::bicubic;
  };
  return row;
}

// The giant ones.
Family dinov2_gated() {
  Family row = dinov2();
  row.fixed.mlp = Arch::Mlp::gated;
  row.applies = [](ConfigReader& reader) { return reader.truth("use_swiglu_ffn", false); };
  row.names.up = "";
  row.names.gate_up = "mlp.weights_in";
  row.names.down = "mlp.weights_out";
  return row;
}

// models/clip (Radford et al. 2021). Its two towers end in projections to a common space.
Family clip_vision() {
  Family row = encoder("clip_vision");
  row.fixed.image = ImageRule{};
  row.fixed.image->patch_bias = false;
  row.fixed.embedding_norm = true;
  row.fixed.activation = Arch::Activation::quick_gelu;
  row.model_types = {"clip_vision_model"};
  row.wrappers = {"clip"};
  row.keys.norm_eps.otherwise = 1e-5;
  row.names = {.position = "vision_model.embeddings.position_embedding",
               .patch = "vision_model.embeddings.patch_embedding",
               .class_token = "vision_model.embeddings.class_embedding",
               .embedding_norm = "vision_model.pre_layrnorm",
               .layer = "vision_model.encoder.layers.",
               .attention_norm = "layer_norm1",
               .query = "self_attn.q_proj",
               .key = "self_attn.k_proj",
               .value = "self_attn.v_proj",
               .output = "self_attn.out_proj",
               .mlp_norm = "layer_norm2",
               .up = "mlp.fc1",
               .down = "mlp.fc2",
               .final_norm = "vision_model.post_layernorm",
               .projection = "visual_projection"};
  row.left_out = {"text_model.", "visual_projection.", "text_projection.", "logit_scale", "logit_bias", "classifier."};
  row.particulars = [](ConfigReader& reader, const Family&, Arch& architecture) {
    read_image(reader, 224, 32, architecture);
  };
  return row;
}

Family clip_text() {
  Family row = clip_vision();
  row.fixed.family = "clip_text";
  row.fixed.image.reset();
  row.fixed.embedding_norm = false;
  row.fixed.causal = true;
  row.model_types = {"clip_text_model"};
  row.keys.vocab_size = {"vocab_size", 49408};
  row.keys.d_model.otherwise = 512;
  row.keys.num_heads.otherwise = 8;
  row.keys.mlp_width.otherwise = 2048;
  row.keys.max_positions = {"max_position_embeddings", 77};
  row.names.patch = row.names.class_token = row.names.embedding_norm = "";
  row.names.word = "text_model.embeddings.token_embedding";
  row.names.position = "text_model.embeddings.position_embedding";
  row.names.layer = "text_model.encoder.layers.";
  row.names.final_norm = "text_model.final_layer_norm";
  row.names.projection = "text_projection";
  row.left_out.front() = "vision_model.";
  row.particulars = nullptr;
  return row;
}

namespace {

// The head of SigLIP's vision tower, which gathers the patches: nn.MultiheadAttention whose query is learned, and
// behind it norm and MLP beside what it gives. The query is not added.
Family siglip_pool(const Family& vision) {
  Family row = vision;
  row.fixed.part = Arch::Part::pool;
  row.fixed.image.reset();
  row.fixed.position = Arch::Position::none;
  row.fixed.final_norm = false;
  row.fixed.drops_stream = true;
  row.keys.num_layers = {"", 1};
  row.names = {.probe = "vision_model.head.probe",
               .layer = "vision_model.head.",
               .qkv = "attention.in_proj_",
               .output = "attention.out_proj",
               .mlp_norm = "layernorm",
               .up = "mlp.fc1",
               .down = "mlp.fc2"};
  row.particulars = nullptr;
  return row;
}

}  // namespace

// models/siglip (Zhai et al. 2023): no class token; the vision tower's patches are gathered by one more layer.
Family siglip_vision() {
  Family row = clip_vision();
  row.fixed.family = "siglip_vision";
  row.fixed.image->class_token = false;
  row.fixed.image->patch_bias = true;
  row.fixed.embedding_norm = false;
  row.fixed.activation = Arch::Activation::gelu_tanh;
  row.model_types = {"siglip_vision_model"};
  row.wrappers = {"siglip"};
  row.keys.norm_eps.otherwise = 1e-6;
  row.names.class_token = row.names.embedding_norm = row.names.projection = "";
  row.left_out.push_back("vision_model.head.");
  row.particulars = [](ConfigReader& reader, const Family&, Arch& architecture) {
    read_image(reader, 224, 16, architecture);
  };
  row.more_parts = {siglip_pool(row)};
  return row;
}

Family siglip_text() {
  Family row = clip_text();
  row.fixed.family = "siglip_text";
  row.fixed.causal = false;
  row.fixed.activation = Arch::Activation::gelu_tanh;
  row.model_types = {"siglip_text_model"};
  row.wrappers = {"siglip"};
  row.keys.vocab_size.otherwise = 32000;
  row.keys.d_model.otherwise = 768;
  row.keys.num_heads.otherwise = 12;
  row.keys.mlp_width.otherwise = 3072;
  row.keys.max_positions.otherwise = 64;
  row.keys.norm_eps.otherwise = 1e-6;
  row.names.projection = "text_model.head";
  return row;
}

}  // namespace headscope
