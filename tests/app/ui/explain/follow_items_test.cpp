// Which tensors are drawn beside the followed cell.
#include "app/ui/explain/follow_items.h"

#include <gtest/gtest.h>

#include "tests/app/ui/small_trace.h"

namespace headscope::ui {
namespace {

// The names of a row with what stands between them: "a × b = c".
std::string spelled(const FollowRow& row) {
  std::string text;
  for (const FollowItem& item : row) {
    text += item.before[0] == '\0' ? std::string() : std::string(" ") + item.before + ' ';
    text += item.name;
  }
  return text;
}

class FollowItems : public testing::Test {
 protected:
  FollowItems() : trace(trace_of(small_request())), data(trace, 1) {}
  std::shared_ptr<const Trace> trace;
  PanelData data;
};

TEST_F(FollowItems, AScoreIsAQueryTimesAKey) {
  const std::vector<FollowRow> rows = follow_rows(data, {StageId::raw_scores, {0, 2, 3, 1}});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(spelled(rows[0]), "query[0, 2] × ᵀ key[0, 2] = raw_scores[0, 2]");
  EXPECT_EQ(rows[0].back().rows, 5);
  EXPECT_EQ(rows[0].back().columns, 5);
  EXPECT_EQ(rows[0].front().columns, 8) << "features of a head";
}

TEST_F(FollowItems, AWeightShowsTheScoreThatItComesFromToo) {
  const std::vector<FollowRow> rows = follow_rows(data, {StageId::weights, {0, 1, 3, 1}});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(spelled(rows[0]), "query[0, 1] × ᵀ key[0, 1] = raw_scores[0, 1]");
  EXPECT_EQ(rows[1].back().name, "weights[0, 1]");
  EXPECT_STREQ(rows[1].back().before, "→");
}

TEST_F(FollowItems, ConcatStandsAloneBelowTheContextOfItsHead) {
  const std::vector<FollowRow> rows = follow_rows(data, {StageId::concat, {0, 3, 21}});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].back().name, "context[0, 2]") << "feature 21 is feature 5 of head 2";
  ASSERT_EQ(rows[1].size(), 1U);
  EXPECT_EQ(rows[1][0].name, "concat[0]");
  EXPECT_EQ(rows[1][0].columns, 32);
}

TEST_F(FollowItems, AnOutputIsConcatTimesATensorOfTheLayer) {
  const std::vector<FollowRow> rows = follow_rows(data, {StageId::output, {0, 3, 4}});
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].size(), 3U);
  EXPECT_EQ(rows[0][0].name, "concat[0]");
  EXPECT_TRUE(rows[0][1].of_file);
  EXPECT_EQ(rows[0][1].matrix.shape(), (Shape{32, 32}));
  EXPECT_EQ(rows[0][2].name, "output[0]");
}

}  // namespace
}  // namespace headscope::ui
