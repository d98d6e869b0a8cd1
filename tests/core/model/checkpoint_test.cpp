#include "core/model/checkpoint.h"

#include "core/base/error.h"
#include "core/text/tokenizer.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

std::size_t place_of(const std::vector<FileTensor>& tensors, const std::string& name) {
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t].name == name) return t;
  }
  ADD_FAILURE() << name << " is not among the tensors";
  return 0;
}

// The first number of a tensor of safetensors_bytes() tells which one it is.
void expect_is(const Tensor& tensor, const std::vector<FileTensor>& tensors, const std::string& name) {
  ASSERT_FALSE(tensor.empty()) << name;
  EXPECT_EQ(tensor.values().front(), static_cast<float>(place_of(tensors, name))) << name;
}

TEST_F(CheckpointTest, Gpt2) {
  const auto tensors = gpt2_tensors();
  write_model(gpt2_config(), tensors);
  const auto checkpoint = open();
  const Architecture& architecture = checkpoint->architecture();
  EXPECT_EQ(architecture.family, "gpt2");
  EXPECT_EQ(architecture.d_model, 4);
  EXPECT_EQ(architecture.head_dim, 2);
  EXPECT_EQ(architecture.num_kv_heads, 2);
  EXPECT_EQ(architecture.mlp_width, 16);
  EXPECT_EQ(architecture.max_positions, 6);
  EXPECT_TRUE(architecture.causal);
  EXPECT_EQ(architecture.norm_place, Architecture::NormPlace::before);
  EXPECT_EQ(architecture.activation, Architecture::Activation::gelu_tanh);
  EXPECT_EQ(architecture.norm_eps, 1e-5);

  const BlockWeights block = checkpoint->block(1);
  EXPECT_EQ(block.attention.qkv.weight.shape(), (Shape{12, 4}));
  EXPECT_EQ(block.attention.qkv_layout, QkvLayout::blocked);
  EXPECT_EQ(block.attention.fused_key_rows, 4);
  EXPECT_EQ(block.attention.qkv.weight_name, "h.1.attn.c_attn.weight");
  // Conv1D: the first column of the file is the first row here.
  EXPECT_EQ(block.attention.qkv.weight.at({0, 1}) - block.attention.qkv.weight.at({0, 0}), 12.0f / 1024.0f);
  expect_is(block.attention.output.bias, tensors, "h.1.attn.c_proj.bias");
  expect_is(block.mlp_norm.bias, tensors, "h.1.ln_2.bias");
  EXPECT_EQ(block.up.weight.shape(), (Shape{16, 4}));
  EXPECT_EQ(block.down.weight.shape(), (Shape{4, 16}));
  EXPECT_TRUE(block.gate.empty());

  const OutputHead head = checkpoint->output_head();
  EXPECT_EQ(head.kind, OutputHead::Kind::next_token);
  expect_is(head.final_norm.weight, tensors, "ln_f.weight");
  EXPECT_TRUE(same_storage(head.decoder.weight, checkpoint->embedding().word));
  EXPECT_EQ(checkpoint->tokenizer(), nullptr);
  EXPECT_TRUE(checkpoint->unexpected().empty());
  std::int64_t numbers = 0;
  for (const FileTensor& tensor : tensors) {
    std::int64_t count = 1;
    for (const std::int64_t size : tensor.shape) count *= size;
    numbers += count;
  }
  EXPECT_EQ(checkpoint->parameters(), numbers);
  EXPECT_EQ(checkpoint->bytes(), 4 * numbers);
  EXPECT_EQ(checkpoint->dtypes(), std::vector<std::string>{"F32"});
}

TEST_F(CheckpointTest, TheSameStorageEveryTime) {
  write_model(gpt2_config(), gpt2_tensors("transformer.", "BF16"));
  const auto checkpoint = open();
  EXPECT_TRUE(same_storage(checkpoint->block(0).attention.qkv.weight, checkpoint->block(0).attention.qkv.weight));
  EXPECT_TRUE(same_storage(checkpoint->block(0).attention.qkv.bias, checkpoint->block(0).attention.qkv.bias));
  EXPECT_TRUE(same_storage(checkpoint->embedding().word, checkpoint->embedding().word));
}

TEST_F(CheckpointTest, PrefixesBuffersAndTwoByteNumbers) {
  for (const char* prefix : {"", "transformer.", "model.", "_orig_mod.transformer.", "module.transformer."}) {
    for (const auto& [dtype, type] : {std::pair("F16", NumberType::float16), std::pair("BF16", NumberType::bfloat16)}) {
      auto tensors = gpt2_tensors(prefix, dtype);
      tensors.push_back({std::string(prefix) + "h.0.attn.bias", {1, 1, 6, 6}});
      tensors.push_back({std::string(prefix) + "h.0.attn.masked_bias", {1}});
      tensors.push_back({"extra.weight", {3}});
      write_model(gpt2_config(), tensors);
      const auto checkpoint = open();
      const BlockWeights block = checkpoint->block(0);
      EXPECT_EQ(block.attention.qkv.weight.number_type(), type);
      EXPECT_TRUE(block.attention.qkv.bias.stored());
      expect_is(block.attention.qkv.bias, tensors, std::string(prefix) + "h.0.attn.c_attn.bias");
      EXPECT_EQ(checkpoint->unexpected(), std::vector<std::string>{"extra.weight"});
      EXPECT_EQ(checkpoint->dtypes(), std::vector<std::string>{dtype});
    }
  }
}

TEST_F(CheckpointTest, AttentionOnly) {
  const nlohmann::json config = {
      {"model_type", "attention_only"}, {"vocab_size", 5},          {"hidden_size", 4},
      {"num_hidden_layers", 1},         {"num_attention_heads", 2}, {"max_position_embeddings", 6},
      {"layer_norm_eps", 1e-6},         {"is_decoder", false},      {"tie_word_embeddings", false}};
  std::vector<FileTensor> tensors = {{"embedding.weight", {5, 4}},
                                     {"position.weight", {6, 4}},
                                     {"layers.0.norm.weight", {4}},
                                     {"layers.0.norm.bias", {4}},
                                     {"layers.0.qkv.weight", {12, 4}},
                                     {"layers.0.qkv.bias", {12}},
                                     {"layers.0.output.weight", {4, 4}},
                                     {"layers.0.output.bias", {4}},
                                     {"norm.weight", {4}},
                                     {"norm.bias", {4}},
                                     {"output.weight", {5, 4}}};
  write_model(config, tensors);
  const auto checkpoint = open();
  EXPECT_FALSE(checkpoint->architecture().causal);
  EXPECT_EQ(checkpoint->architecture().norm_eps, 1e-6);
  EXPECT_EQ(checkpoint->architecture().mlp, Architecture::Mlp::none);
  EXPECT_EQ(checkpoint->output_head().kind, OutputHead::Kind::masked);
  expect_is(checkpoint->output_head().decoder.weight, tensors, "output.weight");
  expect_is(checkpoint->block(0).attention.qkv.weight, tensors, "layers.0.qkv.weight");
  EXPECT_EQ(checkpoint->block(0).attention.qkv.weight.at({0, 1}) - checkpoint->block(0).attention.qkv.weight.at({0, 0}),
            1.0f / 1024.0f);
  EXPECT_TRUE(checkpoint->block(0).mlp_norm.empty());

  nlohmann::json tied = config;
  tied["tie_word_embeddings"] = true;
  tied["is_decoder"] = true;
  tensors.pop_back();
  write_model(tied, tensors);
  const auto decoder = open();
  EXPECT_TRUE(decoder->architecture().causal);
  EXPECT_EQ(decoder->output_head().kind, OutputHead::Kind::next_token);
  EXPECT_TRUE(same_storage(decoder->output_head().decoder.weight, decoder->embedding().word));
}

TEST_F(CheckpointTest, AModelWithoutItsHead) {
  nlohmann::json config = gpt2_config();
  config["tie_word_embeddings"] = false;
  write_model(config, gpt2_tensors());
  const auto checkpoint = open();
  EXPECT_EQ(checkpoint->output_head().kind, OutputHead::Kind::none);
  EXPECT_TRUE(checkpoint->output_head().decoder.empty());
  EXPECT_FALSE(checkpoint->output_head().final_norm.empty());
}

TEST_F(CheckpointTest, KarpathysDecodersAreTiedUnlessTheFileHasOne) {
  nlohmann::json config = {{"vocab_size", 5}, {"n_embd", 4}, {"n_layer", 2}, {"n_head", 2}, {"block_size", 6}};
  auto tensors = gpt2_tensors();
  for (FileTensor& tensor : tensors) {
    if (tensor.shape.size() == 2 && tensor.name.starts_with("h.")) std::swap(tensor.shape[0], tensor.shape[1]);
  }
  write_model(config, tensors);
  EXPECT_TRUE(open()->architecture().tied_embeddings);
  EXPECT_EQ(open()->output_head().kind, OutputHead::Kind::next_token);
  tensors.push_back({"lm_head.weight", {5, 4}});
  write_model(config, tensors);
  EXPECT_FALSE(open()->architecture().tied_embeddings);
  expect_is(open()->output_head().decoder.weight, tensors, "lm_head.weight");
  config["tie_word_embeddings"] = true;
  write_model(config, tensors);
  expect_is(open()->output_head().decoder.weight, tensors, "wte.weight");
}

TEST_F(CheckpointTest, UnknownDemo) {
  expect_refusal<UsageError>([] { Checkpoint::open("demo:no-such-demo"); }, {"demo:no-such-demo", "expected"});
  expect_refusal<UsageError>([] { Checkpoint::open("demo:../../etc"); }, {"expected"});
}

}  // namespace
}  // namespace headscope
