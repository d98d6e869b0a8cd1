// Where two tensors differ is said in words and as data.
#include "core/diagnose/where.h"

#include <gtest/gtest.h>

#include <limits>

namespace headscope {
namespace {

TEST(Where, NamesHeadsRowsColumnsAndTheFirstCell) {
  WhereFinder finder(StageId::weights, {1, 4, 6, 6}, 0);
  for (std::int64_t i = 2; i < 6; ++i) finder.add({0, 1, i, 0}, 0.25, 0.5);
  const Where found = finder.found(0);
  EXPECT_EQ(found.cells, 4);
  EXPECT_EQ(found.of_cells, 144);
  EXPECT_EQ(found.heads, std::vector<std::int64_t>{1});
  EXPECT_EQ(found.rows, (std::vector<std::int64_t>{2, 3, 4, 5}));
  EXPECT_EQ(found.columns, std::vector<std::int64_t>{0});
  EXPECT_EQ(found.sentence,
            "4 of 144 cells differ, in head 1, queries from 2 on, key 0; the first is weights[0,1,2,0]: ours 0.25, "
            "theirs 0.5");
}

TEST(Where, NamesDiagonalsAndOtherFeatures) {
  WhereFinder diagonal(StageId::scores, {1, 1, 5, 5}, 0);
  for (std::int64_t i = 0; i < 5; ++i) diagonal.add({0, 0, i, i}, 1, 2);
  EXPECT_EQ(diagonal.found(0).diagonals, std::vector<std::int64_t>{0});
  EXPECT_NE(diagonal.found(0).sentence.find("only on the diagonal i = j"), std::string::npos);
  WhereFinder features(StageId::query, {1, 2, 3, 8}, 0);
  for (std::int64_t d = 1; d < 8; d += 2) features.add({0, 0, 1, d}, 1, 2);
  EXPECT_NE(features.found(0).sentence.find("every other feature from 1 on"), std::string::npos)
      << features.found(0).sentence;
}

TEST(Where, CountsHeadsOfFeaturesAndWhatIsNoNumber) {
  WhereFinder finder(StageId::concat, {2, 3, 8}, 4);
  finder.add({1, 2, 5}, 1, std::numeric_limits<double>::quiet_NaN());
  finder.add({1, 2, 6}, 1, std::numeric_limits<double>::infinity());
  const Where found = finder.found(0);
  EXPECT_EQ(found.heads, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(found.batches, std::vector<std::int64_t>{1});
  EXPECT_EQ(found.nan, 1);
  EXPECT_EQ(found.infinite, 1);
  EXPECT_NE(found.sentence.find("1 of theirs are NaN"), std::string::npos);
}

TEST(Where, NothingThatDiffersIsNowhere) {
  const Where found = WhereFinder(StageId::output, {1, 2, 3}, 0).found(0);
  EXPECT_EQ(found.cells, 0);
  EXPECT_EQ(found.sentence, "");
}

}  // namespace
}  // namespace headscope
