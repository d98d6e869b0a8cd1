// `sweep --pairs`, the finer parts and the metrics of a sweep, as a user calls them, against single sweeps and run.
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

constexpr const char* kPairs =
    "{\"clean\": \"cat ink box fox jam cat\", \"corrupt\": \"cat box ink fox jam cat\", \"answer\": \"ink\", "
    "\"other\": "
    "\"box\"}\n\n"
    "{\"clean\": \"box fox ink jam box\", \"corrupt\": \"box jam ink fox box\", \"answer\": \"fox\", \"other\": "
    "\"jam\", "
    "\"at\": -1}\n";

class SweepPairs : public CommandTest {
 protected:
  void SetUp() override { folder_.write("pairs.jsonl", kPairs); }
  Result sweep(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"sweep", "--model", "demo:induction"};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
  nlohmann::json json_of(std::vector<std::string> more) {
    more.push_back("--json");
    const Result result = sweep(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  // A sweep of the corrupt phrase with the numbers of the clean one.
  nlohmann::json single(const std::string& clean, const std::string& corrupt, const std::vector<std::string>& more) {
    folder_.write("clean.json", "{\"model\": \"demo:induction\", \"phrase\": \"" + clean + "\"}");
    std::vector<std::string> words = {"--phrase", corrupt, "--against", "clean.json"};
    words.insert(words.end(), more.begin(), more.end());
    return json_of(words);
  }
};

TEST_F(SweepPairs, CellsAreMeansOfSingleSweeps) {
  const nlohmann::json found =
      json_of({"--pairs", "pairs.jsonl", "--patch", "heads", "--metric", "logit:answer-other"});
  EXPECT_EQ(found["metric"], "logit:answer-other");
  EXPECT_EQ(found["pairs"], 2);
  const nlohmann::json one = single("cat ink box fox jam cat", "cat box ink fox jam cat",
                                    {"--patch", "heads", "--metric", "logit:ink-box"}),
                       two = single("box fox ink jam box", "box jam ink fox box",
                                    {"--patch", "heads", "--metric", "logit:fox-jam", "--at", "-1"});
  ASSERT_EQ(found["cells"].size(), 16u);
  for (std::size_t k = 0; k < 16; ++k) {
    const nlohmann::json& cell = found["cells"][k];
    const double a = one["cells"][k]["value"].get<double>(), b = two["cells"][k]["value"].get<double>();
    EXPECT_EQ(cell["layer"], one["cells"][k]["layer"]);
    EXPECT_EQ(cell["head"], one["cells"][k]["head"]);
    EXPECT_EQ(cell["stage"], "context");
    EXPECT_TRUE(cell["position"].is_null());
    EXPECT_NEAR(cell["mean"].get<double>(), (a + b) / 2, 1e-9);
    EXPECT_NEAR(cell["standard_error"].get<double>(), std::abs(a - b) / 2, 1e-9);
    EXPECT_EQ(cell["same_sign"].get<double>(), a * b > 0 ? 1 : 0.5);
  }
  EXPECT_NEAR(found["a"]["mean"].get<double>(), (one["a"].get<double>() + two["a"].get<double>()) / 2, 1e-9);
  EXPECT_NEAR(found["b"]["mean"].get<double>(), (one["b"].get<double>() + two["b"].get<double>()) / 2, 1e-9);
}

TEST_F(SweepPairs, RowsOfCsvAreTheSamePairs) {
  folder_.write("pairs.csv",
                "clean,corrupt,answer,other,at\n\"cat ink box fox jam cat\",cat box ink fox jam cat,ink,box,\n"
                "box fox ink jam box,box jam ink fox box,fox,jam,-1\n");
  const std::vector<std::string> asked = {"--patch", "head-parts", "--metric", "prob:answer", "--pairs"};
  const auto with = [&](const std::string& file) {
    std::vector<std::string> words = asked;
    words.push_back(file);
    return json_of(words);
  };
  EXPECT_EQ(with("pairs.jsonl"), with("pairs.csv"));
}

TEST_F(SweepPairs, TextAndFileSayMeanErrorAndShare) {
  const Result text =
      sweep({"--pairs", "pairs.jsonl", "--patch", "heads", "--metric", "recovered", "--out", "cells.csv"});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part :
       {"recovered of 2 pairs", "A, the clean texts: 1", "standard error", "same sign", "100 %", "layer 1, head 7"}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part << " in " << text.out;
  }
  std::ifstream lines(folder_ / "cells.csv");
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_TRUE(line.starts_with("layer,head,position,stage,mean,standard_error,same_sign,change_mean")) << line;
}

TEST_F(SweepPairs, WhatCannotBeIsRefused) {
  const std::vector<std::string> asked = {"--patch", "heads", "--metric", "logit:answer-other"};
  const auto refused = [&](const std::string& file, const std::string& text, int code,
                           const std::vector<std::string>& parts, const std::vector<std::string>& more = {}) {
    folder_.write(file, text);
    std::vector<std::string> words = asked;
    words.insert(words.end(), {"--pairs", file});
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(sweep(words), code, parts);
  };
  const std::string good =
      "{\"clean\": \"cat ink box\", \"corrupt\": \"cat box ink\", \"answer\": \"ink\", \"other\": 6}\n";
  refused("x.jsonl", good + "{\"clean\": \"cat ink\", \"corrupt\": \"cat\", \"answer\": \"ink\", \"other\": 6}\n", 3,
          {"x.jsonl", "line 2", "2 tokens in clean", "1 in corrupt"});
  refused("x.jsonl", good + good + "{\"clean\": \"cat\"", 3, {"x.jsonl", "line 3"});
  refused("x.jsonl", good + "{\"clean\": \"cat\", \"corrupt\": \"box\", \"answer\": \"nosuchword\"}", 3,
          {"line 2", "nosuchword"});
  refused("x.jsonl", "", 3, {"x.jsonl", "no pair"});
  refused("x.csv", "clean,corrupt\na\n", 3, {"x.csv", "line 2"});
  refused("x.txt", good, 2, {"--pairs", "FILE.jsonl"});
  refused("x.jsonl", good, 2, {"--phrase", "--pairs"}, {"--phrase", "cat"});
  refused("x.jsonl", good, 2, {"--ablation", "--pairs"}, {"--ablation", "zero"});
  refused("x.jsonl", good, 2, {"--estimate", "--estimate-only"}, {"--estimate"});
  expect_refused(sweep({"--pairs", "nowhere.jsonl", "--patch", "heads", "--metric", "loss"}), 3, {"nowhere.jsonl"});
}

TEST_F(SweepPairs, FinerPartsAreWhatPatchesOfARunGive) {
  const std::string clean = "cat ink box fox jam cat", corrupt = "cat box ink fox jam cat";
  const auto logit = [&](const std::string& patch) {
    const Result result = cli({"attribute", "--model", "demo:induction", "--phrase", corrupt, "--at", "5", "--token",
                               "ink,box", "--patch", patch, "--patch-from", "clean.json", "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out)["total"].get<double>();
  };
  for (const char* kind : {"heads-positions", "head-parts"}) {
    const nlohmann::json found = single(clean, corrupt, {"--patch", kind, "--metric", "logit:ink-box"});
    for (std::size_t k = 0; k < found["cells"].size(); k += found["cells"].size() / 3) {
      const nlohmann::json& cell = found["cells"][k];
      std::string patch = std::to_string(cell["layer"].get<int>()) + "/" + cell["stage"].get<std::string>();
      if (!cell["head"].is_null()) patch += ":" + std::to_string(cell["head"].get<int>());
      if (!cell["position"].is_null()) patch += "," + std::to_string(cell["position"].get<int>());
      EXPECT_EQ(cell["value"].get<double>(), logit(patch + "@A")) << kind << " " << patch;
    }
  }
}

// This demo's layers have MLPs.
TEST_F(SweepPairs, MlpsAndNeuronsAreParts) {
  folder_.write("tired.json", R"({"model": "demo:stories", "phrase": "the dog was too tired"})");
  const auto swept = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"sweep",     "--model",    "demo:stories", "--phrase",  "the street was too wide",
                                      "--against", "tired.json", "--metric",     "logit:400", "--patch"};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  };
  const nlohmann::json mlps = nlohmann::json::parse(swept({"mlps", "--json"}).out);
  for (const nlohmann::json& cell : mlps["cells"]) {
    const std::string patch = std::to_string(cell["layer"].get<int>()) + "/mlp_out@A";
    const Result run = cli({"attribute", "--model", "demo:stories", "--phrase", "the street was too wide", "--at", "-1",
                            "--token", "400", "--patch", patch, "--patch-from", "tired.json", "--json"});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(cell["value"], nlohmann::json::parse(run.out)["total"]) << patch;
  }
  const nlohmann::json neurons = nlohmann::json::parse(swept({"neurons", "--estimate-only", "--json"}).out);
  EXPECT_EQ(neurons["cells"][1]["neuron"], 1);
  EXPECT_EQ(neurons["cells"][1]["stage"], "mlp_out");
  const Result text = swept({"neurons", "--estimate-only"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("more neurons change it less"), std::string::npos) << text.out;
}

TEST_F(SweepPairs, MetricsAreMadeOfTheLogitsOfRuns) {
  const std::string clean = "cat ink box fox jam cat", corrupt = "cat box ink fox jam cat";
  const auto logit = [&](const std::string& phrase, const std::string& token) {
    return nlohmann::json::parse(cli({"attribute", "--model", "demo:induction", "--phrase", phrase, "--at", "5",
                                      "--token", token, "--json"})
                                     .out)["total"]
        .get<double>();
  };
  const nlohmann::json set = single(clean, corrupt, {"--patch", "heads", "--metric", "logit:{ink,fox}-{box,jam}"});
  EXPECT_NEAR(set["b"].get<double>(),
              (logit(corrupt, "ink") + logit(corrupt, "fox") - logit(corrupt, "box") - logit(corrupt, "jam")) / 2,
              1e-5);
  const nlohmann::json rank = single(clean, corrupt, {"--patch", "heads", "--metric", "rank:box"});
  EXPECT_EQ(rank["b"], 0) << "it goes on with box";
  EXPECT_GT(rank["a"].get<double>(), 0);
  const nlohmann::json share = single(clean, corrupt, {"--patch", "heads", "--metric", "recovered:logit:ink-box"}),
                       own = single(clean, corrupt, {"--patch", "heads", "--metric", "logit:ink-box"});
  EXPECT_EQ(share["b"], 0);
  EXPECT_EQ(share["a"], 1);
  const double a = own["a"].get<double>(), b = own["b"].get<double>();
  for (std::size_t k = 0; k < own["cells"].size(); ++k) {
    EXPECT_NEAR(share["cells"][k]["value"].get<double>(), (own["cells"][k]["value"].get<double>() - b) / (a - b), 1e-9);
  }
  const nlohmann::json kl = single(clean, corrupt, {"--patch", "heads", "--metric", "kl:clean"});
  EXPECT_NEAR(kl["a"].get<double>(), 0, 1e-9) << "the clean run is A";
  EXPECT_GT(kl["b"].get<double>(), 1);
}

}  // namespace
}  // namespace headscope
