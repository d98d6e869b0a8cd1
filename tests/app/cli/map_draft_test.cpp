// Files of torch.save on the command line, and `info FOLDER --map-draft FILE`.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::string kTorchFiles = HEADSCOPE_SOURCE_DIR "/tests/golden/torch_files/";
const std::string kGpt2 = HEADSCOPE_SOURCE_DIR "/tests/golden/models/gpt2";

class OtherModels : public CommandTest {
 protected:
  nlohmann::json json_of(const std::vector<std::string>& words) {
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
};

TEST_F(OtherModels, InfoSaysWhatAPtHolds) {
  const nlohmann::json layer = json_of({"info", kTorchFiles + "layer.pt", "--json"});
  EXPECT_EQ(layer["kind"], "attention_layer");
  EXPECT_EQ(layer["layer"]["sha256"],
            json_of({"info", kTorchFiles + "layer.safetensors", "--json"})["layer"]["sha256"]);
  const nlohmann::json tensors = json_of({"info", kTorchFiles + "tensors-legacy.pt", "--json"});
  EXPECT_EQ(tensors["kind"], "pytorch");
  EXPECT_EQ(tensors["tensors"].size(), 22u);
}

TEST_F(OtherModels, AHostilePickleIsExit3) {
  folder_.write("bad.pt", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}X\x0d" +
                              std::string(3, '\0') +
                              "little_endian\x88s.\x80\x02"
                              "cos\nsystem\n.");
  expect_refused(cli({"info", "bad.pt"}), 3, {"bad.pt", "os.system", "nothing of it was run"});
  expect_refused(cli({"run", "--phrase", "a b", "--weights", "bad.pt"}), 3, {"bad.pt", "os.system"});
  folder_.write("model.onnx", "x");
  expect_refused(cli({"info", "model.onnx"}), 3, {"model.onnx", "an ONNX model", "exported from"});
}

TEST_F(OtherModels, ADraftOpensAModelOfAnotherType) {
  std::filesystem::copy(kGpt2, folder_ / "model");
  const std::string config = folder_ / "model/config.json";
  nlohmann::json json = nlohmann::json::parse(std::ifstream(config));
  json["model_type"] = "homemade";
  folder_.write("model/config.json", json.dump());
  expect_refused(cli({"info", "model"}), 3, {"homemade", "--map-draft"});
  const nlohmann::json draft = json_of({"info", "model", "--map-draft", "model/headscope-map.json", "--json"});
  EXPECT_EQ(draft["kind"], "map_draft");
  EXPECT_EQ(json_of({"info", "model", "--json"})["architecture"], "homemade");
  const std::vector<std::string> run = {"run", "--token-ids", "1,2,3", "--layer", "1", "--export", "weights", "--out"};
  for (const auto& [model, out] : {std::pair<std::string, std::string>("model", "ours"), {kGpt2, "theirs"}}) {
    std::vector<std::string> words = run;
    words.insert(words.end(), {out, "--model", model});
    EXPECT_EQ(cli(words).code, 0);
  }
  const auto bytes_of_file = [&](const std::string& name) {
    std::ifstream in(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string ours = bytes_of_file("ours/weights.b0.h0.csv");
  EXPECT_FALSE(ours.empty());
  EXPECT_EQ(ours, bytes_of_file("theirs/weights.b0.h0.csv"));
  expect_refused(cli({"info", kTorchFiles + "layer.pt", "--map-draft", "x.json"}), 2, {"--map-draft", "a folder"});
}

// Queries and keys of a Qwen3 pass norms that a llama model does not have.
TEST_F(OtherModels, TensorsOfALayerThatAreNotUsedAreExit3) {
  std::filesystem::copy(HEADSCOPE_SOURCE_DIR "/tests/golden/models/qwen3", folder_ / "model");
  nlohmann::json json = nlohmann::json::parse(std::ifstream(folder_ / "model/config.json"));
  json["model_type"] = "llama";
  folder_.write("model/config.json", json.dump());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", "model"}, {"run", "--model", "model", "--token-ids", "1,2"}}) {
    expect_refused(cli(words), 3, {"self_attn.k_norm.weight", "a qwen3 model has all of them", "--map-draft"});
  }
  folder_.write("model/headscope-map.json", R"({"ignore": ["model.layers.{layer}.self_attn.?_norm.weight"]})");
  expect_refused(cli({"info", "model"}), 3, {"headscope-map.json", "ignore has", "no file has such a tensor"});
  folder_.write("model/headscope-map.json", R"({"ignore": ["model.layers.{layer}.self_attn.*_norm.weight"]})");
  EXPECT_EQ(json_of({"info", "model", "--json"})["unexpected_tensors"].size(), 0u);
  EXPECT_NE(cli({"info", "model"}).out.find("which tensors change nothing is said by headscope-map.json"),
            std::string::npos);
}

TEST_F(OtherModels, InfoShowsWhatAMapIsNotSureOf) {
  std::filesystem::copy(kGpt2, folder_ / "model");
  const nlohmann::json draft = json_of({"info", "model", "--map-draft", "model/headscope-map.json", "--json"});
  EXPECT_FALSE(draft["unsure"].empty());
  EXPECT_EQ(json_of({"info", "model", "--json"})["unsure"], draft["unsure"]);
  EXPECT_NE(cli({"info", "model"}).out.find("  not sure: norm_place: before is a guess"), std::string::npos);
}

}  // namespace
}  // namespace headscope
