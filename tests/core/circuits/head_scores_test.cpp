// Copying and previous-token scores, against NumPy's eigenvalues of the whole vocabulary by itself.
#include "core/circuits/head_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/core/circuits/circuits_models.h"

namespace headscope {
namespace {

TEST(HeadScores, AreNumPysForEveryHead) {
  std::ifstream file(std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/token_circuits.json");
  for (const auto& golden : nlohmann::json::parse(file)) {
    const auto checkpoint = circuits_model(golden.at("model"));
    SCOPED_TRACE(golden.at("model").get<std::string>() + ", " + golden.at("norms").get<std::string>());
    const bool fold = golden.at("norms") == "fold";
    const std::vector<HeadScores> found =
        head_scores(*checkpoint, fold ? NormFolding::fold : NormFolding::ignore, CancelToken());
    ASSERT_EQ(found.size(), golden.at("heads").size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto& wanted = golden.at("heads")[k];
      EXPECT_EQ(found[k].layer, wanted.at("layer"));
      EXPECT_EQ(found[k].head, wanted.at("head"));
      ASSERT_TRUE(found[k].copying.has_value());
      EXPECT_TRUE(std::abs(*found[k].copying - wanted.at("copying").get<double>()) <= 1e-4) << k;
      ASSERT_EQ(found[k].previous_token.has_value(), !wanted.at("previous_token").is_null());
      if (found[k].previous_token) {
        EXPECT_TRUE(std::abs(*found[k].previous_token - wanted.at("previous_token").get<double>()) <= 1e-5) << k;
      }
    }
  }
}

TEST(HeadScores, OfTheInductionDemoNameItsHeads) {
  const std::vector<HeadScores> found = head_scores(*circuits_model("demo:induction"), NormFolding::fold, {});
  EXPECT_GT(*found[15].copying, 0.99) << "head 1.7 copies";
  const auto previous = std::max_element(found.begin(), found.end(), [](const HeadScores& a, const HeadScores& b) {
    return *a.previous_token < *b.previous_token;
  });
  EXPECT_EQ(previous->layer, 0);
  EXPECT_EQ(previous->head, 5) << "head 0.5 looks one token back";
  EXPECT_GT(*previous->previous_token, 0.7);
}

TEST(HeadScores, OfAnEncoderLookBothWaysAndCopyNothing) {
  const auto checkpoint = circuits_model("bert");
  ASSERT_FALSE(checkpoint->architecture().causal);
  for (const HeadScores& each : head_scores(*checkpoint, NormFolding::fold, {})) {
    EXPECT_FALSE(each.copying.has_value());
    ASSERT_TRUE(each.previous_token.has_value());
    EXPECT_TRUE(*each.previous_token > 0 && *each.previous_token < 1);
  }
}

TEST(HeadScores, SayHowFarTheyAreAndStopWhenNobodyWantsThem) {
  const auto checkpoint = circuits_model("gpt2");
  std::vector<std::int64_t> layers;
  head_scores(*checkpoint, NormFolding::fold, {}, [&](std::int64_t done, std::int64_t) { layers.push_back(done); });
  EXPECT_EQ(layers, (std::vector<std::int64_t>{0, 1}));
  CancelToken cancelled;
  cancelled.cancel();
  EXPECT_THROW(head_scores(*checkpoint, NormFolding::fold, cancelled), Cancelled);
  EXPECT_THROW(head_scores(*circuits_model("deepseek_v2"), NormFolding::fold, {}), UsageError);
}

}  // namespace
}  // namespace headscope
