// Folders whose files hold more than their config.json uses.
#include "tests/app/cli/command.h"
#include "tests/core/model/checkpoint_files.h"

namespace headscope {
namespace {

class ModelReadings : public CommandTest {
 protected:
  void write_model(const nlohmann::json& config, const std::vector<FileTensor>& tensors) {
    folder_.write("m/config.json", config.dump());
    folder_.write("m/model.safetensors", safetensors_bytes(tensors));
  }
  // Says it once: on standard error of `run` and in its manifest, and in `info`.
  void expect_said(const std::string& sentence) {
    const Result run = cli({"run", "--model", "m", "--token-ids", "1,2", "--json"});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "headscope-cli: notice: " + sentence + "\n");
    EXPECT_EQ(nlohmann::json::parse(run.out)["notices"], nlohmann::json({sentence}));
    EXPECT_NE(cli({"info", "m"}).out.find(sentence + "\n"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(cli({"info", "m", "--json"}).out)["notices"], nlohmann::json({sentence}));
  }
};

TEST_F(ModelReadings, FewerLayersThanTheFilesHold) {
  nlohmann::json config = gpt2_config();
  config["n_layer"] = 1;
  write_model(config, gpt2_tensors());
  expect_said("m: 1 of the 2 layers in its files is used, as many as config.json says");
}

TEST_F(ModelReadings, AHeadThatDiffersFromTheEmbeddingThatItIsTiedTo) {
  std::vector<FileTensor> tensors = gpt2_tensors("transformer.");
  tensors.push_back({"lm_head.weight", {5, 4}});
  write_model(gpt2_config(), tensors);
  expect_said(
      "m: lm_head.weight differs from the word embedding, which is used in its place, because the configuration ties "
      "them (tie_word_embeddings)");
  EXPECT_NE(cli({"info", "m"}).out.find("1 tensor without a place in it: lm_head.weight"), std::string::npos);
}

TEST_F(ModelReadings, ACopyOfTheEmbeddingIsNoHeadOfItsOwn) {
  std::vector<FileTensor> tensors = gpt2_tensors("transformer.");
  tensors.push_back({"lm_head.weight", {5, 4}});
  std::uint64_t data_bytes = 0;
  const std::string header = safetensors_header(tensors, data_bytes);
  std::string bytes = safetensors_bytes(tensors);
  const std::size_t size = 5 * 4 * 4;
  bytes.replace(bytes.size() - size, size, bytes.substr(header.size(), size));  // wte is the first one
  folder_.write("m/config.json", gpt2_config().dump());
  folder_.write("m/model.safetensors", bytes);
  const Result run = cli({"run", "--model", "m", "--token-ids", "1,2"});
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(cli({"info", "m"}).out.find("without a place"), std::string::npos);
}

}  // namespace
}  // namespace headscope
