#include "core/attention/shown_mask.h"

#include <gtest/gtest.h>

#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

TEST(ShownMask, hides_from_the_mask_on_and_shows_scores_before_it) {
  const auto trace = small_trace(4, {{"mask", "causal"}});
  EXPECT_EQ(shown_mask(*trace, StageId::weights), trace->mask);
  EXPECT_EQ(shown_mask(*trace, StageId::masked_scores), trace->mask);
  EXPECT_EQ(shown_mask(*trace, StageId::scores), nullptr);
  EXPECT_EQ(shown_mask(*trace, StageId::raw_scores), nullptr);
  EXPECT_EQ(shown_mask(*trace, StageId::query), nullptr);
  EXPECT_EQ(shown_mask(*small_trace(4), StageId::weights), nullptr);
  const auto before = small_trace(4, {{"mask", "causal"}, {"mask-order", "before-scale"}});
  EXPECT_EQ(shown_mask(*before, StageId::scores), before->mask);
}

TEST(ShownMask, rows_that_attend_although_they_are_hidden_show_their_weights) {
  const auto uniform = small_trace(4, {{"mask", "padding:4"}, {"mask-fill", "-1e20"}});
  const auto shown = shown_mask(*uniform, StageId::weights);
  ASSERT_NE(shown, nullptr);
  EXPECT_FALSE(shown->hidden.any());
  EXPECT_TRUE(shown_mask(*uniform, StageId::masked_scores)->hidden.any());
  EXPECT_FALSE(shown_mask(*small_trace(4, {{"mask", "padding:4"}, {"fully-masked", "uniform"}}), StageId::weights)
                   ->hidden.any());
  EXPECT_TRUE(
      shown_mask(*small_trace(4, {{"mask", "padding:4"}, {"fully-masked", "zero"}}), StageId::weights)->hidden.any());
}

}  // namespace
}  // namespace headscope
