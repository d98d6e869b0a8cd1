// `compare`: two results beside each other.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "core/io/csv.h"
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
  EXPECT_NE(text.out.find("equal, to the last bit: every number of every stage\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("no head's weights or context differ"), std::string::npos) << text.out;
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
  expect_refused(
      compared({"--session", "a.json", "--against", "a.json", "--stage", "weights", "--out", "differences.csv"}), 2,
      {"--out", "differences.csv", "a folder", "without --stage"});
  EXPECT_FALSE(exists("differences.csv"));
  EXPECT_FALSE(exists("d"));
  const nlohmann::json found = json_of({"--session", "wider.json", "--against", "a.json"});
  EXPECT_TRUE(stage_of(found, "output").contains("incomparable"));
}

}  // namespace
}  // namespace headscope
