// A stage of other code beside ours in one layout, and which of its cells differ.
#include "core/diagnose/stage_sides.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/backend/backend.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/verdict_words.h"
#include "core/diagnose/wrong_borders.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

class StageSidesTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const Trace> run(const char* option = "seed", const char* value = "0") {
    Request request;
    request.phrase = "uno dos tres cuatro cinco";
    request.d_model = 12;
    request.heads = 3;
    find_request_option("mask")->set(request, "causal");
    find_request_option(option)->set(request, value);
    return Engine().run(request, {});
  }
  // The last of the stages that are given, as diagnose() judges it and as it is shown.
  StageSides shown(const std::vector<ExternalStage>& theirs, StageComparison* found) {
    const Diagnosis diagnosis = diagnose(*ours_, theirs, backend_, {}, {});
    GivenStages given;
    for (std::size_t k = 0; k + 1 < theirs.size(); ++k) given[theirs[k].stage] = theirs[k].tensor;
    *found = diagnosis.stages.back();
    return stage_sides(*ours_, theirs.back(), *found, given, backend_, {});
  }

  const std::shared_ptr<const Backend> backend_ = make_reference_backend();
  const std::shared_ptr<const Trace> ours_ = run();
};

Tensor with_more(const Tensor& tensor, const Index& at, float more) {
  Tensor changed = tensor.dense_copy();
  std::int64_t place = 0;
  for (int axis = 0; axis < at.count; ++axis) place = place * tensor.dim(axis) + at[axis];
  changed.mutable_data()[place] += more;
  return changed;
}

TEST_F(StageSidesTest, MarksTheCellsThatDifferAndNoOthers) {
  const Tensor theirs = with_more(ours_->tensor(StageId::weights), {0, 1, 3, 2}, 0.25F);
  StageComparison found;
  const StageSides sides = shown({{StageId::weights, theirs, false}}, &found);
  EXPECT_EQ(sides.read_as, "");
  EXPECT_FALSE(sides.from_given);
  EXPECT_NEAR(sides.difference.at({0, 1, 3, 2}), 0.25F, 1e-6);
  EXPECT_EQ(sides.difference.at({0, 1, 3, 1}), 0);
  EXPECT_EQ(found.where.places, std::vector<std::int64_t>{25 + 15 + 2});
  const WrongCells wrong = wrong_cells(*ours_, found, sides, 0, 1);
  EXPECT_EQ(wrong.count, 1);
  EXPECT_TRUE(wrong.at(3, 2));
  EXPECT_EQ(wrong.rows, (std::vector<std::uint8_t>{0, 0, 0, 1, 0}));
  EXPECT_EQ(wrong.columns, (std::vector<std::uint8_t>{0, 0, 1, 0, 0}));
  EXPECT_EQ(wrong_cells(*ours_, found, sides, 0, 0).count, 0) << "another head";
}

TEST_F(StageSidesTest, WhereSomePlacesAreKnownAloneTheRestIsFoundByItsSize) {
  Tensor theirs = ours_->tensor(StageId::output).dense_copy();
  for (std::int64_t k = 12; k < 36; ++k) theirs.mutable_data()[k] += 1;
  StageComparison found;
  const StageSides sides = shown({{StageId::output, theirs, false}}, &found);
  ASSERT_EQ(found.where.places.size(), 24U);
  found.where.places.resize(1);
  const WrongCells wrong = wrong_cells(*ours_, found, sides, 0, 0);
  EXPECT_EQ(wrong.count, 24);
  EXPECT_EQ(wrong.rows, (std::vector<std::uint8_t>{0, 1, 1, 0, 0}));
}

TEST_F(StageSidesTest, AnotherLayoutIsTurnedIntoOurs) {
  const Tensor& query = ours_->tensor(StageId::query);
  const Tensor theirs = with_more(query, {0, 2, 4, 1}, 1).permuted({0, 2, 1, 3}).dense_copy();
  StageComparison found;
  const StageSides sides = shown({{StageId::query, theirs, false}}, &found);
  EXPECT_EQ(sides.read_as, "[batch, len, heads, features]");
  EXPECT_EQ(sides.theirs.shape(), query.shape());
  EXPECT_TRUE(wrong_cells(*ours_, found, sides, 0, 2).at(4, 1));
}

TEST_F(StageSidesTest, AMeanOverHeadsIsBesideOurMean) {
  const Tensor& weights = ours_->tensor(StageId::weights);
  Tensor mean = Tensor::zeros({1, 5, 5}, {Axis::batch, Axis::query, Axis::key});
  for (std::int64_t k = 0; k < 25; ++k) {
    for (std::int64_t h = 0; h < 3; ++h) mean.mutable_data()[k] += weights.at({0, h, k / 5, k % 5}) / 3;
  }
  StageComparison found;
  const StageSides sides = shown({{StageId::weights, mean, false}}, &found);
  EXPECT_TRUE(sides.averaged);
  EXPECT_EQ(sides.ours.shape(), (Shape{1, 1, 5, 5}));
  EXPECT_TRUE(found.equal);
  EXPECT_EQ(wrong_cells(*ours_, found, sides, 0, 0).count, 0);
}

// Their scores are wrong; their weights are right given these scores.
TEST_F(StageSidesTest, OursFollowsFromTheirStagesBefore) {
  const auto wrong = run("variant", "no-scale");
  const std::vector<ExternalStage> theirs = {{StageId::scores, wrong->tensor(StageId::scores), false},
                                             {StageId::weights, wrong->tensor(StageId::weights), false}};
  StageComparison found;
  const StageSides sides = shown(theirs, &found);
  EXPECT_TRUE(found.equal);
  EXPECT_TRUE(sides.from_given);
  for (const float value : sides.difference.values()) EXPECT_NEAR(value, 0, 1e-5);
  EXPECT_FALSE(ours_->tensor(StageId::weights).values() == sides.ours.values());
}

TEST_F(StageSidesTest, TheVerdictIsASentence) {
  StageComparison found;
  const auto wrong = run("variant", "no-scale");
  shown({{StageId::scores, wrong->tensor(StageId::scores), false}}, &found);
  EXPECT_TRUE(verdict_sentence(found).starts_with("scores differs: largest difference ")) << verdict_sentence(found);
  EXPECT_TRUE(explained_sentence(found).starts_with("It is explained by no-scale: ")) << explained_sentence(found);
  shown({{StageId::scores, ours_->tensor(StageId::scores), false}}, &found);
  EXPECT_EQ(verdict_sentence(found), "scores is equal: largest difference 0");
  EXPECT_EQ(explained_sentence(found), "");
}

// A frame around two neighbours has four sides, and none between them.
TEST(WrongBorders, AreAroundCellsThatDiffer) {
  WrongCells wrong;
  wrong.rows = {0, 1, 0};
  wrong.columns = {0, 1, 1, 0};
  wrong.cells = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0};
  wrong.count = 2;
  const std::vector<CellStretch> level = borders_of(wrong, true, 100), upright = borders_of(wrong, false, 100);
  ASSERT_EQ(level.size(), 2U);
  EXPECT_EQ(level[0].line, 1);
  EXPECT_EQ(level[1].line, 2);
  EXPECT_EQ(level[0].begin, 1);
  EXPECT_EQ(level[0].end, 3);
  ASSERT_EQ(upright.size(), 2U);
  EXPECT_EQ(upright[0].line, 1);
  EXPECT_EQ(upright[1].line, 3);
  EXPECT_EQ(stretches_of(wrong.columns).size(), 1U);
  EXPECT_LE(borders_of(wrong, true, 0).size(), 1U);
}

}  // namespace
}  // namespace headscope
