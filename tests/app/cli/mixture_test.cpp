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

TEST_F(Mixture, RouterExpertsAndTheirSumAreExplained) {
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"explain",     "--model", kModels + "mixtral", "--layer", "1",
                                      "--token-ids", "3,4,5"};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  };
  run_to("numbers", {"--model", kModels + "mixtral", "--layer", "1", "--token-ids", "3,4,5", "--export",
                     "router,experts,mlp_out"});
  const auto json = [&](const std::vector<std::string>& more) {
    const Result result = with(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  };
  const Tensor router = stage("numbers", "router"), experts = stage("numbers", "experts");
  const auto first = static_cast<std::int64_t>(experts.at({0, 2, 0}));
  const auto why = json({"--stage", "router", "--at", "0,2," + std::to_string(first), "--json"});
  EXPECT_EQ(static_cast<float>(why["value"].get<double>()), router.at({0, 2, first}));
  EXPECT_EQ(why["chosen"], true);
  EXPECT_EQ(why["rank"], 0);
  EXPECT_EQ(why["expert"], first);
  EXPECT_FALSE(why["choice"].empty());
  EXPECT_EQ(json({"--stage", "experts", "--at", "0,2,0", "--json"})["value"], first);
  const auto sum = json({"--stage", "mlp_out", "--at", "1,0,2,3", "--json"});
  const double added = sum["steps"].back()["value"].get<double>();
  EXPECT_TRUE(std::abs(added - static_cast<double>(stage("numbers", "mlp_out").at({1, 0, 2, 3}))) <= 1e-5) << added;
  const Result text = with({"--stage", "router", "--at", "0,2,0"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with("router[0, 2, 0] of layer 1 = ")) << text.out;
  EXPECT_NE(text.out.find("come before it; the first 2 are chosen"), std::string::npos) << text.out;
  expect_refused(with({"--stage", "router", "--at", "0,2,0", "--out", "x.svg"}), 2, {"--out", "router"});
  expect_refused(cli({"explain", "--phrase", "a b", "--stage", "experts", "--at", "0,0,0"}), 2,
                 {"--stage", "has no experts"});
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
