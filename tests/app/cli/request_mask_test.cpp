// The options of REQUEST that hide keys, by what they change in the numbers.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/app/cli/request_options.h"

namespace headscope {
namespace {

TEST_F(RequestOptions, MasksHideWhatTheySay) {
  run_to("causal", small_with({"--mask", "causal"}));
  run_to("padding", small_with({"--mask", "padding:1"}));
  run_to("window", small_with({"--mask", "window:1"}));
  run_to("prefix", small_with({"--mask", "prefix:2"}));
  run_to("both", small_with({"--mask", "causal,padding:1"}));
  run_to("none", small_with({"--mask", "none"}));
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(at4(stage("causal", "weights"), 0, 1, i, j) == 0, j > i);
      EXPECT_EQ(at4(stage("padding", "weights"), 0, 1, i, j) == 0, j == 3);
      EXPECT_EQ(at4(stage("window", "weights"), 0, 1, i, j) == 0, std::abs(i - j) > 1);
      EXPECT_EQ(at4(stage("prefix", "weights"), 0, 1, i, j) == 0, j > i && j >= 2);
      EXPECT_EQ(at4(stage("both", "weights"), 0, 1, i, j) == 0, j > i || j == 3);
      EXPECT_GT(at4(stage("none", "weights"), 0, 1, i, j), 0);
    }
  }
  expect_refused(cli({"run", "--phrase", "a", "--mask", "casual"}), 2, {"--mask", "casual"});
  expect_refused(cli({"run", "--phrase", "a", "--mask", "padding:-1"}), 2, {"--mask"});
}

TEST_F(RequestOptions, MaskFilesAndTheirKinds) {
  const std::string keep = write_array("keep", {2, 2}, {1, 0, 1, 1});
  folder_.write("mask.csv", "0,-inf\n0,0\n");
  run_to("keep", {"--model", "seeded", "--phrase", "a b", "--mask", keep, "--mask-kind", "keep"});
  run_to("hide", {"--model", "seeded", "--phrase", "a b", "--mask", keep, "--mask-kind", "hide"});
  run_to("csv", {"--model", "seeded", "--phrase", "a b", "--mask", "mask.csv", "--mask-kind", "additive"});
  run_to("added", {"--model", "seeded", "--phrase", "a b", "--mask", keep});
  EXPECT_EQ(at4(stage("keep", "weights"), 0, 0, 0, 1), 0);
  EXPECT_GT(at4(stage("keep", "weights"), 0, 0, 1, 0), 0);
  EXPECT_EQ(at4(stage("hide", "weights"), 0, 0, 0, 0), 0);
  EXPECT_TRUE(largest_difference(stage("csv", "weights"), stage("keep", "weights")) == 0);
  EXPECT_FLOAT_EQ(at4(stage("added", "masked_scores"), 0, 0, 0, 0), at4(stage("added", "scores"), 0, 0, 0, 0) + 1);
  expect_refused(cli({"run", "--phrase", "a b c", "--mask", "mask.csv"}), 2, {"mask"});
  expect_refused(cli({"run", "--phrase", "a b", "--mask", "missing.npy"}), 3, {"missing.npy"});
  folder_.write("words.csv", "0,zero\n0,0\n");
  expect_refused(cli({"run", "--phrase", "a b", "--mask", "words.csv"}), 3, {"words.csv"});
}

TEST_F(RequestOptions, WhatCouldBeReadOtherwiseSaysHowItWasRead) {
  const std::string q = write_array("q", {2, 1, 2, 2}, std::vector<float>(8, 0.5F));
  const std::string long_k = write_array("k", {2, 1, 6, 2}, std::vector<float>(24, 0.5F));
  const std::string ones = write_array("ones", {1, 6}, {1, 1, 0, 0, 1, 1});
  const Result added = cli({"run", "--query", q, "--key", long_k, "--value", long_k, "--mask", ones, "--json"});
  EXPECT_NE(added.err.find("notice: ones.npy holds only 0 and 1"), std::string::npos) << added.err;
  EXPECT_EQ(nlohmann::json::parse(added.out).at("notices").size(), 1U) << added.out;
  const std::string four = write_array("four", {2, 2}, {0, 0, 0, -5});
  const Result axes = cli({"run", "--query", q, "--key", q, "--value", q, "--mask", four});
  EXPECT_NE(axes.err.find("four.npy is [2, 2], read as [query_len, key_len]"), std::string::npos) << axes.err;
  const std::string padding = write_array("padding", {2, 6}, std::vector<float>(12, 0.0F));
  const std::string three = write_array("three", {2, 1, 3, 2}, std::vector<float>(12, 0.5F));
  expect_refused(cli({"run", "--query", three, "--key", long_k, "--value", long_k, "--mask", padding}), 2,
                 {"key_padding_mask", "or as [2, 1, 1, 6]"});
  const Result causal = cli({"run", "--query", q, "--key", long_k, "--value", long_k, "--mask", "causal"});
  EXPECT_NE(causal.err.find("--causal-align bottom-right sets the last query"), std::string::npos) << causal.err;
}

// Scores near -1e6 with a fill of -1e5 above them: the hidden keys take all of the weight of every row but the last.
TEST_F(RequestOptions, AFillAboveTheScoresIsSaidWhereverWeightsAreShown) {
  const Shape shape{1, 1, 4, 2};
  const std::string q = write_array("q", shape, std::vector<float>(8, 1000));
  const std::string k = write_array("k", shape, std::vector<float>(8, -1000));
  const std::vector<std::string> request = {
      "--query", q, "--key", k, "--value", k, "--mask", "causal", "--mask-fill=-100000"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), request.begin(), request.end());
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  };
  const std::string sentence =
      "hidden cells hold 1.00 of the weight of rows 0 to 2: the fill -1e5 is not below the scores";
  const Result summary = with({"run"}, {"--summary"});
  EXPECT_EQ(summary.code, 0) << summary.err;
  EXPECT_NE(summary.err.find("headscope-cli: notice: " + sentence), std::string::npos) << summary.err;
  EXPECT_NE(summary.out.find("hidden keys hold 1.00 of it"), std::string::npos) << summary.out;
  EXPECT_EQ(summary.out.find("the only key it sees"), std::string::npos) << summary.out;
  const Result json = with({"run"}, {"--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("notices"), nlohmann::json({sentence}));
  const Result picture = with({"render"}, {"--view", "head", "--cell", "60", "--out", "head.svg"});
  EXPECT_EQ(picture.code, 0) << picture.err;
  EXPECT_NE(picture.err.find(sentence), std::string::npos) << picture.err;
  std::ostringstream read;
  read << std::ifstream(folder_ / "head.svg").rdbuf();
  const std::string svg = read.str();
  EXPECT_NE(svg.find("Hidden"), std::string::npos) << "the sentence, which is broken into lines";
  EXPECT_NE(svg.find("fill=\"#ffffff\" stroke=\"none\""), std::string::npos) << "a corner";
  EXPECT_NE(svg.find(">.33<"), std::string::npos) << "the numbers of hidden cells stand in them";
  EXPECT_EQ(svg.find("url(#hatch)"), std::string::npos);
}

TEST_F(RequestOptions, CausalAlignMovesTheDiagonal) {
  const std::vector<std::string> cross = {"--phrase", "a b", "--key-phrase", "u v w x", "--mask", "causal"};
  run_to("top", cross);
  std::vector<std::string> bottom = cross;
  bottom.insert(bottom.end(), {"--causal-align", "bottom-right"});
  run_to("bottom", bottom);
  EXPECT_EQ(at4(stage("top", "weights"), 0, 0, 0, 1), 0);
  EXPECT_GT(at4(stage("bottom", "weights"), 0, 0, 0, 2), 0);
  EXPECT_EQ(at4(stage("bottom", "weights"), 0, 0, 0, 3), 0);
  EXPECT_EQ(manifest("top")["key_tokens"], (std::vector<std::string>{"u", "v", "w", "x"}));
}

TEST_F(RequestOptions, MaskOrderAndFill) {
  run_to("tutorial4", small_with({"--mask", "causal", "--mask-order", "before-scale", "--mask-fill", "-1e20"}));
  const Tensor masked = stage("tutorial4", "masked_scores");
  EXPECT_FLOAT_EQ(at4(masked, 0, 0, 0, 1), -1e20f / 2);
  run_to("after", small_with({"--mask", "causal", "--mask-fill", "-1e20"}));
  EXPECT_FLOAT_EQ(at4(stage("after", "masked_scores"), 0, 0, 0, 1), -1e20f);
  run_to("inf", small_with({"--mask", "causal", "--mask-fill", "-inf"}));
  EXPECT_TRUE(std::isinf(at4(stage("inf", "masked_scores"), 0, 0, 0, 1)));
}

TEST_F(RequestOptions, FullyMaskedRows) {
  run_to("nan", small_with({"--mask", "padding:4"}));
  run_to("zero", small_with({"--mask", "padding:4", "--fully-masked", "zero"}));
  run_to("uniform", small_with({"--mask", "padding:4", "--fully-masked", "uniform"}));
  EXPECT_TRUE(std::isnan(at4(stage("nan", "weights"), 0, 0, 0, 0)));
  EXPECT_EQ(at4(stage("zero", "weights"), 0, 0, 0, 0), 0);
  EXPECT_FLOAT_EQ(at4(stage("uniform", "weights"), 0, 0, 0, 0), 0.25f);
  EXPECT_EQ(manifest("nan")["fully_masked_rows"], 16);
  const Result table = cli({"run", "--phrase", "a b", "--mask", "padding:2"});
  EXPECT_NE(table.out.find("every key hidden"), std::string::npos) << table.out;
}

}  // namespace
}  // namespace headscope
