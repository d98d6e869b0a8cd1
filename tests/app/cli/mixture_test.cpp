// Mixtures of experts and learned sinks, as a user runs them.
#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::string kModels = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/";

class Mixture : public CommandTest {
 protected:
  std::string text_of(const std::string& name) const {
    std::ifstream in(folder_ / name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
};

TEST_F(Mixture, RouterAndExpertsAreExportedBesideStages) {
  const std::vector<std::string> model = {"run",     "--model", kModels + "mixtral", "--token-ids", "3,4,5",
                                          "--layer", "1"};
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = model;
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  };
  Result result = with({"--export", "router,weights,experts", "--format", "npy", "--out", "t"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Tensor router = stage("t", "router"), experts = stage("t", "experts");
  EXPECT_EQ(router.shape(), (Shape{1, 3, 5}));
  EXPECT_EQ(experts.shape(), (Shape{1, 3, 2}));
  EXPECT_FALSE(text_of("t/weights.npy").empty());
  for (std::int64_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::int64_t e = 0; e < 5; ++e) sum += router.at({0, i, e});
    EXPECT_TRUE(std::abs(sum - 1) <= 1e-6);
    const auto first = static_cast<std::int64_t>(experts.at({0, i, 0}));
    for (std::int64_t e = 0; e < 5; ++e) EXPECT_LE(router.at({0, i, e}), router.at({0, i, first}));
  }
  result = with({"--export", "experts", "--out", "alone"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(text_of("alone/experts.b0.csv").starts_with("token\\choice,0,1\n3,"));
  EXPECT_TRUE(text_of("alone/weights.b0.h0.csv").empty());
  EXPECT_FALSE(text_of("alone/manifest.json").empty());
}

TEST_F(Mixture, WhatHasNoExpertsIsRefusedAndNothingIsWritten) {
  expect_refused(cli({"run", "--phrase", "a b", "--export", "router", "--out", "t"}), 2,
                 {"--export", "has no experts"});
  expect_refused(cli({"run", "--phrase", "a b", "--model", "seeded", "--export", "experts", "--out", "t"}), 2,
                 {"--export", "no such model"});
  expect_refused(cli({"run", "--model", kModels + "qwen3_moe-dense", "--token-ids", "1,2", "--layer", "1", "--export",
                      "router", "--out", "t"}),
                 2, {"--layer", "layer 1", "such as 0"});
  expect_refused(cli({"run", "--model", kModels + "mixtral", "--token-ids", "1,2", "--export", "router", "--region",
                      "0,0,:,:", "--out", "t"}),
                 2, {"--region"});
  EXPECT_TRUE(text_of("t/manifest.json").empty());
}

TEST_F(Mixture, SinkWeightsAreATableOfHeadsAndQueries) {
  const std::vector<std::string> run = {"run", "--model",  kModels + "gpt_oss", "--token-ids", "3,4", "--layer",
                                        "0",   "--export", "sink_weights",      "--out",       "t"};
  ASSERT_EQ(cli(run).code, 0);
  EXPECT_TRUE(text_of("t/sink_weights.b0.csv").starts_with("head\\query,3,4\n0,"));
  std::vector<std::string> as_long = run;
  as_long.insert(as_long.end(), {"--csv", "long"});
  ASSERT_EQ(cli(as_long).code, 0);
  EXPECT_TRUE(text_of("t/sink_weights.csv").starts_with("batch,head,query,query_token,value\n0,0,0,3,"));
}

TEST_F(Mixture, InfoSaysHowManyExpertsThereAre) {
  const Result result = cli({"info", kModels + "qwen3_moe-dense", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["experts"], 7);
  EXPECT_EQ(json["experts_per_token"], 3);
  EXPECT_EQ(json["expert_layers"], 2);
  EXPECT_EQ(json["sinks"], false);
}

}  // namespace
}  // namespace headscope
