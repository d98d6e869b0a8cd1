// --patch and --patch-from, and `sweep`: numbers of another run put into this one.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kB = {"--model", "demo:induction", "--phrase", "cat box ink fox jam cat"};

// What `run --predict` says of tokens; what is before it tells the time.
std::string predictions_in(const Result& result) {
  EXPECT_EQ(result.code, 0) << result.err;
  const std::size_t at = result.out.find("\nposition");
  return at == std::string::npos ? "" : result.out.substr(at);
}

class Patched : public CommandTest {
 protected:
  void SetUp() override {
    folder_.write("a.json", R"({"model": "demo:induction", "phrase": "cat ink box fox jam cat"})");
    folder_.write("short.json", R"({"model": "demo:induction", "phrase": "cat ink cat"})");
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

TEST_F(Patched, EveryCellIsARunWithThatPatch) {
  for (const char* patch : {"heads", "stages"}) {
    const nlohmann::json found =
        json_of("sweep", {"--against", "a.json", "--patch", patch, "--metric", "logit:ink-box"});
    EXPECT_EQ(found.size(), 4u);
    EXPECT_EQ(found["metric"], "logit:ink-box");
    EXPECT_EQ(found["b"].get<double>(), logit("ink,box", {}));
    EXPECT_GT(found["a"].get<double>(), 0);
    EXPECT_LT(found["b"].get<double>(), 0);
    const bool heads = patch == std::string("heads");
    EXPECT_EQ(found["cells"].size(), heads ? 16u : 12u);
    for (std::size_t k = 0; k < found["cells"].size(); k += 5) {
      const nlohmann::json& cell = found["cells"][k];
      EXPECT_EQ(cell.size(), 5u);
      EXPECT_TRUE(cell["position"].is_null());
      EXPECT_EQ(cell["head"].is_null(), !heads);
      std::string term = std::to_string(cell["layer"].get<int>()) + "/" + cell["stage"].get<std::string>();
      if (heads) term += ":" + std::to_string(cell["head"].get<int>());
      EXPECT_EQ(cell["value"].get<double>(), logit("ink,box", {"--patch", term + "@A", "--patch-from", "a.json"}))
          << term;
    }
  }
}

// Numbers of tables: a sweep of tiny changes, one of large ones, and the sums of gradients.
TEST_F(Patched, AllCellsOfATableHaveTheSameDecimals) {
  const std::vector<std::vector<std::string>> asked = {
      {"sweep", "--against", "a.json", "--patch", "heads", "--metric", "logit:ink-box"},
      {"sweep", "--against", "a.json", "--patch", "positions", "--metric", "kl"},
      {"gradients", "--metric", "logit:ink-box"}};
  for (const std::vector<std::string>& words : asked) {
    const Result result = with_b(words.front(), {words.begin() + 1, words.end()});
    ASSERT_EQ(result.code, 0) << result.err;
    std::set<std::size_t> decimals;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      const bool of_heads = line.starts_with("layer 0  ") || line.starts_with("layer 1  ");
      const bool of_positions = !line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0;
      if (!of_heads && !of_positions) continue;
      std::istringstream row(line.substr(of_heads ? 7 : std::min(line.find("  "), line.size())));
      for (std::string number; row >> number;) {
        ASSERT_EQ(number.find_first_not_of("-.0123456789"), std::string::npos) << line;
        decimals.insert(number.size() - 1 - number.find('.'));
      }
    }
    EXPECT_EQ(decimals.size(), 1u) << result.out;
  }
}

TEST_F(Patched, PositionsPatchTheStreamAndLossIsThatOfPredict) {
  const nlohmann::json found = json_of("sweep", {"--against", "a.json", "--patch", "positions", "--metric", "loss"});
  EXPECT_EQ(found["b"].get<double>(), json_of("run", {"--predict", "1"})["predictions"]["mean_loss"].get<double>());
  ASSERT_EQ(found["cells"].size(), 12u);
  for (const std::size_t k : {1u, 8u}) {
    const nlohmann::json& cell = found["cells"][k];
    EXPECT_EQ(cell["stage"], "stream");
    EXPECT_TRUE(cell["head"].is_null());
    const std::string term =
        std::to_string(cell["layer"].get<int>()) + "/stream:" + std::to_string(cell["position"].get<int>()) + "@A";
    const nlohmann::json run = json_of("run", {"--predict", "1", "--patch", term, "--patch-from", "a.json"});
    EXPECT_EQ(cell["value"].get<double>(), run["predictions"]["mean_loss"].get<double>()) << term;
  }
}

TEST_F(Patched, NoiseIsTheSweepOfTheOtherRun) {
  folder_.write("b.json", R"({"model": "demo:induction", "phrase": "cat box ink fox jam cat"})");
  const std::vector<std::string> rest = {"--patch", "heads", "--metric", "prob:ink", "--json"};
  std::vector<std::string> noise = {"sweep", "--session", "b.json", "--against", "a.json", "--direction", "noise"},
                           denoise = {"sweep", "--session", "a.json", "--against", "b.json"};
  noise.insert(noise.end(), rest.begin(), rest.end());
  denoise.insert(denoise.end(), rest.begin(), rest.end());
  const auto one = nlohmann::json::parse(cli(noise).out), other = nlohmann::json::parse(cli(denoise).out);
  EXPECT_EQ(one["cells"], other["cells"]);
  EXPECT_EQ(one["a"], other["b"]);
  EXPECT_EQ(one["b"], other["a"]);
}

TEST_F(Patched, ANumberOfAStageIsMeasured) {
  const nlohmann::json found =
      json_of("sweep", {"--against", "a.json", "--patch", "heads", "--metric", "cell:1/weights:0,7,5,1"});
  const auto weight = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"--layer", "1", "--stage", "weights", "--at", "0,7,5,1"};
    words.insert(words.end(), more.begin(), more.end());
    return json_of("explain", words)["value"].get<double>();
  };
  EXPECT_EQ(found["b"].get<double>(), weight({}));
  for (const nlohmann::json& cell : found["cells"]) {
    const std::string patch = cell["layer"].dump() + "/context:" + cell["head"].dump() + "@A";
    EXPECT_EQ(cell["value"].get<double>(), weight({"--patch", patch, "--patch-from", "a.json"})) << patch;
  }
  const Result text = with_b("sweep", {"--against", "a.json", "--patch", "heads", "--metric", "cell:weights:0,3,5,1"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("cell 1/weights:0,3,5,1\n"), std::string::npos) << text.out.substr(0, 200);
  for (const char* metric : {"cell:1/weights:0,7,6,1", "cell:2/weights:0,7,5,1", "cell:1/weights:7,5,1", "cell:"}) {
    EXPECT_EQ(with_b("sweep", {"--against", "a.json", "--patch", "heads", "--metric", metric}).code, 2) << metric;
  }
  const Result estimate =
      with_b("sweep", {"--against", "a.json", "--patch", "heads", "--estimate", "--metric", "cell:1/weights:0,7,5,1"});
  EXPECT_EQ(estimate.code, 2);
  EXPECT_NE(estimate.err.find("slopes"), std::string::npos);
  EXPECT_EQ(with_b("gradients", {"--metric", "cell:1/weights:0,7,5,1"}).code, 2);
}

TEST_F(Patched, TheTableAndTheFileSayTheSame) {
  const Result result =
      with_b("sweep", {"--against", "a.json", "--patch", "heads", "--metric", "logit:ink-box", "--out", "cells.csv"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(
      result.out.rfind("logit of 'ink' (28) less that of 'box' (6), at position 5 'cat'\nA, the run of --against:", 0),
      0u)
      << result.out;
  EXPECT_NE(result.out.find("B with numbers of A:"), std::string::npos);
  EXPECT_NE(result.out.find("\nlayer 1 "), std::string::npos);
  EXPECT_NE(result.out.find("largest change: layer "), std::string::npos) << result.out;
  std::ifstream lines(folder_ / "cells.csv");
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "layer,head,position,stage,value");
  const auto cells =
      json_of("sweep", {"--against", "a.json", "--patch", "heads", "--metric", "logit:ink-box"})["cells"];
  for (const nlohmann::json& cell : cells) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(
        line.rfind(
            std::to_string(cell["layer"].get<int>()) + "," + std::to_string(cell["head"].get<int>()) + ",,context,", 0),
        0u)
        << line;
    EXPECT_EQ(std::stod(line.substr(line.rfind(',') + 1)), cell["value"].get<double>()) << line;
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(Patched, DivergenceFromTheRunItselfIsNone) {
  const nlohmann::json found = json_of("sweep", {"--against", "a.json", "--patch", "stages", "--metric", "kl"});
  EXPECT_EQ(found["b"], 0.0);
  EXPECT_GT(found["a"].get<double>(), 0);
  for (const nlohmann::json& cell : found["cells"]) EXPECT_GE(cell["value"].get<double>(), -1e-9);
}

TEST_F(Patched, AManifestAndAPictureAreSessionsToo) {
  ASSERT_EQ(cli({"run", "--session", "a.json", "--out", "a"}).code, 0);
  ASSERT_EQ(cli({"render", "--session", "a.json", "--view", "heads", "--out", "a.png"}).code, 0);
  const std::vector<std::string> rest = {"--patch", "1/context:1@A", "--predict", "3", "--patch-from"};
  std::vector<std::string> outputs;
  for (const char* session : {"a.json", "a/manifest.json", "a.png"}) {
    std::vector<std::string> words = rest;
    words.push_back(session);
    const Result result = with_b("run", words);
    outputs.push_back(predictions_in(result));
  }
  EXPECT_EQ(outputs[1], outputs[0]);
  EXPECT_EQ(outputs[2], outputs[0]);
  EXPECT_NE(outputs[0], predictions_in(with_b("run", {"--predict", "3"})));
}

TEST_F(Patched, ASessionHoldsPatchesAndNoneClearsThem) {
  ASSERT_EQ(
      with_b("run", {"--patch", "1/context:1@A;off:0/stream@A", "--patch-from", "a.json", "--out", "patched"}).code, 0);
  const auto request = manifest("patched")["request"];
  EXPECT_EQ(request["patch"], "1/context:1@A;off:0/stream@A");
  EXPECT_EQ(request["patch_from"], nlohmann::json::parse(bytes_of(folder_ / "a.json")));
  const auto predicted = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", "--session", "patched/manifest.json", "--predict", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return predictions_in(cli(words));
  };
  EXPECT_EQ(predicted({}),
            predictions_in(with_b("run", {"--predict", "2", "--patch", "1/context:1@A", "--patch-from", "a.json"})));
  EXPECT_EQ(predicted({"--patch", "none"}), predictions_in(with_b("run", {"--predict", "2"})));
  EXPECT_EQ(predicted({"--patch", "off:1/context:1@A"}), predictions_in(with_b("run", {"--predict", "2"})));
}

TEST_F(Patched, WhatHasNoPartnerIsSaid) {
  const Result result = with_b("run", {"--patch", "context@A", "--patch-from", "short.json"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(
      result.err,
      "headscope-cli: notice: patch: positions without a partner in A keep their own numbers: 1 'box', 2 'ink', 3 "
      "'fox', 4 'jam'\n");
  const Result swept =
      with_b("sweep", {"--against", "short.json", "--patch", "positions", "--metric", "kl", "--at", "2"});
  EXPECT_EQ(swept.code, 0) << swept.err;
  EXPECT_NE(swept.out.find("A, the run of --against: none (the position has no partner there)"), std::string::npos);
  EXPECT_NE(swept.err.find("1 'box'"), std::string::npos);
}

TEST_F(Patched, ThreadsChangeNoBit) {
  const std::vector<std::string> words = {"--against", "a.json",    "--patch", "stages",
                                          "--metric",  "logit:ink", "--json"};
  const std::string one = with_b("sweep", words).out;
  for (const char* threads : {"1", "2", "8"}) {
    std::vector<std::string> more = words;
    more.insert(more.end(), {"--threads", threads});
    EXPECT_EQ(with_b("sweep", more).out, one);
  }
}

TEST_F(Patched, ExplainAndScriptKnowWhatIsPatched) {
  const Result why =
      with_b("explain", {"--stage", "context", "--at", "0,1,5,0", "--patch", "context:1@A", "--patch-from", "a.json"});
  EXPECT_EQ(why.code, 0) << why.err;
  EXPECT_NE(why.out.find("by --patch, of A"), std::string::npos) << why.out;
  const Result script = with_b("script", {"--as", "numpy", "--patch", "context:1@A", "--patch-from", "a.json"});
  EXPECT_EQ(script.code, 0) << script.err;
  EXPECT_NE(script.out.find("context[taken] = data[\"context_of_a\"][taken]"), std::string::npos) << script.out;
  expect_refused(
      with_b("attribute", {"--at", "5", "--token", "ink", "--patch", "1/stream@A", "--patch-from", "a.json"}), 2,
      {"--patch", "stream of layer 1"});
}

TEST_F(Patched, WhatCannotBeIsRefused) {
  folder_.write("layer.json", R"({"phrase": "a b", "model": "seeded", "heads": 4})");
  folder_.write("patched.json",
                R"({"model": "demo:induction", "phrase": "cat ink", "patch": "context@A", "patch_from": "a.json"})");
  const auto refused = [&](const std::vector<std::string>& words, int code, const std::vector<std::string>& parts) {
    expect_refused(with_b("run", words), code, parts);
  };
  refused({"--patch", "context@A"}, 2, {"--patch", "--patch-from SESSION"});
  refused({"--patch", "contxt@A", "--patch-from", "a.json"}, 2, {"--patch", "contxt@A"});
  refused({"--patch", "2/context@A", "--patch-from", "a.json"}, 2, {"--patch", "there is no layer 2"});
  refused({"--patch", "context:8@A", "--patch-from", "a.json"}, 2, {"--patch", "context has no head 8"});
  refused({"--patch", "context:1,6@A", "--patch-from", "a.json"}, 2, {"--patch", "no position 6"});
  refused({"--patch", "context@A", "--patch-from", "nowhere.json"}, 3, {"nowhere.json"});
  refused({"--patch", "context@A", "--patch-from", "patched.json"}, 2, {"--patch-from", "patched itself"});
  refused({"--patch", "context@A", "--patch-from", "layer.json"}, 2, {"--patch"});
  refused({"--patch", "0/stream@A", "--patch-from", "layer.json"}, 2, {"--patch"});
  const std::vector<std::string> good = {"--against", "a.json", "--patch", "heads", "--metric", "kl"};
  const auto sweep_refused = [&](const std::string& option, const std::string& value,
                                 const std::vector<std::string>& parts) {
    std::vector<std::string> words = good;
    const auto at = std::find(words.begin(), words.end(), option);
    if (at != words.end()) {
      *(at + 1) = value;
    } else {
      words.insert(words.end(), {option, value});
    }
    expect_refused(with_b("sweep", words), 2, parts);
  };
  sweep_refused("--metric", "logit:notaword", {"--metric", "notaword"});
  sweep_refused("--metric", "prob", {"--metric", "logit:A"});
  sweep_refused("--patch", "layers", {"--patch", "heads"});
  sweep_refused("--at", "6", {"--at", "0 to 5"});
  sweep_refused("--out", "cells.json", {"--out", "FILE.csv"});
  sweep_refused("--against", "layer.json", {"--model", "whole model"});
  sweep_refused("--against", "patched.json", {"--patch", "found patches"});
  expect_refused(with_b("sweep", {"--patch", "heads", "--metric", "kl"}), 2, {"--against", "missing"});
  expect_refused(with_b("sweep", {"--against", "a.json", "--metric", "kl"}), 2, {"--patch", "missing"});
  expect_refused(with_b("sweep", {"--against", "a.json", "--patch", "heads"}), 2, {"--metric", "missing"});
}

}  // namespace
}  // namespace headscope
