// Tutorials 001 and 002: a causal mask on fused heads. See 001.md and 002.md.
#include <gtest/gtest.h>

#include <cmath>

#include "core/tensor/statistics.h"
#include "tests/golden/golden_run.h"

namespace headscope {
namespace {

using Tutorial001 = GoldenTest;
using Tutorial002 = GoldenTest;

// [n, n] matrices with every -inf replaced: what a causal mask will hide again.
Tensor finite(const Tensor& tensor) {
  std::vector<float> values = tensor.values();
  for (float& value : values) value = std::isinf(value) ? 0.5f : value;
  return Tensor::of(tensor.shape(), tensor.axes(), std::move(values));
}

Options causal(Options options) {
  options.emplace_back("mask", "causal");
  options.emplace_back("scale", "1");  // the scores given are scaled already
  return options;
}

TEST_F(Tutorial001, ACausalMaskLetsEveryWordSeeItselfAndWhatCameBefore) {
  const Options options = {{"model", "seeded"}, {"phrase", "Hola mi nombre es Alex"}, {"mask", "causal"}};
  for (const GoldenRun& run : run_everywhere(options)) {
    const Tensor weights = run.stage("weights");
    ASSERT_EQ(weights.shape(), (Shape{1, 8, 5, 5}));
    EXPECT_EQ(run.stage("concat").shape(), (Shape{1, 5, 512}));
    EXPECT_EQ(run.stage("output").shape(), (Shape{1, 5, 512}));
    for (std::int64_t h = 0; h < 8; ++h) {
      EXPECT_EQ(weights.at({0, h, 0, 0}), 1.0f);
      for (std::int64_t i = 0; i < 5; ++i) {
        double sum = 0;
        for (std::int64_t j = 0; j < 5; ++j) {
          EXPECT_EQ(weights.at({0, h, i, j}) > 0.0f, j <= i) << i << " sees " << j;
          sum += weights.at({0, h, i, j});
        }
        EXPECT_TRUE(std::abs(sum - 1) <= 1e-6) << run.label;
      }
    }
  }
}

TEST_F(Tutorial002, TheMaskHidesExactlyTheKeysAfterTheQuery) {
  const nlohmann::json& golden = seed_case("s002.mask_pattern");
  const Tensor zeros = Tensor::zeros({1, 5, 4, 4}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  for (const GoldenRun& run : run_everywhere(causal(exact_scores(zeros)))) {
    for (std::int64_t head = 0; head < 5; ++head) {
      EXPECT_TRUE(all_near(matrix_at(run.stage("masked_scores"), 0, head), flat_numbers(golden.at("expected")),
                           tolerance_of(golden)))
          << run.label;
    }
  }
}

TEST_F(Tutorial002, AttentionRowsOfTheFirstHeadAreAsPrinted) {
  const nlohmann::json& golden = seed_case("s002.softmax_head0");
  const Tensor masked = tensor_of(golden.at("inputs").at("masked_scaled"), 4);
  for (const GoldenRun& run : run_everywhere(causal(exact_scores(finite(masked))))) {
    EXPECT_EQ(run.stage("masked_scores").values(), masked.values()) << run.label;
    EXPECT_TRUE(all_near(run.stage("weights"), flat_numbers(golden.at("expected")), tolerance_of(golden))) << run.label;
    EXPECT_TRUE(all_near(run.stage("weights"), flat_numbers(golden.at("computed")), {1e-6, false})) << run.label;
  }
}

TEST_F(Tutorial002, ThePrintedMaskedScoresAreOfAnotherRunThanThePrintedScores) {
  const nlohmann::json& golden = seed_case("s002.mask_of_printed_scores");
  const Tensor scores = tensor_of(golden.at("inputs").at("scores"), 4);
  const std::vector<double> printed = flat_numbers(golden.at("expected"));
  for (const GoldenRun& run : run_everywhere(causal(exact_scores(scores)))) {
    const Tensor masked = run.stage("masked_scores");
    EXPECT_TRUE(all_near(masked, flat_numbers(golden.at("computed")), {0, false})) << run.label;
    EXPECT_TRUE(std::abs(max_difference(masked, printed) - golden.at("max_abs_diff").get<double>()) <= 1e-6);
    // Not one value below the diagonal agrees: the input was drawn again in between.
    const std::vector<float> values = masked.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(std::isinf(values[i]) || std::abs(values[i] - printed[i]) > 1e-3) << "value " << i;
    }
  }
}

TEST_F(Tutorial002, ScoresOfFreshWeightsSpreadByOneThird) {
  const nlohmann::json& golden = seed_case("s002.score_statistics");
  const double theory = golden.at("inputs").at("theory_std");
  const double tolerance = golden.at("tolerance");
  EXPECT_TRUE(std::abs(golden.at("expected").at("std_unmasked").get<double>() - theory) <= tolerance);
  EXPECT_TRUE(std::abs(golden.at("expected").at("std_masked").get<double>() - theory) <= tolerance);
  const Options options = {{"model", "seeded"}, {"phrase", "a b c d"}, {"embedding", "sequence"}, {"batch", "30"}};
  for (const GoldenRun& run : run_everywhere(options)) {
    const Statistics statistics = statistics_of(run.stage("scores"));
    EXPECT_TRUE(std::abs(statistics.std - theory) <= tolerance) << run.label << " " << statistics.std;
  }
}

}  // namespace
}  // namespace headscope
