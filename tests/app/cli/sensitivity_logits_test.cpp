// `sensitivity --stage logits`: what tokens do to a logit, held against runs whose stream is set and against attribute.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/model/checkpoint.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kModel = {"--model", "demo:induction", "--phrase", "cat box ink fox cat"};

class SensitivityLogits : public CommandTest {
 protected:
  Result with_model(const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> words = {command};
    words.insert(words.end(), kModel.begin(), kModel.end());
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
  nlohmann::json json_of(const std::string& command, std::vector<std::string> more) {
    more.push_back("--json");
    const Result result = with_model(command, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  nlohmann::json logits(const std::string& method, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"--stage", "logits", "--at",   "-1",       "--token",
                                      "box,ink", "--by",   "tokens", "--method", method};
    words.insert(words.end(), more.begin(), more.end());
    return json_of("sensitivity", words);
  }
  // The logit of box less that of ink at the last token, with a vector added to the stream of layer 0 at one position.
  double added(std::int64_t position, const Tensor& table, std::int64_t id, double factor) {
    const std::int64_t width = table.dim(1);
    std::vector<float> row(static_cast<std::size_t>(width));
    table.read({{id, id + 1}, {0, width}}, row);
    write_array("row", Shape{width}, row);
    return json_of("attribute",
                   {"--at", "-1", "--token", "box,ink", "--add",
                    "0/stream:" + std::to_string(position) + "=row.npy*" + std::to_string(factor)})["total"]
        .get<double>();
  }
};

TEST_F(SensitivityLogits, TheShapeIsThatOfTheContract) {
  const nlohmann::json own = json_of("attribute", {"--at", "4", "--token", "box,ink"});
  for (const char* method : {"gradient-input", "integrated", "occlusion"}) {
    const nlohmann::json found = logits(method);
    EXPECT_EQ(found["method"], method);
    EXPECT_EQ(found["value"], own["total"]);
    EXPECT_NEAR(found["total"].get<double>(), found["value"].get<double>() - found["baseline"].get<double>(), 1e-12);
    double sum = 0;
    ASSERT_EQ(found["tokens"].size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(found["tokens"][i]["position"], i);
      sum += found["tokens"][i]["value"].get<double>();
    }
    EXPECT_EQ(found["tokens"][3]["token"], "fox");
    EXPECT_NEAR(found["sum"].get<double>(), sum, 1e-12);
    EXPECT_NEAR(found["gap"].get<double>(), found["total"].get<double>() - sum, 1e-12);
    EXPECT_EQ(found.contains("steps"), method == std::string("integrated"));
  }
}

// This model reads its rows of embeddings with positions added to them, so that a row taken from the stream of layer 0
// is the row that is not there.
TEST_F(SensitivityLogits, IsWhatRunsWithAChangedStreamSay) {
  const auto checkpoint = Checkpoint::open("demo:induction");
  ASSERT_TRUE(checkpoint->embedding().norm.empty());
  const Tensor table = checkpoint->embedding().word;
  const nlohmann::json ids = nlohmann::json::parse(
      cli({"tokenize", "--model", "demo:induction", "--phrase", "cat box ink fox cat", "--json"}).out);
  const nlohmann::json gradient = logits("gradient-input"), occlusion = logits("occlusion");
  const double value = gradient["value"].get<double>();
  for (std::int64_t i = 0; i < 5; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto id = ids["ids"][at].get<std::int64_t>();
    EXPECT_NEAR(occlusion["tokens"][at]["value"].get<double>(), value - added(i, table, id, -1), 2e-4) << i;
    constexpr double kStep = 1.0 / 64;
    const double slope = (added(i, table, id, kStep) - added(i, table, id, -kStep)) / (2 * kStep);
    EXPECT_NEAR(gradient["tokens"][at]["value"].get<double>(), slope, 2e-2 * std::max(1.0, std::abs(slope))) << i;
  }
}

TEST_F(SensitivityLogits, ThePathSaysItsGap) {
  const nlohmann::json fine = logits("integrated"), coarse = logits("integrated", {"--steps", "8"});
  EXPECT_LE(std::abs(fine["gap"].get<double>()), 1e-3 * std::abs(fine["total"].get<double>()));
  EXPECT_EQ(coarse["steps"], 8);
  const Result text =
      with_model("sensitivity", {"--stage", "logits", "--at", "4", "--token", "box", "--method", "integrated"});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"logit of 'box' (6), at position 4 'cat'", "integrated gradients from zero embeddings",
                           "\nsum ", "\ntotal ", "\ngap "}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part << " in " << text.out;
  }
}

TEST_F(SensitivityLogits, WhatHasNoLogitsOrNoTokensIsRefused) {
  const std::vector<std::string> asked = {"--stage", "logits", "--at", "0", "--token", "box"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "sensitivity");
    words.insert(words.end(), asked.begin(), asked.end());
    return words;
  };
  expect_refused(cli(with({"--model", "seeded", "--phrase", "a b"})), 2, {"--stage", "one layer"});
  expect_refused(with_model("sensitivity", {"--stage", "logits", "--token", "box"}), 2, {"--at", "missing"});
  expect_refused(with_model("sensitivity", {"--stage", "logits", "--at", "0"}), 2, {"--token", "missing"});
  expect_refused(with_model("sensitivity", {"--stage", "logits", "--at", "5", "--token", "box"}), 2,
                 {"--at", "5 tokens"});
  expect_refused(with_model("sensitivity", {"--stage", "logits", "--at", "0", "--token", "nosuchword"}), 2,
                 {"--token"});
  expect_refused(with_model("sensitivity", {"--stage", "logits", "--at", "0", "--token", "box", "--method", "shap"}), 2,
                 {"--method", "integrated"});
  expect_refused(with_model("sensitivity", {"--stage", "logits", "--at", "0", "--token", "box", "--by", "heads"}), 2,
                 {"--by", "tokens"});
  expect_refused(with_model("sensitivity", {"--stage", "logits", "--at", "0", "--token", "box", "--steps", "9"}), 2,
                 {"--steps", "--method integrated"});
  expect_refused(with_model("sensitivity", {"--stage", "weights", "--at", "0,0,0,0", "--method", "occlusion"}), 2,
                 {"--method", "--stage logits"});
  expect_refused(
      with_model("sensitivity", {"--stage", "logits", "--at", "0", "--token", "box", "--set", "0/stream:1=0"}), 2,
      {"--method", "interventions"});
}

}  // namespace
}  // namespace headscope
