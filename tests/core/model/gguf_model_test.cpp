// A model as GGUF gives the numbers of the same weights in a folder, bit for bit; what is refused.
#include "core/model/gguf_model.h"

#include <cmath>
#include <numeric>

#include "core/model/checkpoint.h"
#include "tests/core/model/gguf_quantised.h"
#include "tests/core/model/gguf_runs.h"

namespace headscope {
namespace {

struct Golden {
  const char* folder;
  const char* architecture;
};

TEST_F(GgufModels, GoldenModelsHaveTheNumbersOfTheirFolders) {
  for (const Golden& golden : {Golden{"llama", "llama"},
                               {"llama-f16", "llama"},
                               {"llama-bf16", "llama"},
                               {"llama-linear", "llama"},
                               {"qwen2", "qwen2"},
                               {"qwen3", "qwen3"},
                               {"mixtral", "llama"},
                               {"qwen3_moe", "qwen3moe"},
                               {"gpt_oss", "gpt-oss"},
                               {"gpt2", "gpt2"},
                               {"gpt2-f16", "gpt2"},
                               {"gpt2-bf16", "gpt2"}}) {
    write(golden_model(kGoldenModels + golden.folder, golden.architecture));
    expect_same_numbers(golden.folder);
  }
}

// Llama 3's scaling stands in the file as a divisor of every frequency.
TEST_F(GgufModels, FrequenciesAreDividedByRopeFreqs) {
  const TwoSpellings model = golden_model(kGoldenModels + "llama-llama3", "llama");
  write_folder(folder(), model);
  const auto wanted = Checkpoint::open(folder())->architecture().rotary->inverse_frequencies;
  TwoSpellings plain = model;
  plain.config.erase("rope_scaling");
  write_folder(path("plain"), plain);
  const auto unscaled = Checkpoint::open(path("plain"))->architecture().rotary->inverse_frequencies;
  std::string divisors;
  for (std::size_t p = 0; p < wanted.size(); ++p) {
    divisors += test::GgufWriter::raw(static_cast<float>(unscaled[p] / wanted[p]));
  }
  const auto count = static_cast<std::int64_t>(wanted.size());
  TwoSpellings with = model;
  with.tensors["rope_freqs.weight"] = {{count}, "F32", divisors, std::vector<float>(wanted.size(), 1)};
  write_text("model.gguf", gguf_bytes(with));
  const auto opened = Checkpoint::open(gguf());
  ASSERT_EQ(opened->architecture().rotary->inverse_frequencies.size(), wanted.size());
  for (std::size_t p = 0; p < wanted.size(); ++p) {
    const double found = opened->architecture().rotary->inverse_frequencies[p];
    EXPECT_TRUE(std::abs(found - wanted[p]) <= 2e-7 * wanted[p]) << found << ", " << wanted[p];
    EXPECT_EQ(found, static_cast<double>(static_cast<float>(found)));
  }
  EXPECT_TRUE(opened->unexpected().empty());
}

// Peng et al. 2023: the file's keys are those of config.json under other names; without them the defaults count.
TEST_F(GgufModels, YarnIsThatOfTheFolder) {
  TwoSpellings model = golden_model(kGoldenModels + "llama", "llama");
  model.config.erase("rope_parameters");
  for (const nlohmann::json& turns : {nlohmann::json{{"beta_fast", 4.0}, {"beta_slow", 0.5}}, nlohmann::json{}}) {
    nlohmann::json yarn = {{"rope_type", "yarn"}, {"factor", 8.0}, {"original_max_position_embeddings", 16}};
    yarn.update(turns.is_null() ? nlohmann::json::object() : turns);
    model.config["rope_scaling"] = yarn;
    write(model);
    expect_same_numbers(yarn.dump());
    const auto opened = Checkpoint::open(gguf());
    EXPECT_DOUBLE_EQ(opened->architecture().rotary->factor, 0.1 * std::log(8.0) + 1);
  }
}

TEST_F(GgufModels, GptOssHasItsWindowsSinksAndClamp) {
  write(golden_model(kGoldenModels + "gpt_oss", "gpt-oss"));
  const auto opened = Checkpoint::open(gguf());
  const Architecture& model = opened->architecture();
  EXPECT_EQ(model.family, "gpt_oss");
  EXPECT_TRUE(model.has_window(0));
  EXPECT_FALSE(model.has_window(1));
  EXPECT_EQ(model.mixture->clamp->limit, 7) << "no key says another";
  EXPECT_FALSE(opened->block(0).attention.sinks.empty());
  EXPECT_EQ(opened->block(0).attention.sinks_name, "blk.0.attn_sinks.weight");
  EXPECT_TRUE(opened->unexpected().empty());
}

TEST_F(GgufModels, ExpertsOfOneTensorAreItsParts) {
  write(quantised_mixture({"Q4_K", "MXFP4", "Q6_K"}));
  expect_same_numbers("experts of three types");
  const auto opened = Checkpoint::open(gguf());
  const Architecture& model = opened->architecture();
  EXPECT_EQ(model.family, "qwen3_moe");
  EXPECT_TRUE(model.mixture->renormalised);
  EXPECT_EQ(model.mixture->experts, 6);
  EXPECT_EQ(opened->block(1).experts->experts.size(), 6u);
  EXPECT_FALSE(opened->block(1).experts->experts[3].up.weight.stored());
  EXPECT_EQ(opened->block(1).experts->experts[3].up.weight_name, "blk.1.ffn_up_exps.weight");
}

TEST_F(GgufModels, QuantisedWeightsGiveTheNumbersOfTheDequantised) {
  write(quantised_llama({"Q4_K", "Q6_K", "Q5_K", "Q8_0", "Q4_0", "Q5_0", "Q4_1", "Q5_1", "MXFP4"}, "llama"));
  expect_same_numbers("all types");
  const auto opened = Checkpoint::open(gguf());
  EXPECT_EQ(opened->dtypes(),
            (std::vector<std::string>{"F32", "MXFP4", "Q4_0", "Q4_1", "Q4_K", "Q5_0", "Q5_1", "Q5_K", "Q6_K", "Q8_0"}));
  EXPECT_FALSE(opened->block(0).attention.query.weight.stored());
  EXPECT_EQ(sha256_of(opened->block(1).attention), sha256_of(Checkpoint::open(folder())->block(1).attention));
}

// Names and rows are the file's: what `explain` shows and `--edit` takes.
TEST_F(GgufModels, RowsOfQueriesAreNamedAsInTheFile) {
  write(quantised_llama({"Q8_0"}, "llama"));
  const auto file = GgufFile::open(gguf());
  const auto opened = Checkpoint::open(gguf());
  const LayerWeights weights = opened->block(1).attention;
  EXPECT_EQ(weights.query.weight_name, "blk.1.attn_q.weight");
  EXPECT_EQ(weights.query.paired_head, 16);
  EXPECT_EQ(weights.value.paired_head, 0);
  EXPECT_TRUE(opened->holds("blk.1.attn_q.weight"));
  const TensorFile tensors = tensors_of(file);
  const Tensor in_file = tensors.tensor(*tensors.find("blk.1.attn_q.weight"));
  for (const std::int64_t row : {0, 1, 7, 8, 15, 16, 95}) {
    EXPECT_EQ(weights.query.weight.at({row, 3}), in_file.at({paired_row(row, 16), 3})) << row;
  }
}

TEST_F(GgufModels, ATypeThatIsNotReadIsRefusedByName) {
  TwoSpellings model = quantised_llama({"Q8_0"}, "llama");
  StoredTensor& tensor = model.tensors["model.layers.1.mlp.up_proj.weight"];
  tensor.type = "IQ4_NL";
  tensor.bytes.resize(288 * 256 / 32 * 18);
  tensor.values.resize(tensor.bytes.size());
  write_text("model.gguf", gguf_bytes(model));
  expect_refusal<Error>([&] { Checkpoint::open(gguf()); },
                        {"blk.1.ffn_up.weight is IQ4_NL, expected F32, F16", "model.gguf"});
}

}  // namespace
}  // namespace headscope
