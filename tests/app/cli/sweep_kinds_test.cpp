// `sweep` with ablations, estimates and paths in place of, and beside, the numbers of another run.
#include <fstream>
#include <string>
#include <vector>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kB = {"--model", "demo:induction", "--phrase", "cat box ink fox jam cat"};

class SweepKinds : public CommandTest {
 protected:
  void SetUp() override {
    folder_.write("a.json", R"({"model": "demo:induction", "phrase": "cat ink box fox jam cat"})");
    folder_.write("other.json", R"({"model": "demo:induction", "phrase": "ink box ink fox jam cat"})");
  }
  Result with_b(const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> words = {command};
    words.insert(words.end(), kB.begin(), kB.end());
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
  nlohmann::json json_of(const std::string& command, std::vector<std::string> more) {
    more.push_back("--json");
    const Result result = with_b(command, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  // The model's own logit of a token: what `attribute` says.
  double logit(const std::string& token, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--at", "5", "--token", token};
    words.insert(words.end(), more.begin(), more.end());
    return json_of("attribute", words)["total"].get<double>();
  }
};

TEST_F(SweepKinds, AblationsNeedNoOtherRun) {
  const std::vector<std::string> heads = {"--patch", "heads", "--metric", "logit:box", "--ablation"};
  const auto found = [&](std::vector<std::string> more) {
    more.insert(more.begin(), heads.begin(), heads.end());
    return json_of("sweep", more);
  };
  const nlohmann::json zero = found({"zero"});
  EXPECT_TRUE(zero["a"].is_null());
  EXPECT_EQ(zero["ablation"], "zero");
  EXPECT_EQ(zero["b"].get<double>(), logit("box", {}));
  for (const std::size_t k : {3u, 12u}) {
    const nlohmann::json& cell = zero["cells"][k];
    const std::string head = std::to_string(cell["layer"].get<int>()) + "." + std::to_string(cell["head"].get<int>());
    EXPECT_EQ(cell["value"].get<double>(), logit("box", {"--ablate", head})) << head;
  }
  folder_.write("phrases.txt", "fox ink jam\n\ncat box\n");
  const nlohmann::json own = found({"mean"}), listed = found({"mean", "--mean-over", "phrases.txt"});
  EXPECT_NE(own["cells"], listed["cells"]);
  const Result text =
      with_b("sweep", {"--patch", "stages", "--metric", "kl", "--ablation", "mean", "--mean-over", "phrases.txt"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("B with the mean over 2 phrases in place of a part:"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("weights"), std::string::npos) << "they have no mean over positions";
}

TEST_F(SweepKinds, EstimatesStandBesideTheRuns) {
  const std::vector<std::string> asked = {"--against", "a.json", "--patch", "heads", "--metric", "logit:ink-box"};
  const auto with = [&](const std::string& option, std::vector<std::string> more = {}) {
    more.insert(more.begin(), asked.begin(), asked.end());
    if (!option.empty()) more.push_back(option);
    return more;
  };
  const nlohmann::json runs = json_of("sweep", with("")), beside = json_of("sweep", with("--estimate")),
                       alone = json_of("sweep", with("--estimate-only"));
  EXPECT_GT(beside["correlation"].get<double>(), 0.8);
  EXPECT_TRUE(alone["correlation"].is_null());
  for (std::size_t k = 0; k < runs["cells"].size(); ++k) {
    EXPECT_EQ(beside["cells"][k]["value"], runs["cells"][k]["value"]);
    EXPECT_EQ(beside["cells"][k]["estimate"], alone["cells"][k]["estimate"]);
    EXPECT_TRUE(alone["cells"][k]["value"].is_null());
  }
  const Result text = with_b("sweep", with("--estimate", {"--out", "cells.csv"}));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("B with numbers of A, estimated by gradient x difference:"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("correlation of estimates and runs (Pearson): 0."), std::string::npos) << text.out;
  std::ifstream lines(folder_ / "cells.csv");
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "layer,head,position,stage,value,estimate");
}

TEST_F(SweepKinds, PathsFindThePreviousTokenHead) {
  const std::vector<std::string> asked = {"--against", "other.json", "--patch", "paths", "--metric", "logit:box"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), asked.begin(), asked.end());
    return more;
  };
  const nlohmann::json into = json_of("sweep", with({"--into", "1:7"}));
  ASSERT_EQ(into["cells"].size(), 24u);
  const nlohmann::json* largest = nullptr;
  for (const nlohmann::json& cell : into["cells"]) {
    if (largest == nullptr || cell["value"].get<double>() < (*largest)["value"].get<double>()) largest = &cell;
  }
  EXPECT_EQ((*largest)["stage"], "key");
  EXPECT_EQ((*largest)["from"], (nlohmann::json{{"layer", 0}, {"head", 5}}));
  const nlohmann::json from = json_of("sweep", with({"--from", "0.5"}));
  EXPECT_EQ(from["cells"].size(), 24u);
  const Result text = with_b("sweep", with({"--into", "1:7"}));
  EXPECT_NE(text.out.find("largest change: layer 0, head 5, into key of layer 1, head 7: "), std::string::npos)
      << text.out;
}

TEST_F(SweepKinds, WhatCannotBeIsRefused) {
  const auto refused = [&](const std::vector<std::string>& more, const std::vector<std::string>& parts) {
    std::vector<std::string> words = {"--metric", "kl"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(with_b("sweep", words), 2, parts);
  };
  const std::vector<std::string> heads = {"--patch", "heads", "--against", "a.json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), heads.begin(), heads.end());
    return more;
  };
  refused(with({"--ablation", "zero"}), {"--against", "--ablation"});
  folder_.write("phrases.txt", "fox ink jam\n");
  refused(with({"--mean-over", "phrases.txt"}), {"--mean-over", "--ablation mean"});
  refused(with({"--from", "0:1"}), {"--from", "--patch paths"});
  refused(with({"--estimate"}), {"--estimate", "kl"});
  refused(with({"--estimate", "--estimate-only"}), {"--estimate-only", "--estimate beside it"});
  refused({"--patch", "paths", "--against", "a.json"}, {"--from", "--into"});
  refused({"--patch", "paths", "--from", "1", "--ablation", "zero"}, {"--from", "LAYER:HEAD"});
  refused({"--patch", "paths", "--from", "0:9", "--ablation", "zero"}, {"--from", "8 heads"});
}

}  // namespace
}  // namespace headscope
