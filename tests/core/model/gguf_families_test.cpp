// Families whose GGUF files hold more than Llama's: Gemma 2 and 3, Phi and Phi-3.
#include <cmath>

#include "core/model/checkpoint.h"
#include "tests/core/model/gguf_runs.h"

namespace headscope {
namespace {

class GgufFamilies : public GgufModels {
 protected:
  const Architecture& opened() {
    checkpoint_ = Checkpoint::open(gguf());
    return checkpoint_->architecture();
  }

 private:
  std::shared_ptr<const Checkpoint> checkpoint_;
};

TEST_F(GgufFamilies, FirstGemmaHasItsOneInTheFile) {
  const TwoSpellings model = golden_model(kGoldenModels + "gemma", "gemma");
  write_one_added(model, gguf_metadata(model));
  expect_same_numbers("gemma");
  EXPECT_FALSE(opened().norm_plus_one);
}

// Norms before and after, every second layer with a window, both caps.
TEST_F(GgufFamilies, Gemma2HasItsCapsWindowsAndOuterNorms) {
  TwoSpellings model = golden_model(kGoldenModels + "gemma2", "gemma2");
  model.config["query_pre_attn_scalar"] = model.head_dim();  // no key says another
  write_one_added(model, gguf_metadata(model));
  expect_same_numbers("gemma2");
  const Architecture& architecture = opened();
  EXPECT_EQ(architecture.score_softcap, 3.0);
  EXPECT_EQ(architecture.logit_softcap, 2.5);
  EXPECT_TRUE(architecture.has_window(0));
  EXPECT_FALSE(architecture.has_window(1));
  EXPECT_FALSE(architecture.norm_plus_one);
}

TEST_F(GgufFamilies, Gemma3HasTwoBasesAndNormsOfHeads) {
  TwoSpellings model = golden_model(kGoldenModels + "gemma3", "gemma3");
  model.config["query_pre_attn_scalar"] = model.head_dim();
  write_one_added(model, gguf_metadata(model).u32("gemma3.attention.sliding_window_pattern", 2));
  expect_same_numbers("gemma3");
  EXPECT_FALSE(opened().has_window(1));
  model.config.erase("sliding_window_pattern");
  write_one_added(model, gguf_metadata(model));
  expect_same_numbers("gemma3, of six layers the last sees everything");
  EXPECT_EQ(opened().windowed, std::vector<bool>());
  model.config["layer_types"] = {"full_attention", "sliding_attention", "full_attention"};
  model.config["rope_local_base_freq"] = 5000.0;
  write_one_added(model,
                  gguf_metadata(model)
                      .list<std::uint8_t>("gemma3.attention.sliding_window_pattern", GgufField::Kind::truth, {0, 1, 0})
                      .f32("gemma3.rope.freq_base_swa", 5000));
  expect_same_numbers("gemma3, layer by layer");
}

// A window as long as the context hides nothing, and its layers keep their base.
TEST_F(GgufFamilies, Gemma3KeepsTheBaseOfALongWindow) {
  TwoSpellings model = golden_model(kGoldenModels + "gemma3", "gemma3");
  model.config["query_pre_attn_scalar"] = model.head_dim();
  model.config["sliding_window"] = 64;
  model.config["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 8.0}};
  write_one_added(model, gguf_metadata(model).u32("gemma3.attention.sliding_window_pattern", 2));
  expect_same_numbers("gemma3, long window, scaled");
}

// 27B: 1 / sqrt(d_model / heads), and no key says so.
TEST_F(GgufFamilies, TheLargestGemmasScaleByWidth) {
  for (const auto& [architecture, layers] : {std::pair{"gemma2", 46}, {"gemma3", 62}}) {
    const TwoSpellings small = golden_model(kGoldenModels + architecture, architecture);
    TwoSpellings model = small;
    model.config["num_hidden_layers"] = layers;
    for (const auto& [name, tensor] : small.tensors) {
      if (!name.starts_with("model.layers.0.")) continue;
      for (int n = 3; n < layers; ++n) model.tensors[fmt::format("model.layers.{}.{}", n, name.substr(15))] = tensor;
    }
    name_as(model);
    write_text("model.gguf", gguf_bytes(model));
    EXPECT_EQ(opened().score_scale, 1 / std::sqrt(static_cast<double>(model.width() / model.heads()))) << architecture;
  }
}

TEST_F(GgufFamilies, PhiTurnsAPartOfAHead) {
  write(golden_model(kGoldenModels + "phi", "phi2"));
  expect_same_numbers("phi");
  EXPECT_EQ(opened().rotary->features, 4);
  EXPECT_TRUE(opened().decoder_bias);
}

// What the first converter of Phi-2 wrote: queries, keys and values in one.
TEST_F(GgufFamilies, PhiMayHaveFusedProjections) {
  TwoSpellings model = golden_model(kGoldenModels + "phi", "phi2");
  write_folder(folder(), model);
  for (std::int64_t layer = 0; layer < model.layers(); ++layer) {
    for (const char* kind : {"weight", "bias"}) {
      StoredTensor joined;
      for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
        const auto one = model.tensors.extract(fmt::format("model.layers.{}.self_attn.{}.{}", layer, part, kind));
        const StoredTensor& tensor = one.mapped();
        if (joined.shape.empty()) {
          joined = tensor;
          continue;
        }
        joined.shape[0] += tensor.shape[0];
        joined.bytes += tensor.bytes;
        joined.values.insert(joined.values.end(), tensor.values.begin(), tensor.values.end());
      }
      model.tensors[fmt::format("model.layers.{}.self_attn.qkv_proj.{}", layer, kind)] = joined;
    }
  }
  write_text("model.gguf", gguf_bytes(model));
  const auto ours = traced(gguf(), BackendChoice::reference, 1), wanted = traced(folder(), BackendChoice::reference, 1);
  expect_same_bits(ours->model->final_hidden, wanted->model->final_hidden, "fused");
}

TEST_F(GgufFamilies, Phi3HasFusedMatricesAndItsWindow) {
  TwoSpellings model = golden_model(kGoldenModels + "phi3", "phi3");
  write(model);
  expect_same_numbers("phi3");
  EXPECT_EQ(opened().rotary->features, 6);
  EXPECT_EQ(opened().sliding_window, 3);
  model.config["sliding_window"] = nullptr;  // Phi-4: 0 in the file
  write(model);
  expect_same_numbers("phi3 without a window");
  EXPECT_FALSE(opened().sliding_window);
}

// Ding et al. 2024: the divisors are two tensors, the factor a key.
TEST_F(GgufFamilies, Phi3HasLongRope) {
  TwoSpellings model = golden_model(kGoldenModels + "phi3-longrope", "phi3");
  const auto factor = static_cast<float>(std::sqrt(1 + std::log(36.0 / 9) / std::log(9.0)));
  const nlohmann::json scaling = model.config["rope_scaling"];
  // The key holds a float32.
  model.config["rope_scaling"]["attention_factor"] = std::stod(fmt::format("{}", factor));
  write_folder(folder(), model);
  test::GgufWriter file = gguf_metadata(model);
  file.f32("phi3.rope.scaling.attn_factor", factor);
  for (const auto& [key, name] :
       {std::pair{"short_factor", "rope_factors_short.weight"}, {"long_factor", "rope_factors_long.weight"}}) {
    std::string bytes;
    for (const float divisor : scaling[key].get<std::vector<float>>()) bytes += test::GgufWriter::raw(divisor);
    file.tensor(name, {static_cast<std::int64_t>(scaling[key].size())}, "F32", bytes);
  }
  for (const auto& [name, tensor] : model.tensors) {
    file.tensor(gguf_name(model, name), tensor.shape, tensor.type, tensor.bytes);
  }
  write_text("model.gguf", file.bytes());
  expect_same_numbers("phi3, longrope");
  EXPECT_EQ(opened().max_positions, 9);
  EXPECT_TRUE(Checkpoint::open(gguf())->unexpected().empty());
}

}  // namespace
}  // namespace headscope
