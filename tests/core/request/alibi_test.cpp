// alibi against the formula of Press, Smith and Lewis 2022, alone and together with other terms.
#include "core/request/alibi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "core/request/memory.h"
#include "core/request/problem.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request masked(const std::string& text) {
  Request request;
  find_request_option("mask")->set(request, text);
  return request;
}

// As the paper's code writes it: a geometric sequence that starts at 2^(-8/n) with the same ratio.
std::vector<double> paper_slopes(std::int64_t heads) {
  std::int64_t power = 1;
  while (power * 2 <= heads) power *= 2;
  std::vector<double> slopes;
  const double start = std::pow(2.0, -8.0 / static_cast<double>(power));
  for (std::int64_t h = 0; h < power; ++h) slopes.push_back(std::pow(start, static_cast<double>(h + 1)));
  if (power == heads) return slopes;
  const std::vector<double> doubled = paper_slopes(2 * power);
  for (std::size_t h = 0; slopes.size() < static_cast<std::size_t>(heads); h += 2) slopes.push_back(doubled[h]);
  return slopes;
}

void expect_slopes(const std::vector<double>& expected) {
  const auto heads = static_cast<std::int64_t>(expected.size());
  for (std::int64_t h = 0; h < heads; ++h) {
    const double wanted = expected[static_cast<std::size_t>(h)];
    EXPECT_TRUE(std::abs(static_cast<double>(alibi_slope(heads, h)) - wanted) <= 1e-7 * wanted) << h << " of " << heads;
  }
}

TEST(Alibi, SlopesOfEightHeadsHalve) {
  const std::vector<double> expected = {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16, 1.0 / 32, 1.0 / 64, 1.0 / 128, 1.0 / 256};
  expect_slopes(expected);
  EXPECT_EQ(alibi_slope(8, 0), 0.5F);
  EXPECT_EQ(alibi_slope(8, 7), 0.00390625F);
}

TEST(Alibi, SlopesOfOtherCountsTakeEverySecondOfTheDoubledSequence) {
  expect_slopes({std::exp2(-2), std::exp2(-4), std::exp2(-6), std::exp2(-8), std::exp2(-1), std::exp2(-3)});
  expect_slopes({std::exp2(-1), std::exp2(-2), std::exp2(-3), std::exp2(-4), std::exp2(-5), std::exp2(-6),
                 std::exp2(-7), std::exp2(-8), std::exp2(-0.5), std::exp2(-1.5), std::exp2(-2.5), std::exp2(-3.5)});
  for (std::int64_t heads = 1; heads <= 70; ++heads) expect_slopes(paper_slopes(heads));
}

TEST(Alibi, AddsTheDistanceToTheAlignedDiagonalAndHidesNothing) {
  for (const std::int64_t heads : {8, 6, 12}) {
    for (const bool bottom_right : {false, true}) {
      Request request = masked("alibi");
      if (bottom_right) request.causal_align = CausalAlign::bottom_right;
      const Mask mask = build_mask(request, {}, {.batch = 2, .heads = heads, .query_len = 3, .key_len = 5});
      EXPECT_FALSE(mask.hidden.any());
      EXPECT_TRUE(mask.hidden.visible_keys(1, 0, 2).has_value()) << "still a rule";
      ASSERT_EQ(mask.added.shape(), (Shape{1, heads, 3, 5}));
      const std::vector<double> slopes = paper_slopes(heads);
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t i = 0; i < 3; ++i) {
          for (std::int64_t j = 0; j < 5; ++j) {
            const auto distance = static_cast<double>(std::abs(i + (bottom_right ? 2 : 0) - j));
            const double wanted = -slopes[static_cast<std::size_t>(h)] * distance;
            EXPECT_TRUE(std::abs(static_cast<double>(mask.added.at({0, h, i, j})) - wanted) <= 1e-6)
                << h << ' ' << i << ' ' << j;
          }
        }
      }
    }
  }
}

TEST(Alibi, ComposesWithTheOtherTerms) {
  const Mask causal = build_mask(masked("causal,alibi"), {}, {.batch = 1, .heads = 8, .query_len = 3, .key_len = 3});
  EXPECT_EQ(causal.hidden.visible_count(0, 0, 0), 1);
  EXPECT_EQ(causal.added.at({0, 0, 2, 0}), -1.0F);
  EXPECT_EQ(causal.added.at({0, 1, 2, 0}), -0.5F);
  const Mask twice = build_mask(masked("alibi,alibi"), {}, {.batch = 1, .heads = 8, .query_len = 3, .key_len = 3});
  EXPECT_EQ(twice.added.values(),
            build_mask(masked("alibi"), {}, {.batch = 1, .heads = 8, .query_len = 3, .key_len = 3}).added.values());

  // A file for all heads: each head sums it with its own slope.
  const MaskFile file{"m.npy", tensor_of({3}, {10, 20, -INFINITY}), false};
  const Mask summed = build_mask(masked("alibi,m.npy"), {file}, {.batch = 2, .heads = 2, .query_len = 3, .key_len = 3});
  ASSERT_EQ(summed.added.shape(), (Shape{1, 2, 3, 3}));
  EXPECT_EQ(summed.hidden.hidden_count(0, 0), 3);
  EXPECT_EQ(summed.added.at({0, 0, 2, 0}), 10.0F - 2 * alibi_slope(2, 0));
  EXPECT_EQ(summed.added.at({0, 1, 0, 1}), 20.0F - alibi_slope(2, 1));
}

TEST(Alibi, AddsNothingToTheKeyOfBiasKOrToASingleToken) {
  const Mask extra =
      build_mask(masked("alibi"), {}, {.batch = 1, .heads = 2, .query_len = 2, .key_len = 3, .extra_key = true});
  for (std::int64_t h = 0; h < 2; ++h) {
    for (std::int64_t i = 0; i < 2; ++i) EXPECT_EQ(extra.added.at({0, h, i, 2}), 0.0F);
  }
  EXPECT_TRUE(build_mask(masked("alibi"), {}, {.batch = 1, .heads = 2, .query_len = 1, .key_len = 1}).added.empty());
}

// MPT's alibi_bias_max in place of 8.
TEST(Alibi, AModelMayHaveSteeperSlopes) {
  EXPECT_EQ(alibi_size_of_most(8), 0);
  EXPECT_EQ(alibi_slope(8, 7, 16), 1.0F / 65536);
  std::vector<float> scores(4);
  add_alibi({.head = 1, .heads = 2, .position = 2, .size = alibi_size_of_most(4)}, scores);
  EXPECT_EQ(scores, (std::vector<float>{-0.125F, -0.0625F, 0.0F, -0.0625F}));
}

// What PyTorch gives for (slopes.bfloat16() * positions).float() with 32 heads, whose slopes are 2^(-k / 4).
TEST(Alibi, FalconsIsRoundedToBfloat16) {
  std::vector<float> scores(1001);
  add_alibi({.head = 0, .heads = 32, .position = 5, .size = alibi_size_of_falcon(64)}, scores);
  EXPECT_EQ(scores[0], 0.0F / 8);
  EXPECT_EQ(scores[1], 0.83984375F / 8);
  EXPECT_EQ(scores[3], 2.515625F / 8);
  EXPECT_EQ(scores[257], 215.0F / 8);
  EXPECT_EQ(scores[1000], 840.0F / 8);
}

TEST(Alibi, CountsAsMemoryAndIsRefusedBeyondIt) {
  StageSizes sizes;
  sizes.query_len = sizes.key_len = 100;
  sizes.heads = sizes.kv_heads = 6;
  sizes.head_dim = sizes.value_head_dim = 4;
  sizes.d_model = sizes.input_dim = 24;
  EXPECT_EQ(least_stage_bytes(masked("alibi"), sizes) - least_stage_bytes(masked("causal"), sizes),
            4.0 * 6 * 100 * 100);

  std::string phrase;
  for (int k = 0; k < 20000; ++k) phrase += "a ";
  Request request = masked("causal");
  request.phrase = phrase;
  request.d_model = 64;
  EXPECT_FALSE(find_problem(request).has_value());
  request.mask.push_back({MaskTerm::Kind::alibi, 0, ""});
  const std::optional<Problem> problem = find_problem(request);
  ASSERT_TRUE(problem.has_value()) << "8 heads of 20,000 x 20,000 floats are 12 GiB";
  EXPECT_EQ(problem->option, "phrase");
  EXPECT_NE(problem->detail.find("tokens fit"), std::string::npos) << problem->detail;
}

TEST(Alibi, ScriptsSayTheSameNumbers) {
  EXPECT_EQ(python_alibi(2, 0, "torch.tensor"), "torch.tensor([-0.0625, -0.00390625])[:, None, None] * abs(i - j)");
  EXPECT_EQ(latex_alibi("i + 2", 2, 0), "$-s_h \\lvert i + 2 - j \\rvert$ with $s = (0.0625, 0.00390625)$");
  EXPECT_NE(latex_alibi("i", 17, 0).find("\\dots"), std::string::npos);
  EXPECT_EQ(python_alibi(1, 16, "np.float32"), "np.float32([-1.52587890625e-05])[:, None, None] * abs(i - j)");
  EXPECT_EQ(latex_alibi("i", 1, -64), "$s_h j / \\sqrt{64}$, $s_h j$ rounded to bfloat16, with $s = (0.00390625)$");
}

}  // namespace
}  // namespace headscope
