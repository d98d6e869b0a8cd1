// GGUF files that ask for what is not here, or are no model.
#include <functional>

#include "core/model/checkpoint.h"
#include "tests/core/model/gguf_models.h"

namespace headscope {
namespace {

const std::string kGolden = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

// A metadata of a small Llama with one value changed, and all its tensors.
class GgufRefused : public FilesTest {
 protected:
  std::string gguf() const { return path("model.gguf"); }

  void refuse(const std::function<void(test::GgufWriter&)>& change, const std::vector<std::string>& parts) const {
    const TwoSpellings model = golden_model(kGolden + "llama", "llama");
    test::GgufWriter file = gguf_metadata(model);
    change(file);
    for (const auto& [name, tensor] : model.tensors) {
      const std::string gguf = gguf_name(model, name);
      const StoredTensor stored = converted(model, gguf, tensor);
      file.tensor(gguf, stored.shape, stored.type, stored.bytes);
    }
    write_text("model.gguf", file.bytes());
    std::vector<std::string> all = parts;
    all.push_back(gguf());
    expect_refusal<Error>([&] { Checkpoint::open(gguf()); }, all);
  }
};

TEST_F(GgufRefused, WhatAsksForOtherArithmetic) {
  using test::GgufWriter;
  refuse([](GgufWriter& f) { f.u32("llama.expert_count", 8); }, {"found no key llama.expert_used_count"});
  refuse([](GgufWriter& f) { f.u32("llama.expert_count", 8).u32("llama.expert_used_count", 2); },
         {"blk.0.ffn_gate_exps.weight [8, 16, 16] is missing"});
  refuse([](GgufWriter& f) { f.u32("llama.expert_used_count", 2); },
         {"llama.expert_used_count", "is 2; expected none"});
  refuse([](GgufWriter& f) { f.u32("llama.expert_shared_count", 2); }, {"llama.expert_shared_count", "is not known"});
  refuse([](GgufWriter& f) { f.f32("llama.attn_logit_softcapping", 50); },
         {"llama.attn_logit_softcapping", "is not known"});
  refuse([](GgufWriter& f) { f.u32("llama.attention.sliding_window", 4); }, {"attention.sliding_window", "is 4 of 64"});
  refuse([](GgufWriter& f) { f.text("llama.rope.scaling.type", "longrope").f32("llama.rope.scaling.factor", 4); },
         {"short_factor is missing"});
  refuse([](GgufWriter& f) { f.text("llama.rope.scaling.type", "yarn").f32("llama.rope.scaling.attn_factor", 2); },
         {"llama.rope.scaling.attn_factor", "is not known"});
  refuse([](GgufWriter& f) { f.truth("llama.attention.causal", false); }, {"llama.attention.causal"});
  refuse([](GgufWriter& f) { f.u32("split.count", 3); }, {"one of 3 files of a split model"});
  refuse([](GgufWriter& f) { f.text("general.type", "adapter"); }, {"general.type is \"adapter\""});
  refuse([](GgufWriter& f) { f.u32("general.quantization_version", 1); }, {"general.quantization_version is 1"});
  refuse([](GgufWriter& f) { f.tensor("blk.0.attn_sinks.weight", {2}, "F32", std::string(8, '\0')); },
         {"has tensors that a llama model does not have here: blk.0.attn_sinks.weight"});
}

TEST_F(GgufRefused, WhatIsNoModelHere) {
  const auto says = [&](test::GgufWriter file, const std::vector<std::string>& parts) {
    write_text("model.gguf", file.bytes());
    std::vector<std::string> all = parts;
    all.push_back(gguf());
    expect_refusal<Error>([&] { Checkpoint::open(gguf()); }, all);
  };
  says(test::GgufWriter(), {"found no key general.architecture"});
  says(test::GgufWriter().text("general.architecture", "mamba"),
       {"\"mamba\"", "llama, qwen2, qwen3, qwen3moe, gemma, gemma2, gemma3, gpt2, phi2, phi3, gpt-oss"});
  says(test::GgufWriter().text("general.architecture", "llama4"),
       {"\"llama4\", which is not implemented: the nearest family is llama, but experts are chosen"});
  says(test::GgufWriter().text("general.architecture", "qwen2moe"), {"the nearest family is qwen3_moe, but a shared"});
  says(test::GgufWriter().text("general.architecture", "gptneox"),
       {"not read from GGUF: the model opens as a folder with config.json, a gpt_neox model"});
  says(test::GgufWriter()
           .text("general.architecture", "new")
           .u32("new.attention.head_count_kv", 1)
           .f32("new.attention.layer_norm_rms_epsilon", 1),
       {"\"new\", which is not known", "the nearest family may be llama, which is a guess"});
  says(test::GgufWriter().text("general.architecture", "llama"), {"token_embd.weight", "a vocabulary alone?"});
  says(test::GgufWriter()
           .text("general.architecture", "llama")
           .tensor("token_embd.weight", {1, 8}, "F32", std::string(32, '\0')),
       {"found no key llama.embedding_length"});
}

TEST_F(GgufRefused, SizesThatDoNotFit) {
  TwoSpellings model = golden_model(kGolden + "llama", "llama");
  model.config["num_attention_heads"] = 5;
  write_text("model.gguf", gguf_bytes(model));
  expect_refusal<Error>([&] { Checkpoint::open(gguf()); }, {gguf(), "its metadata", "attention.head_count"});
  model = golden_model(kGolden + "llama", "llama");
  model.tensors.erase("model.layers.1.mlp.up_proj.weight");
  write_text("model.gguf", gguf_bytes(model));
  expect_refusal<Error>([&] { Checkpoint::open(gguf()); },
                        {"of its metadata", "blk.1.ffn_up.weight [16, 16] is missing"});
}

}  // namespace
}  // namespace headscope
