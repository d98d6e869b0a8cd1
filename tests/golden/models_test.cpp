// Every stage of every layer of the tiny checkpoints in models/, against what PyTorch computed (make_model_golden.py).
#include <algorithm>
#include <cmath>

#include "core/io/safetensors.h"
#include "core/model/checkpoint.h"
#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

const std::string kGoldenFolders = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

class Models : public GoldenTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    GoldenTest::SetUp();
    expected_ = SafetensorsFile::open(kGoldenFolders + GetParam() + "/expected.safetensors");
  }
  bool expects(const std::string& name) const { return expected_.find(name) != nullptr; }
  Tensor expected(const std::string& name) const {
    const SafetensorsEntry* entry = expected_.find(name);
    if (entry == nullptr) throw std::runtime_error("expected.safetensors has no " + name);
    return expected_.tensor(*entry);
  }
  std::string token_ids() const {
    std::string text;
    for (const float id : expected("token_ids").values()) {
      text += (text.empty() ? "" : ",") + std::to_string(static_cast<std::int64_t>(id));
    }
    return text;
  }

 private:
  SafetensorsFile expected_;
};

TEST_P(Models, EveryStageOfEveryLayer) {
  const std::int64_t layers = Checkpoint::open(kGoldenFolders + GetParam())->architecture().num_layers;
  ASSERT_GE(layers, 2);
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const std::string number = std::to_string(layer);
    const Options options = {{"model", kGoldenFolders + GetParam()}, {"token-ids", token_ids()}, {"layer", number}};
    for (const GoldenRun& run : run_everywhere(options)) {
      for (const char* stage : {"input", "query", "key", "value", "scores", "weights", "context", "output"}) {
        EXPECT_TRUE(agrees_by_rows(run.stage(stage), expected("layers." + number + "." + stage)))
            << run.label << ", layer " << layer << ", " << stage;
      }
      for (const char* stage : {"key_input", "value_input", "capped_scores", "sink_weights", "attention_norm_out",
                                "c2p", "p2c", "masked_scores"}) {
        const std::string name = "layers." + number + "." + stage;
        if (!expects(name)) continue;
        EXPECT_TRUE(agrees_by_rows(run.stage(stage), expected(name)))
            << run.label << ", layer " << layer << ", " << stage;
      }
    }
  }
}

// The second sentence has token types of its own, which the ids alone do not say.
class ModelPairs : public GoldenTest {};

TEST_F(ModelPairs, TwoSentencesAreThoseOfTheReference) {
  const std::string model = kGoldenFolders + "bert-pair";
  const SafetensorsFile expected = SafetensorsFile::open(model + "/expected.safetensors");
  const auto reference = [&](const std::string& name) { return expected.tensor(*expected.find(name)); };
  for (const char* layer : {"0", "1"}) {
    const Options options = {
        {"model", model}, {"phrase", "The cat sat"}, {"second-phrase", "it ran farther"}, {"layer", layer}};
    for (const GoldenRun& run : run_everywhere(options)) {
      for (const char* stage : {"input", "query", "key", "value", "scores", "weights", "context", "output"}) {
        EXPECT_TRUE(agrees_by_rows(run.stage(stage), reference(std::string("layers.") + layer + "." + stage)))
            << run.label << ", layer " << layer << ", " << stage;
      }
    }
  }
  const Options without_types = {{"model", model}, {"token-ids", "2,5,6,7,3,12,15,16,17,3"}, {"layer", "0"}};
  for (const GoldenRun& run : run_everywhere(without_types)) {
    EXPECT_FALSE(agrees_by_rows(run.stage("input"), reference("layers.0.input"))) << run.label;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Golden, Models,
    ::testing::Values("gpt2", "gpt2-f16", "gpt2-bf16", "nanogpt", "mingpt", "attention-only-encoder",
                      "attention-only-decoder", "bert", "bert-f16", "bert-bf16", "bert-old-names", "roberta",
                      "distilbert", "llama", "llama-f16", "llama-bf16", "llama-linear", "llama-llama3", "mistral",
                      "qwen2", "qwen3", "gemma", "llama2c", "gpt_neox", "gpt_neox-sequential", "gptj", "phi", "gemma2",
                      "gemma3", "gemma3-wrapped", "olmo2", "olmo2-grouped", "olmo3", "phi3", "stablelm",
                      "stablelm-parallel", "starcoder2", "cohere", "cohere-normed", "phi3-longrope", "opt", "opt-after",
                      "bloom", "mixtral", "mixtral-window", "qwen3_moe", "qwen3_moe-dense", "gpt_oss", "electra",
                      "electra-wide", "albert", "albert-one-group", "modernbert", "modernbert-biased", "falcon",
                      "falcon-alibi", "falcon-grouped", "falcon-grouped-one-norm", "mpt", "mpt-steep", "mpt-held",
                      "mpt-normed", "deberta_v2", "deberta_v2-f16", "deberta_v2-bf16", "deberta_v2-wide",
                      "deberta_v2-own", "deberta_v2-c2p", "deberta_v2-p2c", "deberta_v2-conv", "deberta_v2-narrow",
                      "deepseek_v2", "deepseek_v2-grouped", "deepseek_v3"),
    [](const auto& each) {
      std::string name = each.param;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace headscope
