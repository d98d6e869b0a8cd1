// --groups, --hide-tokens, --renormalise, --weighting, --top-p: in exports, metrics and pictures.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/io/atomic_file.h"
#include "core/io/safetensors.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

const std::vector<std::string> kPhrase = {"--model", "demo:pronouns", "--phrase",
                                          "The animal didn't cross the street because it was too tired"};

class ShownWeights : public CommandTest {
 protected:
  Result run(std::vector<std::string> words, const std::vector<std::string>& more = {}) {
    words.insert(words.end(), kPhrase.begin(), kPhrase.end());
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  }
  // Exports these stages to `name`.
  void to(const std::string& name, const std::vector<std::string>& more,
          const std::string& stages = "weights,context") {
    const Result result = run({"run", "--export", stages, "--format", "npy", "--out", name}, more);
    ASSERT_EQ(result.code, 0) << result.err;
  }
};

std::string many_words(int count) {
  std::string words;
  for (int k = 0; k < count; ++k) words += (k == 0 ? "w" : " w") + std::to_string(k);
  return words;
}

std::vector<double> plain_rows(const Tensor& weights, std::int64_t first_column) {
  std::vector<double> expected;
  for (std::int64_t h = 0; h < weights.dim(1); ++h) {
    for (std::int64_t i = 0; i < weights.dim(2); ++i) {
      double sum = 0;
      for (std::int64_t j = first_column; j < weights.dim(3); ++j) sum += static_cast<double>(weights.at({0, h, i, j}));
      for (std::int64_t j = first_column; j < weights.dim(3); ++j) {
        expected.push_back(sum == 0 ? 0 : static_cast<double>(weights.at({0, h, i, j})) / sum);
      }
    }
  }
  return expected;
}

TEST_F(ShownWeights, TheTableAndAnExplanationSayWhatIsShownOtherwise) {
  const Result table = run({"run"}, {"--hide-tokens", "first", "--renormalise"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("softmax, as shown"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("note: weights are shown otherwise than computed: column of the first token hidden; rows "
                           "divided by their sums\n"),
            std::string::npos)
      << table.out;
  EXPECT_EQ(run({"run"}).out.find("as shown"), std::string::npos);
  const std::vector<std::string> cell = {"explain", "--stage", "weights", "--at", "0,0,2,1"};
  const Result plain = run(cell), shown = run(cell, {"--hide-tokens", "first", "--renormalise"});
  EXPECT_EQ(shown.out, plain.out) << "the number as computed";
  EXPECT_EQ(plain.err.find("as computed"), std::string::npos) << plain.err;
  EXPECT_NE(shown.err.find("explained is the number as computed"), std::string::npos) << shown.err;
}

TEST_F(ShownWeights, AnExportHasTheShownRowsAndColumnsAndTheirNames) {
  to("plain", {});
  to("shown", {"--hide-tokens", "first", "--renormalise"});
  const Tensor plain = stage("plain", "weights"), shown = stage("shown", "weights");
  ASSERT_EQ(shown.dim(3), plain.dim(3) - 1);
  const std::vector<double> expected = plain_rows(plain, 1);
  const std::vector<float> found = shown.values();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_TRUE(std::abs(static_cast<double>(found[k]) - expected[k]) <= 1e-6) << k;
  }
  EXPECT_EQ(stage("shown", "context").values(), stage("plain", "context").values()) << "made of the true weights";
  const auto json = manifest("shown");
  const auto& entry = json.at("stages").at("weights");
  EXPECT_EQ(entry.at("shown"), nlohmann::json::parse(R"({"hide_tokens":"first","renormalise":true})"));
  EXPECT_EQ(entry.at("tokens"), json.at("tokens"));
  EXPECT_EQ(entry.at("key_tokens").size(), json.at("key_tokens").size() - 1);
  EXPECT_EQ(entry.at("shape")[3], shown.dim(3));
  EXPECT_EQ(json.at("request").at("renormalise"), true);
  EXPECT_EQ(json.at("stages").at("context").count("shown"), 0u);
  EXPECT_EQ(manifest("plain").at("stages").at("weights").count("shown"), 0u);
}

TEST_F(ShownWeights, CsvHasTheNamesOfWords) {
  ASSERT_EQ(run({"run", "--export", "weights", "--out", "csv"}, {"--groups", "words", "--hide-tokens", "special"}).code,
            0);
  const std::string text = read_small_file(folder_ / "csv/weights.b0.h0.csv", 1 << 20);
  const auto json = manifest("csv");
  std::string header = "query\\key";
  for (const auto& name : json.at("stages").at("weights").at("key_tokens")) header += "," + name.get<std::string>();
  EXPECT_EQ(text.substr(0, text.find('\n')), header);
}

TEST_F(ShownWeights, ValueNormIsTheWeightTimesTheLengthOfTheValue) {
  to("plain", {}, "weights,value");
  to("shown", {"--weighting", "value-norm"});
  const Tensor weights = stage("plain", "weights"), value = stage("plain", "value"), shown = stage("shown", "weights");
  for (std::int64_t h = 0; h < weights.dim(1); ++h) {
    for (std::int64_t j = 0; j < weights.dim(3); ++j) {
      double sum = 0;
      const std::int64_t g = h / (weights.dim(1) / value.dim(1));
      for (std::int64_t d = 0; d < value.dim(3); ++d) sum += std::pow(static_cast<double>(value.at({0, g, j, d})), 2);
      for (std::int64_t i = 0; i < weights.dim(2); ++i) {
        const double expected = static_cast<double>(weights.at({0, h, i, j})) * std::sqrt(sum);
        EXPECT_TRUE(std::abs(static_cast<double>(shown.at({0, h, i, j})) - expected) <= 1e-5);
      }
    }
  }
}

TEST_F(ShownWeights, TopPLeavesOutTheSmallest) {
  to("plain", {});
  to("shown", {"--top-p", "0.5"});
  const Tensor plain = stage("plain", "weights"), shown = stage("shown", "weights");
  for (std::int64_t i = 0; i < plain.dim(2); ++i) {
    double kept = 0, mass = 0, least = 1, largest_left_out = 0;
    for (std::int64_t j = 0; j < plain.dim(3); ++j) {
      const double weight = static_cast<double>(plain.at({0, 0, i, j}));
      mass += weight;
      if (shown.at({0, 0, i, j}) != 0) {
        EXPECT_EQ(shown.at({0, 0, i, j}), plain.at({0, 0, i, j}));
        kept += weight;
        least = std::min(least, weight);
      } else {
        largest_left_out = std::max(largest_left_out, weight);
      }
    }
    EXPECT_TRUE(kept >= 0.5 * mass && kept - least < 0.5 * mass) << i;
    EXPECT_TRUE(largest_left_out <= least) << i;
  }
}

TEST_F(ShownWeights, MetricsAndSummariesAreOfWhatIsShown) {
  const auto of = [&](const std::vector<std::string>& more) {
    const Result result = run({"run", "--metrics", "--json"}, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out).at("metrics")[0];
  };
  const auto plain = of({}), shown = of({"--hide-tokens", "first"});
  EXPECT_TRUE(plain.at("first_token").get<double>() > 0);
  EXPECT_EQ(shown.at("first_token"), 0);
  EXPECT_EQ(shown.at("next_token"), plain.at("next_token"));
  const std::string words = run({"run", "--summary"}, {"--hide-tokens", "special", "--renormalise"}).out;
  EXPECT_EQ(words.find("[CLS] 0."), std::string::npos) << words;
  EXPECT_NE(run({"run", "--metrics"}).out, run({"run", "--metrics"}, {"--top-p", "0.3"}).out);
}

TEST_F(ShownWeights, EveryPictureOfWeightsShowsThem) {
  for (const char* view : {"heads", "head", "layers", "arcs", "text"}) {
    const Result plain = run({"render", "--view", view, "--out", "plain.svg"});
    ASSERT_EQ(plain.code, 0) << plain.err;
    const std::vector<std::string> more = {"--hide-tokens", "first", "--renormalise", "--weighting", "value-norm"};
    std::vector<std::string> words = {"render", "--view", view, "--out", "shown.svg"};
    const Result shown = run(words, more);
    ASSERT_EQ(shown.code, 0) << view << shown.err;
    const std::string svg = read_small_file(folder_ / "shown.svg", 1 << 24);
    EXPECT_NE(svg.find("lengths"), std::string::npos) << view << " says nothing of it";
    EXPECT_EQ(read_small_file(folder_ / "plain.svg", 1 << 24).find("lengths"), std::string::npos) << view;
  }
  for (const char* aggregate : {"mean", "max", "rollout"}) {
    EXPECT_EQ(run({"render", "--view", "layers", "--aggregate", aggregate, "--out", "all.png"},
                  {"--groups", "words", "--hide-tokens", "special", "--top-p", "0.9"})
                  .code,
              0)
        << aggregate;
  }
}

TEST_F(ShownWeights, APictureIsDrawnAgainFromItsRecipe) {
  ASSERT_EQ(run({"render", "--view", "heads", "--out", "a.png"}, {"--hide-tokens", "first", "--renormalise"}).code, 0);
  ASSERT_EQ(cli({"render", "--session", "a.png", "--out", "b.png"}).code, 0);
  EXPECT_EQ(read_small_file(folder_ / "a.png", 1 << 24), read_small_file(folder_ / "b.png", 1 << 24));
}

TEST_F(ShownWeights, APageHoldsThem) {
  ASSERT_EQ(run({"render", "--out", "page.html"}, {"--hide-tokens", "first"}).code, 0);
  const std::string page = read_small_file(folder_ / "page.html", 1 << 24);
  EXPECT_NE(page.find("Weights: column of the first token hidden"), std::string::npos);
}

TEST_F(ShownWeights, ExplainIsAboutTheComputedNumber) {
  const auto value = [&](const std::vector<std::string>& more) {
    const Result result = run({"explain", "--stage", "weights", "--at", "0,0,1,1", "--json"}, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out).at("value").get<double>();
  };
  EXPECT_EQ(value({}), value({"--hide-tokens", "first", "--renormalise"}));
}

TEST_F(ShownWeights, WhatIsAboutComputedWeightsRefuses) {
  ASSERT_EQ(run({"render", "--view", "heads", "--out", "a.png"}).code, 0);
  expect_refused(run({"compare", "--against", "a.png"}, {"--groups", "words"}), 2, {"--groups", "compare", "pieces"});
  expect_refused(run({"render", "--view", "difference", "--against", "a.png", "--out", "b.png"}, {"--top-p", "0.5"}), 2,
                 {"--top-p", "difference"});
  expect_refused(run({"run"}, {"--renormalise", "--renormalise"}), 2, {"--renormalise", "twice"});
  expect_refused(run({"run"}, {"--renormalise=off"}), 2, {"--renormalise"});
  const Tensor weights = Tensor::of({1, 1, 2, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key}, {1, 0, .5F, .5F});
  std::ofstream out(folder_ / "capture.safetensors", std::ios::binary);
  write_safetensors(out, {{"layers.0.weights", &weights}}, {{"tokens", R"(["a", "b"])"}});
  out.close();
  expect_refused(cli({"run", "--model", "capture.safetensors", "--weighting", "value-norm"}), 2,
                 {"--weighting", "no values"});
  EXPECT_EQ(cli({"run", "--model", "capture.safetensors", "--hide-tokens", "first", "--json"}).code, 0);
}

TEST_F(ShownWeights, LongTextsAreShownTileByTile) {
  const Result result = cli({"run",      "--phrase",      many_words(3000),
                             "--model",  "seeded",        "--d-model",
                             "8",        "--heads",       "2",
                             "--mask",   "causal",        "--stage-memory",
                             "0",        "--hide-tokens", "first",
                             "--top-p",  "0.9",           "--export",
                             "weights",  "--region",      "0,1,2500:2502,0:2999",
                             "--format", "npy",           "--out",
                             "long"});
  EXPECT_EQ(result.code, 0) << result.err;
}

}  // namespace
}  // namespace headscope
