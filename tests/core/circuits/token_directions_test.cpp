// The singular directions of QK and OV with the tokens at both ends: all of them together give every score again.
#include "core/circuits/token_directions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/circuits/reduced_maps.h"
#include "core/circuits/token_maps.h"
#include "tests/core/circuits/circuits_models.h"

namespace headscope {
namespace {

double value_of(const std::vector<TokenScore>& list, std::int64_t id) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const TokenScore& each) { return each.id == id; });
  return at == list.end() ? std::nan("") : at->value;
}

void expect_sum(const std::vector<TokenDirection>& directions, double scale, const Tensor& map, const char* name) {
  for (std::int64_t a = 0; a < map.dim(0); ++a) {
    for (std::int64_t b = 0; b < map.dim(1); ++b) {
      double sum = 0;
      for (const TokenDirection& each : directions) sum += each.value * value_of(each.from, a) * value_of(each.to, b);
      const double wanted = static_cast<double>(map.at({a, b}));
      EXPECT_TRUE(std::abs(scale * sum - wanted) <= 3e-5 * (1 + std::abs(wanted))) << name << " " << a << ", " << b;
    }
  }
}

TEST(HeadDirections, TogetherGiveEveryScoreAndEveryLogit) {
  for (const char* model : {"gpt2", "llama"}) {
    SCOPED_TRACE(model);
    const auto checkpoint = circuits_model(model);
    std::vector<std::int64_t> ids(24);
    std::iota(ids.begin(), ids.end(), 0);
    for (const NormFolding norms : {NormFolding::fold, NormFolding::ignore}) {
      const HeadDirections found = head_directions(*checkpoint, {1, 1, 4, 24}, norms, {});
      const TokenMaps maps = token_maps(*checkpoint, {1, 1, ids}, norms, {});
      ASSERT_EQ(found.qk.size(), 4u) << "as many as the features of a head";
      expect_sum(found.qk, 0.5, maps.qk, "qk");
      expect_sum(found.ov, 1, maps.ov, "ov");
      double shares = 0;
      for (const TokenDirection& each : found.qk) shares += each.share;
      EXPECT_NEAR(shares, 1, 1e-12);
    }
  }
}

TEST(HeadDirections, AreOrderedAndTurnedToTheirLargestProjection) {
  const auto checkpoint = circuits_model("gpt2");
  const HeadDirections all = head_directions(*checkpoint, {0, 2, 9, 24}, NormFolding::fold, {}),
                       some = head_directions(*checkpoint, {0, 2, 2, 3}, NormFolding::fold, {});
  ASSERT_EQ(some.qk.size(), 2u);
  for (const auto& [whole, part] : {std::pair(&all.qk, &some.qk), std::pair(&all.ov, &some.ov)}) {
    for (std::size_t k = 0; k < whole->size(); ++k) {
      const TokenDirection& each = (*whole)[k];
      if (k > 0) {
        EXPECT_GE((*whole)[k - 1].value, each.value);
      }
      EXPECT_GE(each.from.front().value, -each.from.back().value) << "the longer end is the positive one";
      for (std::size_t at = 1; at < each.to.size(); ++at) EXPECT_GE(each.to[at - 1].value, each.to[at].value);
    }
    ASSERT_EQ((*part)[1].to.size(), 3u);
    EXPECT_EQ((*part)[1].to[2].id, (*whole)[1].to[2].id);
    EXPECT_EQ((*part)[1].value, (*whole)[1].value);
  }
}

TEST(HeadDirections, OfAMaskedHeadHaveNoTokensThatAreRaised) {
  const HeadDirections found = head_directions(*circuits_model("bert"), {1, 0, 1, 5}, NormFolding::fold, {});
  ASSERT_EQ(found.ov.size(), 1u);
  EXPECT_EQ(found.ov[0].from.size(), 5u);
  EXPECT_TRUE(found.ov[0].to.empty());
}

TEST(SingularDirections, SumUpToTheProduct) {
  std::mt19937_64 draw(5);
  for (const std::int64_t features : {1, 3, 7}) {
    const Tensor a = random_stack(2, features, 5, draw), b = random_stack(3, features, 5, draw);
    const std::vector<SingularDirection> found = singular_directions(a, 1, b, 2);
    ASSERT_EQ(found.size(), static_cast<std::size_t>(std::min<std::int64_t>(features, 5)));
    const std::vector<double> values = singular_values(a, 1, b, 2);
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_NEAR(found[k].value, values[k], 1e-10);
      EXPECT_NEAR(std::inner_product(found[k].left.begin(), found[k].left.end(), found[k].left.begin(), 0.0), 1, 1e-10);
    }
    for (std::int64_t i = 0; i < 5; ++i) {
      for (std::int64_t j = 0; j < 5; ++j) {
        double wanted = 0, sum = 0;
        for (std::int64_t f = 0; f < features; ++f) {
          wanted += static_cast<double>(a.at({1, f, i})) * static_cast<double>(b.at({2, f, j}));
        }
        for (const SingularDirection& each : found) {
          sum += each.value * each.left[static_cast<std::size_t>(i)] * each.right[static_cast<std::size_t>(j)];
        }
        EXPECT_NEAR(sum, wanted, 1e-9);
      }
    }
  }
}

TEST(SingularDirections, OfWhatIsNotFiniteAreNaN) {
  std::mt19937_64 draw(3);
  const Tensor a = random_stack(1, 3, 5, draw);
  Tensor b = a.dense_copy();
  b.mutable_data()[4] = NAN;
  for (const SingularDirection& each : singular_directions(a, 0, b, 0)) {
    EXPECT_TRUE(std::isnan(each.value));
    EXPECT_EQ(each.left.size(), 5u);
  }
}

}  // namespace
}  // namespace headscope
