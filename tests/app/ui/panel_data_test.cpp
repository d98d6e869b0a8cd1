// What is derived from a trace once: statistics, ranges, strips.
#include "app/ui/panel_data.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/ui/inspector/statistics_rows.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/widgets/widgets.h"
#include "tests/app/ui/small_trace.h"

namespace headscope::ui {
namespace {

TEST(PanelData, ShowsTheStatisticsOfTheTensorItself) {
  PanelData data(trace_of(small_request()), 1);
  const Statistics whole = statistics_of(data.trace().tensor(StageId::raw_scores));
  EXPECT_EQ(data.statistics(StageId::raw_scores)->mean, whole.mean);
  EXPECT_EQ(data.statistics(StageId::raw_scores)->l2_norm, whole.l2_norm);
  const Statistics slice = statistics_of(matrix_at(data.trace().tensor(StageId::raw_scores), 0, 3));
  EXPECT_EQ(data.statistics(StageId::raw_scores, 0, 3)->max, slice.max);
  EXPECT_EQ(data.statistics(StageId::masked_scores, 0, 3)->inf_count, 10);
  const std::vector<StatisticsRow> rows = statistics_rows(slice);
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[1].value, number_label(slice.max, 4, true));
}

TEST(PanelData, ComputesOnceAndGivesTheSameObjectAgain) {
  PanelData data(trace_of(small_request()), 1);
  ASSERT_NE(data.statistics(StageId::weights), nullptr);
  EXPECT_EQ(data.statistics(StageId::weights), data.statistics(StageId::weights));
  EXPECT_EQ(data.histogram(StageId::weights, 0, 1), data.histogram(StageId::weights, 0, 1));
  EXPECT_EQ(&data.strip(StageId::weights, 0), &data.strip(StageId::weights, 0));
  EXPECT_TRUE(same_storage(data.matrix(StageId::weights, 0, 1), data.matrix(StageId::weights, 0, 1)));
}

TEST(PanelData, AFrameGoesThroughSoManyNumbersAndTheNextGoesOn) {
  PanelData data(trace_of(small_request()), 1);
  data.begin_frame(30);  // a head has 25
  EXPECT_NE(data.summary(0, 0), nullptr) << "something is always done";
  EXPECT_EQ(data.summary(0, 1), nullptr);
  EXPECT_TRUE(data.unfinished());
  EXPECT_EQ(data.summary_pieces(0, 1).at(0).text, "…");
  data.begin_frame(30);
  EXPECT_NE(data.summary(0, 0), nullptr) << "what is known costs nothing";
  EXPECT_NE(data.summary(0, 1), nullptr);
  EXPECT_FALSE(data.unfinished());
}

TEST(PanelData, RangesFollowTheView) {
  PanelData data(trace_of(small_request()), 1);
  ViewState view;
  EXPECT_EQ(data.range(view, StageId::weights, 0, 0), (ValueRange{0, 1, false, false}));
  const ValueRange scores = data.range(view, StageId::scores, 0, 0);
  EXPECT_EQ(scores.low, -scores.high);
  EXPECT_EQ(scores, data.range(view, StageId::scores, 0, 2)) << "shared by all heads";
  view.range_per_head = true;
  EXPECT_EQ(data.range(view, StageId::weights, 0, 1).low, 0);
  EXPECT_TRUE(data.range(view, StageId::weights, 0, 1).high <= 1);
  EXPECT_FALSE(data.range(view, StageId::scores, 0, 0) == data.range(view, StageId::scores, 0, 1));
  view.range = RangeKind::row;
  EXPECT_TRUE(data.range(view, StageId::weights, 0, 0).per_row);
  view.range_fixed = true;
  view.range_low = -2;
  view.range_high = 5;
  EXPECT_EQ(data.range(view, StageId::weights, 0, 0), (ValueRange{-2, 5, false, false}));
  EXPECT_EQ(data.range(view, StageId::concat, 0, 0).low, -data.range(view, StageId::concat, 0, 0).high)
      << "the typed range is of the heads only";
  view.log_scale = true;
  EXPECT_TRUE(data.range(view, StageId::weights, 0, 0).log_scale);
  EXPECT_FALSE(data.range(view, StageId::scores, 0, 0).log_scale) << "a logarithm of signed numbers says nothing";
}

TEST(PanelData, AFiniteFillDoesNotWashOutTheScores) {
  Request request = small_request();
  request.mask_fill = -1e20;
  PanelData data(trace_of(request), 1);
  EXPECT_TRUE(data.range({}, StageId::masked_scores, 0, 0).high < 1e3);
}

TEST(PanelData, StripsHoldTheFirstRowsOfAllHeadsWithTheirMask) {
  PanelData data(trace_of(small_request()), 1);
  const Strip& weights = data.strip(StageId::weights, 0);
  EXPECT_EQ(weights.matrix.shape(), (Shape{5, 20}));
  EXPECT_EQ(weights.matrix.at({4, 3 * 5 + 2}), data.trace().tensor(StageId::weights).at({0, 3, 4, 2}));
  ASSERT_NE(weights.mask, nullptr);
  EXPECT_TRUE(weights.mask->hidden.hidden(0, 0, 1, 2 * 5 + 3));
  EXPECT_FALSE(weights.mask->hidden.hidden(0, 0, 3, 2 * 5 + 3));
  EXPECT_EQ(data.strip(StageId::raw_scores, 0).mask, nullptr) << "nothing is hidden before the mask";
  EXPECT_EQ(data.strip(StageId::concat, 0).matrix.shape(), (Shape{5, 32}));
}

}  // namespace
}  // namespace headscope::ui
