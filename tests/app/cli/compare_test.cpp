// `compare`: two results beside each other.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "core/io/csv.h"
#include "core/io/safetensors.h"
#include "core/tensor/tensor.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class Compare : public CommandTest {
 protected:
  void SetUp() override {
    write_session("a.json", R"("phrase": "uno dos tres cuatro", "mask": "causal")");
    write_session("b.json", R"("phrase": "uno dos nueve cuatro", "mask": "causal")");
    write_session("longer.json", R"("phrase": "uno dos tres y cuatro", "mask": "causal")");
    write_session("wider.json", R"("phrase": "uno dos tres cuatro", "mask": "causal", "d_model": 16)");
  }
  void write_session(const std::string& name, const std::string& keys) const {
    std::ofstream out(std::filesystem::path(folder_.path()) / name);
    out << R"({"headscope": "0.1.0", "model": "seeded", "heads": 2, )"
        << (keys.find("d_model") == std::string::npos ? R"("d_model": 12, )" : "") << keys << "}";
  }
  Result compared(std::vector<std::string> words) {
    words.insert(words.begin(), "compare");
    return cli(words);
  }
  nlohmann::json json_of(std::vector<std::string> words) {
    words.push_back("--json");
    const Result result = compared(std::move(words));
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  static const nlohmann::json& stage_of(const nlohmann::json& found, const std::string& name) {
    for (const nlohmann::json& stage : found.at("stages")) {
      if (stage.at("stage") == name) return stage;
    }
    ADD_FAILURE() << "no " << name;
    return found;
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::path(folder_.path()) / name);
  }
};

TEST_F(Compare, AResultEqualsItself) {
  const nlohmann::json found = json_of({"--session", "a.json", "--against", "a.json"});
  EXPECT_EQ(found["equal"], true);
  EXPECT_EQ(found["first"], nullptr);
  EXPECT_EQ(found["layer"], nullptr);
  EXPECT_TRUE(found["options"].empty());
  EXPECT_TRUE(found["heads"].empty());
  EXPECT_EQ(stage_of(found, "weights")["norm"], 0.0);
  EXPECT_EQ(stage_of(found, "weights")["cells"], 2 * 4 * 4);
  const Result text = compared({"--session", "a.json", "--against", "a.json"});
  EXPECT_NE(text.out.find("equal: every number, to the last bit"), std::string::npos) << text.out;
}

TEST_F(Compare, AnOptionIsNamedAndTheFirstStageThatItChanges) {
  const nlohmann::json found = json_of({"--session", "a.json", "--scale", "0.1", "--against", "a.json"});
  EXPECT_EQ(found["equal"], false);
  EXPECT_EQ(found["first"], "scores");
  ASSERT_EQ(found["options"].size(), 1U);
  EXPECT_EQ(found["options"][0]["option"], "scale");
  EXPECT_EQ(found["options"][0]["b"], "0.1");
  EXPECT_EQ(stage_of(found, "raw_scores")["norm"], 0.0);
  EXPECT_GT(stage_of(found, "weights")["relative"].get<double>(), 0.0);
  EXPECT_EQ(found["heads"].size(), 2U);
  const std::string text = compared({"--session", "a.json", "--scale", "0.1", "--against", "a.json"}).out;
  EXPECT_NE(text.find("starts to differ at scores"), std::string::npos) << text;
  EXPECT_NE(text.find("scale"), std::string::npos) << text;
}

TEST_F(Compare, ChangedTokensAreNamed) {
  const nlohmann::json found = json_of({"--session", "b.json", "--against", "a.json"});
  ASSERT_EQ(found["tokens"]["changed"].size(), 1U);
  EXPECT_EQ(found["tokens"]["changed"][0]["a"], "tres");
  EXPECT_EQ(found["tokens"]["changed"][0]["b"], "nueve");
  EXPECT_EQ(found["first"], "input");
  const std::string text = compared({"--session", "b.json", "--against", "a.json"}).out;
  EXPECT_NE(text.find("tokens changed: tres → nueve"), std::string::npos) << text;
  // Of two texts of unlike lengths what stands in both is compared.
  const nlohmann::json longer = json_of({"--session", "longer.json", "--against", "a.json"});
  EXPECT_EQ(longer["tokens"]["a"], 4);
  EXPECT_EQ(longer["tokens"]["b"], 5);
  EXPECT_EQ(stage_of(longer, "weights")["cells"], 2 * 4 * 4);
  EXPECT_EQ(stage_of(longer, "weights")["alone"], 2 * (5 * 5 - 4 * 4));
}

TEST_F(Compare, DifferencesAreWrittenAsTables) {
  const Result result = compared(
      {"--session", "b.json", "--against", "a.json", "--stage", "weights,output", "--out", "folder/differences"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("3 files"), std::string::npos) << result.out;
  run_to("a", {"--session", "a.json"});
  run_to("b", {"--session", "b.json"});
  const Tensor a = stage("a", "weights"), b = stage("b", "weights");
  for (const int head : {0, 1}) {
    const std::string name = "folder/differences/weights.b0.h" + std::to_string(head) + ".difference.csv";
    ASSERT_TRUE(exists(name));
    std::ifstream in(std::filesystem::path(folder_.path()) / name);
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "query\\key,uno,dos,tres → nueve,cuatro");
    for (int i = 0; i < 4; ++i) {
      std::getline(in, line);
      std::string expected = std::vector<std::string>{"uno", "dos", "tres → nueve", "cuatro"}[std::size_t(i)];
      for (int j = 0; j < 4; ++j) expected += "," + number_text(a.at({0, head, i, j}) - b.at({0, head, i, j}));
      EXPECT_EQ(line, expected);
    }
  }
  EXPECT_TRUE(exists("folder/differences/output.b0.difference.csv"));
}

TEST_F(Compare, OfAModelTheFirstLayerThatDiffersIsNamed) {
  const std::vector<std::string> words = {"--model", "demo:pronouns", "--phrase",
                                          "The animal didn't cross the street because it was too tired"};
  std::vector<std::string> picture = words;
  picture.insert(picture.begin(), "render");
  picture.insert(picture.end(), {"--out", "a.png"});
  ASSERT_EQ(cli(picture).code, 0);
  std::vector<std::string> ablated = words;
  ablated.insert(ablated.end(), {"--ablate", "0.3", "--against", "a.png"});
  const nlohmann::json found = json_of(ablated);
  EXPECT_EQ(found["layer"], 0);
  EXPECT_EQ(found["first"], "context");
  const nlohmann::json drawn = json_of({"--session", "a.json", "--against", "a.png"});
  EXPECT_EQ(drawn["layer"], nullptr);
  const auto model = std::find_if(drawn["options"].begin(), drawn["options"].end(),
                                  [](const nlohmann::json& option) { return option["option"] == "model"; });
  ASSERT_NE(model, drawn["options"].end());
  EXPECT_EQ((*model)["a"], "demo:pronouns");
  EXPECT_EQ((*model)["b"], "seeded");
}

TEST_F(Compare, WhatCannotBeIsRefused) {
  expect_refused(compared({"--session", "a.json"}), 2, {"--against", "missing"});
  expect_refused(compared({"--session", "a.json", "--against", "none.json"}), 3, {"none.json"});
  expect_refused(compared({"--session", "a.json", "--against", "a.json", "--stage", "weights"}), 2, {"--out"});
  expect_refused(compared({"--session", "a.json", "--against", "a.json", "--out", "d"}), 2, {"--stage"});
  expect_refused(compared({"--session", "a.json", "--against", "a.json", "--stage", "wieghts", "--out", "d"}), 2,
                 {"--stage", "weights"});
  expect_refused(compared({"--session", "a.json", "--against", "a.json", "--stage", "all", "--out", "d"}), 2,
                 {"--stage", "all"});
  expect_refused(compared({"--session", "wider.json", "--against", "a.json", "--stage", "output", "--out", "d"}), 2,
                 {"--stage", "output", "cannot be subtracted", "[1, 4, 12] beside [1, 4, 16]"});
  expect_refused(compared({"--session", "a.json", "--against", "a.json", "--stage", "qkv_split", "--out", "d"}), 2,
                 {"--stage", "qkv_split", "qkv_heads"});
  EXPECT_FALSE(exists("d"));
  const nlohmann::json found = json_of({"--session", "wider.json", "--against", "a.json"});
  EXPECT_TRUE(stage_of(found, "output").contains("incomparable"));
}

// The golden llama with heads of eight features, and the same with the rows of queries and keys in the order of pairs.
class ComparedModels : public Compare {
 protected:
  void SetUp() override {
    Compare::SetUp();
    write_model("ll", {});
    write_model("llp", {"q_proj", "k_proj"});
    write_model("q_alone", {"q_proj"});
    write_model("with_values", {"q_proj", "k_proj", "v_proj"});
    folder_.write("halves.json", R"({"model": "ll", "token_ids": [3, 7, 1, 9], "layer": 0})");
    folder_.write("pairs.json", R"({"model": "llp", "token_ids": [3, 7, 1, 9], "layer": 0})");
  }
  void write_model(const std::string& name, const std::vector<std::string>& permuted) const {
    const std::string from = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/llama/";
    const std::filesystem::path folder = std::filesystem::path(folder_.path()) / name;
    std::filesystem::create_directories(folder);
    nlohmann::json config = nlohmann::json::parse(std::ifstream(from + "config.json"));
    config["num_attention_heads"] = 2;
    config["num_key_value_heads"] = 1;
    std::ofstream(folder / "config.json") << config.dump();
    const SafetensorsFile file = SafetensorsFile::open(from + "model.safetensors");
    std::vector<std::pair<std::string, Tensor>> tensors;
    for (const SafetensorsEntry& entry : file.entries()) {
      if (entry.name.find("inv_freq") != std::string::npos) continue;
      Tensor tensor = file.tensor(entry);
      for (const std::string& each : permuted) {
        if (entry.name.find(each) != std::string::npos) tensor = rows_in_pairs(tensor);
      }
      tensors.emplace_back(entry.name, tensor);
    }
    std::vector<NamedTensorRef> refs;
    for (const auto& [tensor_name, tensor] : tensors) refs.push_back({tensor_name, &tensor});
    std::ofstream out(folder / "model.safetensors", std::ios::binary);
    write_safetensors(out, refs, {});
  }
  static Tensor rows_in_pairs(const Tensor& matrix) {
    constexpr std::int64_t kHeadDim = 8, kHalf = 4;
    std::vector<float> values;
    for (std::int64_t row = 0; row < matrix.dim(0); ++row) {
      const std::int64_t head = row / kHeadDim, at = row % kHeadDim;
      const std::int64_t source = head * kHeadDim + at % 2 * kHalf + at / 2;
      for (std::int64_t column = 0; column < matrix.dim(1); ++column) values.push_back(matrix.at({source, column}));
    }
    return Tensor::of(matrix.shape(), matrix.axes(), std::move(values));
  }
  Result against_halves(const std::string& model, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--model", model, "--token-ids", "3,7,1,9", "--layer", "0", "--against", "halves.json"});
    return compared(std::move(more));
  }
};

TEST_F(ComparedModels, RowsInTheOrderOfRotaryPairsAreNamed) {
  const Result text = against_halves("llp");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("the rows are permuted in layer 0: query_proj and key_proj of B are those of A"),
            std::string::npos)
      << text.out;
  const nlohmann::json found =
      json_of({"--model", "ll", "--token-ids", "3,7,1,9", "--layer", "1", "--against", "pairs.json"});
  EXPECT_NE(found["rows"].get<std::string>().find("query_proj and key_proj of A are those of B"), std::string::npos)
      << "the layer that is shown is another one";
}

TEST_F(ComparedModels, NothingElseIsCalledAPermutation) {
  for (const char* model : {"ll", "q_alone", "with_values"}) {
    const Result text = against_halves(model);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_EQ(text.out.find("permuted"), std::string::npos) << model << text.out;
    const nlohmann::json found =
        json_of({"--model", model, "--token-ids", "3,7,1,9", "--layer", "0", "--against", "halves.json"});
    EXPECT_TRUE(found["rows"].is_null());
  }
}

}  // namespace
}  // namespace headscope
