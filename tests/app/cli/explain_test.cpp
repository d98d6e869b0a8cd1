// `explain`: where one number comes from, as the contract's JSON and as text.
#include <cmath>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class Explain : public CommandTest {
 protected:
  nlohmann::json json_of(std::vector<std::string> words) {
    words.insert(words.begin(), "explain");
    words.push_back("--json");
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
};

const std::vector<std::string> kSmall = {"--model", "seeded",    "--phrase", "the cat sat", "--heads",
                                         "2",       "--d-model", "8",        "--mask",      "causal"};

std::vector<std::string> small_with(std::vector<std::string> more) {
  more.insert(more.begin(), kSmall.begin(), kSmall.end());
  return more;
}

std::vector<std::string> explain_with(const std::vector<std::string>& more) {
  std::vector<std::string> words = small_with(more);
  words.insert(words.begin(), "explain");
  return words;
}

TEST_F(Explain, AWeightIsASoftmaxOverItsRow) {
  const nlohmann::json why = json_of(small_with({"--stage", "weights", "--at", "0,1,2,0"}));
  EXPECT_EQ(why["stage"], "weights");
  EXPECT_EQ(why["index"], (std::vector<int>{0, 1, 2, 0}));
  ASSERT_EQ(why["operands"].size(), 3u);
  double sum = 0, own = 0;
  for (int j = 0; j < 3; ++j) {
    const nlohmann::json& operand = why["operands"][static_cast<std::size_t>(j)];
    EXPECT_EQ(operand["stage"], "masked_scores");
    EXPECT_EQ(operand["index"], (std::vector<int>{0, 1, 2, j}));
    EXPECT_EQ(operand["role"], "score");
    sum += std::exp(operand["value"].get<double>());
    if (j == 0) own = std::exp(operand["value"].get<double>());
  }
  EXPECT_NEAR(why["value"].get<double>(), own / sum, 1e-6);
  EXPECT_NEAR(why["steps"].back()["value"].get<double>(), why["value"].get<double>(), 1e-6);
  for (const nlohmann::json& step : why["steps"]) {
    EXPECT_TRUE(step["name"].is_string() && step["expression"].is_string());
  }
}

TEST_F(Explain, AnOperandMayBeATensorOfTheWeightsFile) {
  const nlohmann::json why = json_of(small_with({"--stage", "output", "--at", "0,1,5"}));
  ASSERT_EQ(why["operands"].size(), 17u);
  double sum = 0;
  for (std::size_t k = 0; k < 16; k += 2) {
    EXPECT_EQ(why["operands"][k]["stage"], "concat");
    EXPECT_EQ(why["operands"][k + 1]["stage"], "linear_layer.weight");
    EXPECT_EQ(why["operands"][k + 1]["index"], (std::vector<int>{5, static_cast<int>(k / 2)}));
    sum += why["operands"][k]["value"].get<double>() * why["operands"][k + 1]["value"].get<double>();
  }
  EXPECT_EQ(why["operands"][16]["stage"], "linear_layer.bias");
  EXPECT_EQ(why["operands"][16]["index"], (std::vector<int>{5}));
  EXPECT_NEAR(why["value"].get<double>(), sum + why["operands"][16]["value"].get<double>(), 1e-5);
}

TEST_F(Explain, HiddenCellsSayThatTheyAre) {
  const nlohmann::json why = json_of(small_with({"--stage", "masked_scores", "--at", "0,0,0,2"}));
  EXPECT_EQ(why["value"], "-inf");
  EXPECT_EQ(why["steps"][0]["name"], "hidden");
  EXPECT_TRUE(why["operands"].empty());
}

TEST_F(Explain, TextShowsTheLargestTermsAndFoldsTheRest) {
  const Result result =
      cli({"explain", "--model", "seeded", "--phrase", "a b", "--stage", "raw_scores", "--at", "0,3,1,0"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("raw_scores[0, 3, 1, 0] = "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("52 more, each at most "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("query 1 'b', key 0 'a'"), std::string::npos) << result.out;
}

TEST_F(Explain, WhatIsNoCellIsRefused) {
  expect_refused(cli({"explain", "--model", "seeded", "--phrase", "a b"}), 2, {"--stage", "missing"});
  expect_refused(cli({"explain", "--model", "seeded", "--phrase", "a b", "--stage", "weights"}), 2,
                 {"--at", "missing"});
  expect_refused(cli(explain_with({"--stage", "weights", "--at", "0,2,0,0"})), 2, {"--at", "head 2", "0 to 1"});
  expect_refused(cli(explain_with({"--stage", "weights", "--at", "0,0,3,0"})), 2, {"--at", "query 3", "[1, 2, 3, 3]"});
  expect_refused(cli(explain_with({"--stage", "weights", "--at", "0,0,0"})), 2, {"--at", "3 numbers", "expected 4"});
  expect_refused(cli(explain_with({"--stage", "output", "--at", "0,0,0,0"})), 2, {"--at", "expected 3"});
  expect_refused(cli(explain_with({"--stage", "weights", "--at", "0,0,-4,0"})), 2, {"--at", "-4", "-3 to -1"});
  expect_refused(cli(explain_with({"--stage", "weights", "--at", ""})), 2, {"--at"});
  expect_refused(cli(explain_with({"--stage", "capped_scores", "--at", "0,0,0,0"})), 2, {"--stage", "capped_scores"});
  expect_refused(cli(explain_with({"--stage", "wieghts", "--at", "0,0,0,0"})), 2, {"'weights'"});
}

// A turned query names the two features of its pair, and goes on to the sum that each of them is.
TEST_F(Explain, ATurnedQueryLeadsOnToItsProjections) {
  const std::vector<std::string> at = {"--model",     std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/llama",
                                       "--token-ids", "1,3,2,5",
                                       "--layer",     "0",
                                       "--stage",     "query",
                                       "--at",        "0,1,3,0"};
  const nlohmann::json why = json_of(at);
  ASSERT_TRUE(why.contains("turn"));
  EXPECT_EQ(why["turn"]["position"], 3);
  EXPECT_EQ(why["turn"]["own"]["stage"], "query_proj");
  EXPECT_NEAR(why["turn"]["own"]["factor"].get<double>(), std::cos(3.0), 1e-6);
  EXPECT_NEAR(why["turn"]["other"]["factor"].get<double>(), -std::sin(3.0), 1e-6);
  double sum = 0;
  for (const char* part : {"own", "other"}) {
    sum += why["turn"][part]["value"].get<double>() * why["turn"][part]["factor"].get<double>();
  }
  EXPECT_NEAR(sum, why["value"].get<double>(), 1e-6);
  std::vector<std::string> words = at;
  words.insert(words.begin(), "explain");
  const Result result = cli(words);
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"a = query_proj[0, 3, ", "b = query_proj[0, 3, ", "\u2212sin θ", "position 3 · frequency 1",
                           "input[", "q_proj.weight"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in\n" << result.out;
  }
}

}  // namespace
}  // namespace headscope
