// Models in the layouts of nanoGPT, llama2.c, LitGPT and Meta, and by a map of tensors that stand otherwise.
#include <filesystem>

#include "tests/app/cli/same_model.h"

namespace headscope {
namespace {

using nlohmann::json;

class OtherLayouts : public SameModel {};

TEST_F(OtherLayouts, ACheckpointOfTrainingSaysItsOwnSizes) {
  using test::pickled_whole;
  const std::string no = "\x89";
  for (const char* prefix : {"", "_orig_mod.", "module._orig_mod."}) {
    SavedTensors gpt, llama;
    const GoldenTensors of_gpt("nanogpt"), of_llama("llama2c");
    for (const std::string& name : of_gpt.names()) gpt.emplace_back(prefix + name, saved(of_gpt.at(name)));
    for (const std::string& name : of_llama.names()) llama.emplace_back(prefix + name, saved(of_llama.at(name)));
    folder_.write("gpt/ckpt.pt", saved_checkpoint(gpt, "model_args",
                                                  {{"n_layer", pickled_whole(2)},
                                                   {"n_head", pickled_whole(3)},
                                                   {"n_embd", pickled_whole(12)},
                                                   {"block_size", pickled_whole(8)},
                                                   {"bias", no},
                                                   {"vocab_size", pickled_whole(24)}}));
    expect_same_numbers("gpt", kGoldenModels + "nanogpt");
    expect_same_numbers("gpt/ckpt.pt", kGoldenModels + "nanogpt");
    folder_.write("llama/stories.pt", saved_checkpoint(llama, "model_args",
                                                       {{"dim", pickled_whole(12)},
                                                        {"n_layers", pickled_whole(2)},
                                                        {"n_heads", pickled_whole(3)},
                                                        {"n_kv_heads", pickled_whole(3)},
                                                        {"vocab_size", pickled_whole(24)},
                                                        {"multiple_of", pickled_whole(8)},
                                                        {"max_seq_len", pickled_whole(8)}}));
    expect_same_numbers("llama/stories.pt", kGoldenModels + "llama2c");
  }
  EXPECT_NE(cli({"info", "gpt/ckpt.pt"}).out.find("weights of a whole model: headscope-cli info gpt"),
            std::string::npos);
  // Without sizes it is no model by itself.
  SavedTensors bare;
  const GoldenTensors from("nanogpt");
  for (const std::string& name : from.names()) bare.emplace_back(name, saved(from.at(name)));
  folder_.write("bare/model.pt", test::saved_dict(bare));
  expect_refused(cli({"info", "bare"}), 3, {"found no config.json"});
}

TEST_F(OtherLayouts, PrefixesOfTrainingCodeAreTakenOff) {
  const auto write = [&](const std::string& model, const std::string& prefix, bool more) {
    const GoldenTensors from(model);
    SavedTensors to;
    for (const std::string& name : from.names()) to.emplace_back(prefix + name, saved(from.at(name)));
    if (more) to.emplace_back(prefix + "model.layers.0.self_attn.extra.weight", zeros({4, 4}));
    save("m/model.safetensors", to);
    std::filesystem::copy_file(kGoldenModels + model + "/config.json", folder_ / "m/config.json",
                               std::filesystem::copy_options::overwrite_existing);
  };
  for (const char* prefix : {"module.", "model.", "_orig_mod.", "module._orig_mod.", "_orig_mod.model."}) {
    for (const char* model : {"gpt2", "llama"}) {
      write(model, prefix, false);
      expect_same_numbers("m", kGoldenModels + model);
    }
  }
  write("llama", "model._orig_mod.", true);
  expect_refused(cli({"info", "m"}), 3, {"model._orig_mod.model.layers.0.self_attn.extra.weight"});
}

TEST_F(OtherLayouts, LitGptInBothOrdersOfItsRows) {
  const GoldenTensors from("llama");
  const auto write = [&](bool grouped) {
    SavedTensors to = {{"transformer.wte.weight", saved(from.at("model.embed_tokens.weight"))},
                       {"transformer.ln_f.weight", saved(from.at("model.norm.weight"))},
                       {"lm_head.weight", saved(from.at("lm_head.weight"))}};
    for (const char* layer : {"0", "1"}) {
      const std::string theirs = std::string("model.layers.") + layer + ".",
                        ours = std::string("transformer.h.") + layer + ".";
      const Tensor q = from.at(theirs + "self_attn.q_proj.weight"), k = from.at(theirs + "self_attn.k_proj.weight"),
                   v = from.at(theirs + "self_attn.v_proj.weight");
      std::vector<float> fused;
      const auto append = [&](const Tensor& part) {
        const std::vector<float> values = part.values();
        fused.insert(fused.end(), values.begin(), values.end());
      };
      for (std::int64_t group = 0; grouped && group < 2; ++group) {  // four heads, two of them share a key
        append(rows(q, 8 * group, 8 * group + 8));
        append(rows(k, 4 * group, 4 * group + 4));
        append(rows(v, 4 * group, 4 * group + 4));
      }
      if (!grouped) {
        for (const Tensor& part : {q, k, v}) append(part);
      }
      to.emplace_back(ours + (grouped ? "attn.attn.weight" : "attn.qkv.weight"), test::SavedTensor{{32, 16}, fused});
      to.emplace_back(ours + "attn.proj.weight", saved(from.at(theirs + "self_attn.o_proj.weight")));
      to.emplace_back(ours + "norm_1.weight", saved(from.at(theirs + "input_layernorm.weight")));
      to.emplace_back(ours + "norm_2.weight", saved(from.at(theirs + "post_attention_layernorm.weight")));
      to.emplace_back(ours + "mlp.fc_1.weight", saved(from.at(theirs + "mlp.gate_proj.weight")));
      to.emplace_back(ours + "mlp.fc_2.weight", saved(from.at(theirs + "mlp.up_proj.weight")));
      to.emplace_back(ours + "mlp.proj.weight", saved(from.at(theirs + "mlp.down_proj.weight")));
    }
    folder_.write("m/lit_model.pth", test::saved_dict(to));
  };
  const std::string yaml =
      "attn_bias: false\nbias: false\nblock_size: 64\nhf_config:\n  name: Tiny\n  org: none\nintermediate_size: 16\n"
      "lm_head_bias: false\nmlp_class_name: LLaMAMLP\nn_embd: 16\nn_expert: 0\nn_head: 4\nn_layer: 2\nn_query_groups: "
      "2\n"
      "name: Tiny\nnorm_class_name: RMSNorm\nnorm_eps: 1.0e-06\npadded_vocab_size: 24\nparallel_residual: false\n"
      "rope_adjustments: null\nrope_base: 10000\nrope_condense_ratio: 1\nrotary_percentage: 1.0\nvocab_size: 24\n";
  for (const bool grouped : {true, false}) {
    write(grouped);
    folder_.write("m/model_config.yaml", yaml);
    expect_same_numbers("m", kGoldenModels + "llama");
  }
  folder_.write("m/model_config.yaml", yaml + "sliding_window_size: 4\n");
  expect_refused(cli({"info", "m"}), 3, {"sliding_window_size is 4"});
  folder_.write("m/model_config.yaml", "n_layer 2\n");
  expect_refused(cli({"info", "m"}), 3, {"model_config.yaml: line 1", "a key, a colon and a value"});
}

TEST_F(OtherLayouts, MetasShardsAreJoined) {
  const GoldenTensors from("llama2c");
  const auto part_of = [&](const std::string& name, std::int64_t part, bool embedding_rows) {
    const Tensor whole = from.at(name);
    if (name.ends_with("norm.weight") || name.starts_with("freqs")) return saved(whole);
    const bool columns = name.ends_with("wo.weight") || name.ends_with("w2.weight") ||
                         (name == "tok_embeddings.weight" && !embedding_rows);
    const int axis = columns ? 1 : 0;
    const std::int64_t half = whole.dim(axis) / 2;
    return saved(whole.sliced(axis, part * half, part * half + half).dense_copy());
  };
  for (const bool embedding_rows : {false, true}) {
    for (const std::int64_t part : {0, 1}) {
      SavedTensors to;
      for (const std::string& name : from.names()) {
        if (!name.starts_with("freqs")) to.emplace_back(name, part_of(name, part, embedding_rows));
      }
      to.emplace_back("output.weight", part_of("tok_embeddings.weight", part, true));
      folder_.write("m/consolidated.0" + std::to_string(part) + ".pth", test::saved_dict(to));
    }
    folder_.write("m/params.json", R"({"dim": 12, "n_layers": 2, "n_heads": 3, "vocab_size": 24, "multiple_of": 8,
                                       "norm_eps": 1e-05})");
    expect_same_numbers("m", kGoldenModels + "llama2c");
    expect_same_numbers("m/consolidated.01.pth", kGoldenModels + "llama2c");
  }
  SavedTensors other = {{"tok_embeddings.weight", zeros({24, 6})}};
  folder_.write("m/consolidated.01.pth", test::saved_dict(other));
  expect_refused(cli({"info", "m"}), 3, {"consolidated.01.pth", "is missing here", "parts of one model"});
}

TEST_F(OtherLayouts, AMapSaysHowATensorStands) {
  save("m/model.safetensors", lens_of_gpt2("gpt2", 3));
  json map = {{"architecture",
               {{"num_layers", 2},
                {"num_heads", 3},
                {"max_positions", 10},
                {"causal", true},
                {"norm", "layer"},
                {"norm_eps", 1e-5},
                {"norm_place", "before"},
                {"activation", "gelu_tanh"}}},
              {"ignore", {"blocks.{layer}.attn.mask", "unembed.b_U"}}};
  const auto heads = [](const char* name) { return json{{"name", name}, {"stored", "heads_in_out"}}; };
  const auto flat = [](const char* name) { return json{{"name", name}, {"stored", "heads"}}; };
  const auto turned_over = [](const char* name) { return json{{"name", name}, {"stored", "in_out"}}; };
  map["tensors"] = {{"word.weight", "embed.W_E"},
                    {"position.weight", "pos_embed.W_pos"},
                    {"attention_norm.weight", "blocks.{layer}.ln1.w"},
                    {"attention_norm.bias", "blocks.{layer}.ln1.b"},
                    {"mlp_norm.weight", "blocks.{layer}.ln2.w"},
                    {"mlp_norm.bias", "blocks.{layer}.ln2.b"},
                    {"query.weight", heads("blocks.{layer}.attn.W_Q")},
                    {"query.bias", flat("blocks.{layer}.attn.b_Q")},
                    {"key.weight", heads("blocks.{layer}.attn.W_K")},
                    {"key.bias", flat("blocks.{layer}.attn.b_K")},
                    {"value.weight", heads("blocks.{layer}.attn.W_V")},
                    {"value.bias", flat("blocks.{layer}.attn.b_V")},
                    {"output.weight", heads("blocks.{layer}.attn.W_O")},
                    {"output.bias", "blocks.{layer}.attn.b_O"},
                    {"up.weight", turned_over("blocks.{layer}.mlp.W_in")},
                    {"up.bias", "blocks.{layer}.mlp.b_in"},
                    {"down.weight", turned_over("blocks.{layer}.mlp.W_out")},
                    {"down.bias", "blocks.{layer}.mlp.b_out"},
                    {"final_norm.weight", "ln_final.w"},
                    {"final_norm.bias", "ln_final.b"},
                    {"decoder.weight", turned_over("unembed.W_U")}};
  folder_.write("m/config.json", "{}");
  folder_.write("m/headscope-map.json", map.dump());
  expect_same_numbers("m", kGoldenModels + "gpt2");
  const auto refused = [&](const json& value, const std::vector<std::string>& parts) {
    json changed = map;
    changed["tensors"]["query.weight"] = value;
    folder_.write("m/headscope-map.json", changed.dump());
    expect_refused(cli({"info", "m"}), 3, parts);
  };
  refused(json{{"name", "blocks.{layer}.attn.W_Q"}, {"stored", "sideways"}},
          {"query.weight: stored is \"sideways\"", "out_in, in_out, heads_out_in, heads_in_out, heads"});
  refused(json{{"name", "blocks.{layer}.attn.W_Q"}, {"stored", "in_out"}},
          {"W_Q is [3, 12, 4], expected two axes [in, out]"});
  refused(json{{"name", "blocks.{layer}.attn.W_Q"}}, {"query.weight is an object", "\"name\" and \"stored\""});
}

}  // namespace
}  // namespace headscope
