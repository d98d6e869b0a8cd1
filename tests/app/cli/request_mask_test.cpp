// The options of REQUEST that hide keys, by what they change in the numbers.
#include <cmath>
#include <cstdlib>

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
