// `circuits`: what weights alone say of heads.
#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

class Circuits : public CommandTest {
 protected:
  nlohmann::json json(std::vector<std::string> words) {
    words.insert(words.begin(), "circuits");
    words.push_back("--json");
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
};

TEST_F(Circuits, EveryPairHasItsScoresBesideRandomOnes) {
  const nlohmann::json found = json({"--model", "demo:induction"});
  EXPECT_EQ(found["model"], "demo:induction");
  EXPECT_EQ(found["norms"], "fold");
  EXPECT_NEAR(found["random"].get<double>(), 1 / std::sqrt(63.0), 1e-12) << "a LayerNorm takes the mean of 64 away";
  ASSERT_EQ(found["cells"].size(), 3u * 8u * 8u);
  std::ifstream file(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/circuits.json");
  const nlohmann::json golden = nlohmann::json::parse(file)[0];
  for (const nlohmann::json& cell : found["cells"]) {
    EXPECT_EQ(cell["layer"], 1);
    EXPECT_EQ(cell["from_layer"], 0);
    const double wanted = golden["pairs"][0][cell["kind"].get<std::string>()][cell["head"].get<std::size_t>()]
                                [cell["from_head"].get<std::size_t>()];
    EXPECT_TRUE(std::abs(cell["value"].get<double>() - wanted) <= 3e-6) << cell;
  }
  EXPECT_EQ(json({"--model", "demo:induction", "--norms", "ignore"})["random"], 0.125);
  EXPECT_EQ(json({"--model", "demo:induction", "--threads", "1"}),
            json({"--model", "demo:induction", "--threads", "4"}));
}

TEST_F(Circuits, TheTableNamesTheStrongestPairsAndTheFileHoldsAll) {
  const Result result = cli({"circuits", "--model", "demo:induction", "--out", "pairs.csv"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.rfind("Composition of the heads of demo:induction, norms folded in\n", 0), 0u) << result.out;
  EXPECT_NE(result.out.find("with their key, the strongest pairs:"), std::string::npos);
  EXPECT_NE(result.out.find("times random"), std::string::npos);
  std::ifstream lines(folder_ / "pairs.csv");
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "kind,layer,head,from_layer,from_head,value");
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count) EXPECT_EQ(line.substr(line.find(',')).rfind(",1,", 0), 0u) << line;
  EXPECT_EQ(count, 3u * 8u * 8u);
}

TEST_F(Circuits, SingularValuesOfEveryHead) {
  const nlohmann::json found = json({"--model", "demo:induction", "--by", "singular"});
  ASSERT_EQ(found["heads"].size(), 16u);
  for (const nlohmann::json& head : found["heads"]) {
    for (const char* circuit : {"qk", "ov"}) {
      ASSERT_EQ(head[circuit].size(), 8u);
      for (std::size_t k = 1; k < 8; ++k) EXPECT_LE(head[circuit][k].get<double>(), head[circuit][k - 1].get<double>());
    }
  }
  const Result table = cli({"circuits", "--by", "singular", "--out", "values.csv"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("singular values of QK"), std::string::npos) << table.out;
  std::ifstream lines(folder_ / "values.csv");
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "circuit,layer,head,number,value");
  std::getline(lines, line);
  EXPECT_EQ(line.rfind("qk,0,0,0,", 0), 0u) << line;
}

TEST_F(Circuits, TokensOfAHeadAreListedFromWeightsAlone) {
  const std::vector<std::string> asked = {"--model", "demo:induction", "--by", "tokens", "--head",
                                          "1:7",     "--token",        "box",  "--top",  "4"};
  const nlohmann::json found = json(asked);
  EXPECT_EQ(found["token"], (nlohmann::json{{"id", 6}, {"token", "box"}}));
  EXPECT_EQ(found["layer"], 1);
  EXPECT_EQ(found["head"], 7);
  for (const char* list : {"keys", "queries", "writes"}) {
    ASSERT_EQ(found[list].size(), 4u) << list;
    for (std::size_t k = 1; k < 4; ++k) EXPECT_GE(found[list][k - 1]["value"], found[list][k]["value"]);
  }
  EXPECT_EQ(found["writes"][0]["token"], "box") << "an induction head raises what it reads";
  std::vector<std::string> words = asked;
  words.insert(words.begin(), "circuits");
  words.insert(words.end(), {"--out", "tokens.csv"});
  const Result text = cli(words);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out.rfind("'box' (6), head 7 of layer 1 of demo:induction, norms folded in\n", 0), 0u) << text.out;
  std::ifstream lines(folder_ / "tokens.csv");
  std::string line;
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count) {
    EXPECT_EQ(line.rfind(count == 0 ? "list,rank,id,token,value" : count <= 4 ? "keys," : "", 0), 0u) << line;
  }
  EXPECT_EQ(count, 13u);
}

TEST_F(Circuits, TokensOfASetAreTwoTables) {
  std::vector<std::string> words = {"--model", "demo:induction", "--by",     "tokens", "--head",
                                    "1:7",     "--tokens",       "box,2,cat"};
  const nlohmann::json found = json(words);
  ASSERT_EQ(found["tokens"].size(), 3u);
  EXPECT_EQ(found["tokens"][0], (nlohmann::json{{"id", 6}, {"token", "box"}}));
  EXPECT_EQ(found["tokens"][1]["id"], 2);
  std::ifstream file(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/token_circuits.json");
  const nlohmann::json golden = nlohmann::json::parse(file)[0]["heads"][15];
  for (const char* map : {"qk", "ov"}) {
    ASSERT_EQ(found[map].size(), 3u);
    const double wanted = golden[map][0][1], here = found[map][0][1];
    EXPECT_TRUE(std::abs(here - wanted) <= 3e-5 * (1 + std::abs(wanted))) << "NumPy's of 6 and 2: " << map;
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found[map][k].size(), 3u);
  }
  for (std::size_t k = 1; k < 3; ++k) EXPECT_GT(found["ov"][0][0], found["ov"][0][k]) << "box raises box most";
  words.insert(words.begin(), "circuits");
  words.insert(words.end(), {"--out", "set.csv"});
  const Result text = cli(words);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out.rfind("Head 7 of layer 1 of demo:induction, norms folded in, each token with each\n", 0), 0u);
  EXPECT_NE(text.out.find("OV: the logit of the column's token"), std::string::npos) << text.out;
  std::ifstream lines(folder_ / "set.csv");
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "map,from_id,from,to_id,to,value");
  std::getline(lines, line);
  EXPECT_EQ(line.rfind("qk,6,box,6,box,", 0), 0u) << line;
  std::size_t count = 1;
  while (std::getline(lines, line)) ++count;
  EXPECT_EQ(count, 18u);
}

TEST_F(Circuits, DirectionsHaveTokensAtBothEnds) {
  std::vector<std::string> words = {"--model", "demo:induction", "--by", "directions", "--head", "1:7", "--top", "3"};
  const nlohmann::json found = json(words);
  const nlohmann::json values = json({"--model", "demo:induction", "--by", "singular"})["heads"][15];
  for (const char* circuit : {"qk", "ov"}) {
    ASSERT_EQ(found[circuit].size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
      const nlohmann::json& each = found[circuit][k];
      EXPECT_NEAR(each["value"].get<double>(), values[circuit][k].get<double>(), 1e-9);
      ASSERT_EQ(each["from"].size(), 8u);
      ASSERT_EQ(each["to"].size(), 8u);
      EXPECT_GE(each["to"][0]["value"], each["to"][1]["value"]);
    }
  }
  words.insert(words.begin(), "circuits");
  words.insert(words.end(), {"--out", "directions.csv"});
  const Result text = cli(words);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("\nQK 1: singular value "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\nOV 3: singular value "), std::string::npos) << text.out;
  std::ifstream lines(folder_ / "directions.csv");
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "circuit,direction,singular_value,end,rank,id,token,value");
  std::size_t count = 0;
  while (std::getline(lines, line)) ++count;
  EXPECT_EQ(count, 2u * 3u * 2u * 8u);
}

TEST_F(Circuits, HeadsThatCopyAndLookBackAreNamed) {
  const nlohmann::json found = json({"--model", "demo:induction", "--by", "heads"});
  ASSERT_EQ(found["heads"].size(), 16u);
  EXPECT_GT(found["heads"][15]["copying"].get<double>(), 0.99);
  EXPECT_GT(found["heads"][5]["previous_token"].get<double>(), 0.7);
  const Result text = cli({"circuits", "--model", "demo:induction", "--by", "heads", "--out", "heads.csv"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("previous token"), std::string::npos) << text.out;
  std::ifstream lines(folder_ / "heads.csv");
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "layer,head,copying,previous_token");
  const nlohmann::json encoder = json({"--model", "demo:pronouns", "--by", "heads"});
  EXPECT_TRUE(encoder["heads"][0]["copying"].is_null()) << "it predicts no next token";
  const Result said = cli({"circuits", "--model", "demo:pronouns", "--by", "heads"});
  EXPECT_NE(said.out.find("No copying score"), std::string::npos) << said.out;
}

TEST_F(Circuits, WhatCannotBeIsRefused) {
  const auto refused = [&](std::vector<std::string> words, int code, const std::vector<std::string>& parts) {
    words.insert(words.begin(), "circuits");
    expect_refused(cli(words), code, parts);
  };
  refused({"--model", "seeded"}, 2, {"--model", "whole model"});
  refused({"--model", "demo:nobody"}, 2, {"demo:nobody"});
  refused({"--model", "nowhere"}, 3, {"nowhere"});
  refused({"--by", "pairs"}, 2, {"--by", "composition"});
  refused({"--by", "tokens", "--token", "he"}, 2, {"--head", "missing"});
  refused({"--by", "tokens", "--head", "0:1"}, 2, {"--token", "missing"});
  refused({"--by", "tokens", "--head", "0:8", "--token", "5"}, 2, {"--head", "0:0 to 3:7"});
  refused({"--by", "tokens", "--head", "0:1", "--token", "5000"}, 2, {"--token", "5000"});
  refused({"--head", "0:1"}, 2, {"--head", "--by tokens"});
  refused({"--by", "heads", "--head", "0:1"}, 2, {"--head", "--by tokens or --by directions"});
  refused({"--by", "directions", "--head", "0:1", "--tokens", "5"}, 2, {"--tokens", "--by tokens"});
  refused({"--by", "directions"}, 2, {"--head", "--by directions needs a head"});
  refused({"--by", "directions", "--head", "0:1", "--top", "0"}, 2, {"--top"});
  refused({"--by", "tokens", "--head", "0:1", "--token", "5", "--tokens", "5"}, 2, {"--tokens", "one of both"});
  refused({"--by", "tokens", "--head", "0:1", "--tokens", "5,,6"}, 2, {"--tokens", "''"});
  refused({"--by", "tokens", "--head", "0:1", "--tokens", "5,zzqq"}, 2, {"--tokens", "'zzqq'"});
  refused({"--by", "tokens", "--head", "0:1", "--tokens", "5,6", "--top", "3"}, 2, {"--top", "--tokens"});
  refused({"--norms", "no"}, 2, {"--norms", "fold"});
  refused({"--model", "demo:induction", "--out", "pairs.json"}, 2, {"--out", "FILE.csv"});
}

}  // namespace
}  // namespace headscope
