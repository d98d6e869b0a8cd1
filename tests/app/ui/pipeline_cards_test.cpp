#include "app/ui/pipeline_cards.h"

#include <gtest/gtest.h>

#include "tests/app/ui/small_trace.h"

namespace headscope::ui {
namespace {

TEST(PipelineCards, GroupWhatBelongsTogether) {
  const auto trace = trace_of(small_request());
  const std::vector<PipelineCard> cards = pipeline_cards(*trace);
  ASSERT_EQ(cards.size(), 10u);
  EXPECT_EQ(cards[1].stages.size(), 3u);
  EXPECT_TRUE(cards[2].has(StageId::value));
  EXPECT_EQ(cards.back().stages.front(), StageId::output);
  EXPECT_EQ(neighbour_stage(*trace, StageId::query, 1), StageId::key);
  EXPECT_EQ(neighbour_stage(*trace, StageId::output, 1), StageId::output);
  EXPECT_EQ(neighbour_stage(*trace, StageId::input, -1), StageId::input);
}

TEST(PipelineCards, AStageThatDoesNothingIsSaidToEqualTheOneBefore) {
  Request request = small_request();
  request.mask.clear();
  const auto trace = trace_of(request);
  EXPECT_EQ(shape_or_equal(*trace, *trace->find(StageId::masked_scores)), "= scores");
  EXPECT_EQ(shape_or_equal(*trace, *trace->find(StageId::weights)), "[1, 4, 5, 5]");
}

TEST(PipelineCards, GapsGiveWayBeforeCards) {
  const std::vector<float> wanted(10, 108);
  const std::vector<float> least(10, 80);
  const CardLayout roomy = card_layout(wanted, least, 20, 12, 1308, 7);
  EXPECT_EQ(roomy.gap, 20);
  EXPECT_LE(roomy.content, 1308);
  const CardLayout tight = card_layout(wanted, least, 20, 12, 1200, 7);
  EXPECT_LT(tight.gap, 20);
  EXPECT_EQ(tight.width[0], 108);
  EXPECT_LE(tight.content, 1200);
  const CardLayout tighter = card_layout(wanted, least, 20, 12, 1000, 7);
  EXPECT_EQ(tighter.gap, 12);
  EXPECT_LT(tighter.width[0], 108);
  EXPECT_LE(tighter.content, 1000);
  const CardLayout scrolls = card_layout(wanted, least, 20, 12, 500, 7);
  EXPECT_EQ(scrolls.width[0], 80);
  EXPECT_GT(scrolls.content, 500);
  for (std::size_t i = 1; i < scrolls.x.size(); ++i)
    EXPECT_GE(scrolls.x[i], scrolls.x[i - 1] + scrolls.width[i - 1] + 12);
}

}  // namespace
}  // namespace headscope::ui
