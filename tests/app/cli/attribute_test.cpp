// Logits taken apart on the command line.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";
const std::vector<std::string> kInduction = {"attribute", "--model", "demo:induction", "--phrase",
                                             "cat box ink fox cat"};

class Attribute : public CommandTest {
 protected:
  Result attribute(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
  nlohmann::json json(const std::vector<std::string>& more, const std::vector<std::string>& words = kInduction) {
    std::vector<std::string> all = more;
    all.push_back("--json");
    const Result result = attribute(words, all);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
};

TEST_F(Attribute, JsonHoldsTheSumBesideTheModelsOwnLogit) {
  const nlohmann::json predicted = nlohmann::json::parse(
      cli({"run", "--model", "demo:induction", "--phrase", "cat box ink fox cat", "--predict", "1", "--json"}).out);
  const nlohmann::json& top = predicted["predictions"]["positions"][0]["top"][0];
  ASSERT_EQ(top["piece"], "box");
  for (const char* by : {"components", "heads", "sources"}) {
    const nlohmann::json found = json({"--at", "4", "--token", "box", "--by", by});
    EXPECT_EQ(found["total"], top["logit"]);
    EXPECT_EQ(found["by"], by);
    EXPECT_EQ(found["position"], 4);
    EXPECT_EQ(found["tokens"].size(), 1u);
    EXPECT_EQ(found["tokens"][0]["id"], top["id"]);
    EXPECT_EQ(found["tokens"][0]["token"], "box");
    EXPECT_EQ(found["tokens"][0]["factor"], 1.0);
    double sum = 0;
    for (const nlohmann::json& part : found["parts"]) {
      for (const char* key : {"name", "layer", "head", "position", "token", "value"}) {
        EXPECT_TRUE(part.contains(key)) << key;
      }
      EXPECT_EQ(part["token"].is_null(), part["name"] != "source");
      EXPECT_EQ(part["position"].is_null(), part["name"] != "source");
      sum += part["value"].get<double>();
    }
    EXPECT_EQ(found["sum"].get<double>(), sum);
    EXPECT_EQ(found["difference"].get<double>(), sum - found["total"].get<double>());
    EXPECT_TRUE(std::abs(found["difference"].get<double>()) <= 1e-4 * std::abs(found["total"].get<double>()));
  }
}

TEST_F(Attribute, ALossIsWhatRunPredicts) {
  const nlohmann::json found = json({"--at", "2", "--token", "fox", "--loss"});
  EXPECT_EQ(found["of"], "loss");
  const nlohmann::json predicted = nlohmann::json::parse(
      cli({"run", "--model", "demo:induction", "--phrase", "cat box ink fox cat", "--predict", "1", "--json"}).out);
  EXPECT_NEAR(found["total"].get<double>(), predicted["predictions"]["token_loss"][3].get<double>(), 1e-5) << predicted;
  EXPECT_NEAR(found["sum"].get<double>(), found["total"].get<double>(), 1e-4);
  expect_refused(attribute(kInduction, {"--at", "4", "--token", "box,ink", "--loss"}), 2, {"--token", "two tokens"});
}

TEST_F(Attribute, TheFileHoldsEveryPart) {
  const nlohmann::json found = json({"--at", "4", "--token", "box", "--by", "sources", "--out", "parts.csv"});
  std::ifstream lines(folder_ / "parts.csv");
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "part,layer,head,position,token,value");
  const auto value = [&] { return std::stod(line.substr(line.rfind(',') + 1)); };
  for (const nlohmann::json& part : found["parts"]) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line.rfind(part["name"].get<std::string>() + ",", 0), 0u) << line;
    EXPECT_EQ(value(), part["value"].get<double>()) << line;
  }
  for (const char* end : {"sum", "total"}) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line.rfind(std::string(end) + ",,,,,", 0), 0u) << line;
    EXPECT_EQ(value(), found[end].get<double>());
  }
  EXPECT_FALSE(std::getline(lines, line));
  expect_refused(attribute(kInduction, {"--at", "4", "--token", "box", "--out", "parts.json"}), 2,
                 {"--out", "FILE.csv"});
}

TEST_F(Attribute, SourcesAreNamedByTheirTokens) {
  const nlohmann::json parts = json({"--at", "4", "--token", "box", "--by", "sources"})["parts"];
  const std::vector<std::string> tokens = {"cat", "box", "ink", "fox", "cat"};
  std::size_t count = 0;
  for (const nlohmann::json& part : parts) {
    if (part["name"] != "source") continue;
    ++count;
    EXPECT_EQ(part["token"], tokens[part["position"].get<std::size_t>()]);
  }
  EXPECT_EQ(count, 2u * 8u * 5u);
  // The head that copies what stood after this word reads it there: the largest part of all.
  const auto largest = std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a["value"].template get<double>() < b["value"].template get<double>();
  });
  EXPECT_EQ((*largest)["layer"], 1);
  EXPECT_EQ((*largest)["position"], 1);
}

TEST_F(Attribute, ADifferenceOfTwoTokensAndTheirSpellings) {
  const nlohmann::json less = json({"--at", "4", "--token", "box,ink"}), more = json({"--at", "4", "--token", "ink,6"});
  EXPECT_EQ(less["tokens"][1]["token"], "ink");
  EXPECT_EQ(more["tokens"][1]["token"], "box") << "by its id";
  EXPECT_EQ(less["total"].get<double>(), -more["total"].get<double>());
  EXPECT_EQ(less["total"].get<double>(),
            less["tokens"][0]["logit"].get<double>() - less["tokens"][1]["logit"].get<double>());
  EXPECT_TRUE(std::abs(less["sum"].get<double>() + more["sum"].get<double>()) <= 1e-9);
}

TEST_F(Attribute, TheTableIsSortedAndEndsWithTheSum) {
  const Result all = attribute(kInduction, {"--at", "4", "--token", "box"});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.out.rfind("logit of 'box' (6), at position 4 'cat'\n\npart", 0), 0u) << all.out;
  for (const char* part : {"embedding", "positions", "attention", "final norm bias", "sum of all parts",
                           "the model's own logit", "difference", "held at the mean and scale"}) {
    EXPECT_NE(all.out.find(part), std::string::npos) << part << " in " << all.out;
  }
  EXPECT_EQ(all.out.find(" more"), std::string::npos);
  const Result sources = attribute(kInduction, {"--at", "4", "--token", "box,ink", "--by", "sources"});
  EXPECT_EQ(sources.out.rfind("logit of 'box' (6) less that of 'ink' (28), at position 4 'cat'\n\npart", 0), 0u);
  EXPECT_NE(sources.out.find("1 box"), std::string::npos) << sources.out;
  EXPECT_NE(sources.out.find(" more"), std::string::npos);
  const Result capped =
      cli({"attribute", "--model", kModels + "gemma2", "--token-ids", "1,2,3", "--at", "2", "--token", "3,4"});
  EXPECT_NE(capped.out.find("is held as a factor"), std::string::npos) << capped.out << capped.err;
}

TEST_F(Attribute, TheShownLayerAndThreadsChangeNothing) {
  const std::string plain = attribute(kInduction, {"--at", "4", "--token", "box", "--by", "heads", "--json"}).out;
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--layer", "0"}, {"--threads", "1"}, {"--threads", "2"}, {"--threads", "8"}}) {
    std::vector<std::string> words = {"--at", "4", "--token", "box", "--by", "heads", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(attribute(kInduction, words).out, plain) << more[1];
  }
  const nlohmann::json ablated = json({"--at", "4", "--token", "box", "--by", "heads", "--ablate", "1.3"});
  EXPECT_NE(ablated["total"], nlohmann::json::parse(plain)["total"]);
  for (const nlohmann::json& part : ablated["parts"]) {
    if (part["layer"] == 1 && part["head"] == 3) {
      EXPECT_EQ(part["value"], 0.0);
    }
  }
}

TEST_F(Attribute, WhatCannotBeTakenApartIsRefused) {
  expect_refused(attribute(kInduction, {}), 2, {"--at", "missing"});
  expect_refused(attribute(kInduction, {"--at", "4"}), 2, {"--token", "missing"});
  expect_refused(attribute(kInduction, {"--at", "5", "--token", "box"}), 2,
                 {"--at", "position 5", "5 tokens", "0 to 4"});
  expect_refused(attribute(kInduction, {"--at=-6", "--token", "box"}), 2, {"--at", "-6"});
  expect_refused(attribute(kInduction, {"--at", "last", "--token", "box"}), 2, {"--at", "last"});
  expect_refused(attribute(kInduction, {"--at", "4", "--token", "box", "--by", "layers"}), 2,
                 {"--by", "layers", "components", "heads", "sources"});
  expect_refused(attribute(kInduction, {"--at", "4", "--token", "xyzzy"}), 2, {"--token", "'xyzzy' is no token of"});
  expect_refused(attribute(kInduction, {"--at", "4", "--token", "cat box"}), 2, {"--token", "2 tokens"});
  expect_refused(attribute(kInduction, {"--at", "4", "--token", "61"}), 2, {"--token", "61", "0 to 60"});
  expect_refused(attribute(kInduction, {"--at", "4", "--token", "a,b,c"}), 2, {"--token", "A,B"});
  expect_refused(attribute(kInduction, {"--at", "4", "--token", "box,"}), 2, {"--token", "'box,'", "by its id"});
  const std::vector<std::string> where = {"--at", "0", "--token", "1"};
  expect_refused(attribute({"attribute", "--model", "seeded", "--phrase", "a b"}, where), 2,
                 {"--model", "one layer", "no vocabulary"});
  expect_refused(attribute({"attribute", "--model", "none.safetensors"}, where), 2, {"--model", "a capture"});
  expect_refused(attribute({"attribute", "--model", kModels + "bert", "--token-ids", "1,2"}, where), 2,
                 {"--model", "bert", "transform", "no sum"});
  expect_refused(
      attribute({"attribute", "--model", kModels + "gpt2", "--token-ids", "1,2"}, {"--at", "0", "--token", "the"}), 2,
      {"--token", "'the'", "no tokenizer"});
}

}  // namespace
}  // namespace headscope
