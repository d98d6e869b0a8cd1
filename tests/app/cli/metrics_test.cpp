// `run --metrics` and `render --view layers`.
#include <algorithm>
#include <cmath>

#include "core/heads/head_metric_kind.h"
#include "core/io/atomic_file.h"
#include "core/io/png.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kRequest = {"--phrase", "a b a b a", "--model", "seeded", "--d-model",
                                           "16",       "--heads",   "4",       "--mask", "causal"};

std::vector<std::string> words_of(std::vector<std::string> first, const std::vector<std::string>& more = {}) {
  first.insert(first.end(), kRequest.begin(), kRequest.end());
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

class Metrics : public CommandTest {};

TEST_F(Metrics, ATableHasALineForEveryHead) {
  const Result result = cli(words_of({"run", "--metrics"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 5);
  for (const HeadMetric metric : all_head_metrics()) {
    EXPECT_NE(result.out.find(metric_key(metric)), std::string::npos) << metric_key(metric);
  }
}

TEST_F(Metrics, TheManifestListsThem) {
  const Result result = cli(words_of({"run", "--metrics", "--json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto manifest = nlohmann::json::parse(result.out);
  ASSERT_EQ(manifest.at("metrics").size(), 4u);
  for (std::size_t h = 0; h < 4; ++h) {
    const auto& row = manifest.at("metrics")[h];
    EXPECT_EQ(row.at("layer"), 0);
    EXPECT_EQ(row.at("head"), h);
    EXPECT_TRUE(row.at("entropy").get<double>() > 0);
    EXPECT_TRUE(row.at("induction").get<double>() >= 0);
    EXPECT_EQ(row.at("special_tokens"), "nan") << "there are none";
  }
  EXPECT_EQ(nlohmann::json::parse(cli(words_of({"run", "--json"})).out).count("metrics"), 0u);
}

TEST_F(Metrics, TheExportedManifestTooListsThem) {
  ASSERT_EQ(cli(words_of({"run", "--metrics", "--out", "there", "--export", "weights"})).code, 0);
  const auto manifest = nlohmann::json::parse(read_small_file(folder_ / "there/manifest.json", 1 << 20));
  EXPECT_EQ(manifest.at("metrics").size(), 4u);
}

TEST_F(Metrics, ASummaryIsALineForEveryHeadAndRow) {
  const Result result = cli(words_of({"run", "--summary"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1 + 4 * (1 + 5)) << "the model, then every head";
  EXPECT_NE(result.out.find("\n  a (0) attends to a (0) 1.00, the only key it sees\n"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("mean entropy"), std::string::npos);
  for (const std::string other : {"--json", "--metrics"}) {
    expect_refused(cli(words_of({"run", "--summary", other})), 2, {"--summary", other});
  }
  expect_refused(cli(words_of({"run", "--summary", "--trace", "torch"})), 2, {"--trace", "--summary"});
}

TEST_F(Metrics, AreNotATorchTrace) {
  expect_refused(cli(words_of({"run", "--metrics", "--trace", "torch"})), 2, {"--trace", "--metrics"});
}

TEST_F(Metrics, LayersAndAggregatesArePictures) {
  const auto drawn = [&](const std::vector<std::string>& more, const std::string& name) {
    std::vector<std::string> words = words_of({"render"}, more);
    words.insert(words.end(), {"--out", name});
    const Result result = cli(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.code == 0 ? read_png(folder_ / name) : Image();
  };
  const Image grid = drawn({"--view", "layers"}, "grid.png");
  const Image mean = drawn({"--view", "layers", "--aggregate", "mean"}, "mean.png");
  EXPECT_NE(mean.pixels, grid.pixels);
  EXPECT_NE(drawn({"--aggregate", "rollout"}, "rollout.png").pixels, mean.pixels);
  EXPECT_EQ(drawn({"--view", "layers", "--aggregate", "none"}, "none.png").pixels, grid.pixels);
  const Result again = cli({"render", "--session", "mean.png", "--out", "again.png"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_png(folder_ / "again.png").pixels, mean.pixels);
  std::vector<std::string> svg = words_of({"render", "--view", "layers", "--out", "grid.svg"});
  ASSERT_EQ(cli(svg).code, 0);
  EXPECT_NE(read_small_file(folder_ / "grid.svg", 1 << 22).find("<svg"), std::string::npos);
}

TEST_F(Metrics, AnUnknownAggregateIsRefused) {
  expect_refused(cli(words_of({"render", "--out", "x.png", "--aggregate", "sum"})), 2,
                 {"--aggregate", "sum", "rollout"});
}

TEST_F(Metrics, RolloutNeedsTheSameTokensOnBothSides) {
  expect_refused(cli(words_of({"render", "--out", "x.png", "--aggregate", "rollout", "--key-phrase", "x y"})), 2,
                 {"--aggregate", "rollout"});
}

}  // namespace
}  // namespace headscope
