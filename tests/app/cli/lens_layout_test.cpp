// Models in the layout of TransformerLens: every stage is, bit by bit, that of the same weights as Hugging Face keeps
// them.
#include <filesystem>

#include "tests/app/cli/same_model.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class LensLayout : public SameModel {};

json gpt2_of_lens() {
  return {{"n_layers", 2},
          {"d_model", 12},
          {"n_ctx", 10},
          {"d_head", 4},
          {"n_heads", 3},
          {"d_mlp", 16},
          {"d_vocab", 24},
          {"act_fn", "gelu_new"},
          {"eps", 1e-5},
          {"attn_scale", 2.0},
          {"seed", nullptr},
          {"normalization_type", "LN"},
          {"attn_only", false},
          {"attention_dir", "causal"},
          {"positional_embedding_type", "standard"}};
}

TEST_F(LensLayout, TransformerLensBesideItsOwnConfiguration) {
  save("m/model.safetensors", lens_of_gpt2("gpt2", 3));
  folder_.write("m/config.json", gpt2_of_lens().dump());
  expect_same_numbers("m", kGoldenModels + "gpt2");
  const Result info = cli({"info", "m", "--json"});
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(json::parse(info.out)["architecture"], "transformer_lens");
  EXPECT_EQ(json::parse(info.out)["unexpected_tensors"], json::array());
}

TEST_F(LensLayout, TransformerLensBesideTheConfigurationOfHuggingFace) {
  for (const char* prefix : {"", "module.", "_orig_mod.", "model."}) {
    save("m/model.safetensors", lens_of_gpt2("gpt2", 3, prefix));
    fs::copy_file(kGoldenModels + "gpt2/config.json", folder_ / "m/config.json", fs::copy_options::overwrite_existing);
    expect_same_numbers("m", kGoldenModels + "gpt2");
  }
  save("l/model.safetensors", lens_of_llama("llama", 4, 2));
  fs::copy_file(kGoldenModels + "llama/config.json", folder_ / "l/config.json");
  expect_same_numbers("l", kGoldenModels + "llama");
  const json lens = {{"n_layers", 2},
                     {"d_model", 16},
                     {"n_ctx", 64},
                     {"d_head", 4},
                     {"n_heads", 4},
                     {"d_mlp", 16},
                     {"d_vocab", 24},
                     {"act_fn", "silu"},
                     {"eps", 1e-6},
                     {"n_key_value_heads", 2},
                     {"normalization_type", "RMS"},
                     {"gated_mlp", true},
                     {"positional_embedding_type", "rotary"},
                     {"rotary_dim", 4},
                     {"rotary_base", 10000},
                     {"rotary_adjacent_pairs", false}};
  folder_.write("l/config.json", lens.dump());
  expect_same_numbers("l", kGoldenModels + "llama");
}

TEST_F(LensLayout, FoldedNormsCentreAndScaleAlone) {
  // The same model with norms that do no more.
  SavedTensors plain, folded = lens_of_gpt2("gpt2", 3);
  const GoldenTensors from("gpt2");
  for (const std::string& name : from.names()) {
    test::SavedTensor tensor = saved(from.at(name));
    const bool norm = name.find("ln_") != name.npos;
    for (float& value : tensor.values) value = !norm ? value : name.ends_with(".weight") ? 1.0f : 0.0f;
    plain.emplace_back(name, tensor);
  }
  save("plain/model.safetensors", plain);
  fs::copy_file(kGoldenModels + "gpt2/config.json", folder_ / "plain/config.json");
  std::erase_if(folded, [](const auto& each) { return each.first.find("ln") != each.first.npos; });
  save("m/model.safetensors", folded);
  json config = gpt2_of_lens();
  config["normalization_type"] = "LNPre";
  folder_.write("m/config.json", config.dump());
  expect_same_numbers("m", "plain");
  fs::copy_file(kGoldenModels + "gpt2/config.json", folder_ / "m/config.json", fs::copy_options::overwrite_existing);
  expect_same_numbers("m", "plain");
  // A norm that is there is not folded.
  save("m/model.safetensors", lens_of_gpt2("gpt2", 3));
  folder_.write("m/config.json", config.dump());
  expect_refused(cli({"info", "m"}), 3, {"holds ln_final.w", "norms were folded"});
}

TEST_F(LensLayout, AttentionAloneOpensByItsTensors) {
  const GoldenTensors from("attention-only-decoder");
  SavedTensors to = {
      {"embed.W_E", saved(from.at("embedding.weight"))}, {"pos_embed.W_pos", saved(from.at("position.weight"))},
      {"ln_final.w", saved(from.at("norm.weight"))},     {"ln_final.b", saved(from.at("norm.bias"))},
      {"unembed.W_U", turned(from.at("output.weight"))}, {"unembed.b_U", zeros({24})}};
  for (const char* layer : {"0", "1"}) {
    const std::string theirs = std::string("layers.") + layer + ".", ours = std::string("blocks.") + layer + ".";
    to.emplace_back(ours + "ln1.w", saved(from.at(theirs + "norm.weight")));
    to.emplace_back(ours + "ln1.b", saved(from.at(theirs + "norm.bias")));
    for (std::int64_t part = 0; part < 3; ++part) {
      const std::string letter(1, "QKV"[part]);
      to.emplace_back(ours + "attn.W_" + letter,
                      by_heads(rows(from.at(theirs + "qkv.weight"), 12 * part, 12 * part + 12), 3));
      to.emplace_back(ours + "attn.b_" + letter,
                      by_heads(rows(from.at(theirs + "qkv.bias"), 12 * part, 12 * part + 12), 3));
    }
    to.emplace_back(ours + "attn.W_O", output_by_heads(from.at(theirs + "output.weight"), 3));
    to.emplace_back(ours + "attn.b_O", saved(from.at(theirs + "output.bias")));
  }
  fs::create_directories(folder_ / "m");
  folder_.write("m/attn_only.pth", test::saved_dict(to));
  expect_same_numbers("m", kGoldenModels + "attention-only-decoder");
  expect_same_numbers("m/attn_only.pth", kGoldenModels + "attention-only-decoder");
}

TEST_F(LensLayout, WhatAStateDictOfTransformerLensDoesNotSayIsAskedFor) {
  save("m/model.safetensors", lens_of_gpt2("gpt2", 3));
  expect_refused(
      cli({"info", "m"}), 3,
      {"does not say act_fn", "\"n_heads\": 3", "\"d_mlp\": 16", "\"normalization_type\": \"LN\"", "config.json"});
  const auto with = [&](const char* key, const json& value) {
    json config = gpt2_of_lens();
    config[key] = value;
    folder_.write("m/config.json", config.dump());
    return cli({"info", "m"});
  };
  expect_refused(with("act_fn", "solu_ln"), 3, {"act_fn is solu_ln", "not implemented"});
  expect_refused(with("positional_embedding_type", "shortformer"), 3, {"shortformer", "standard or rotary"});
  expect_refused(with("post_embedding_ln", true), 3, {"post_embedding_ln is true"});
  expect_refused(with("d_head", 5), 3, {"W_Q", "[12, 12], expected [15, 12]"});
  expect_refused(with("n_heads", 4), 3, {"W_Q", "expected [16, 12]"});
  expect_refused(with("normalization_type", "Odd"), 3, {"normalization_type is Odd"});
  EXPECT_EQ(with("d_vocab_out", -1).code, 0);
  expect_refused(with("d_vocab_out", 7), 3, {"d_vocab_out is 7"});
  SavedTensors flat = lens_of_gpt2("gpt2", 3);
  for (auto& [name, tensor] : flat) {
    if (name == "blocks.0.attn.W_K") tensor.shape = {12, 12};
  }
  save("m/model.safetensors", flat);
  folder_.write("m/config.json", gpt2_of_lens().dump());
  expect_refused(cli({"info", "m"}), 3, {"blocks.0.attn.W_K is [12, 12], expected three axes [heads, in, out]"});
}

}  // namespace
}  // namespace headscope
