// Pictures of a stage of other code beside ours.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/backend/backend.h"
#include "core/diagnose/diagnose.h"
#include "core/export/recipe.h"
#include "core/export/session_file.h"
#include "core/picture/figure/theirs_contents.h"
#include "tests/core/picture/figure/figure_items.h"
#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

TheirsFigure theirs_of(const Trace& ours, StageId stage, const Tensor& tensor) {
  const auto backend = make_reference_backend();
  const ExternalStage external{stage, tensor, false};
  TheirsFigure figure;
  figure.file = "mine.npy";
  figure.found = diagnose(ours, {external}, backend, {}, {}).stages.front();
  figure.sides = stage_sides(ours, external, figure.found, {}, backend, {});
  return figure;
}

FigureSource source_of(const Trace& ours, const TheirsFigure& theirs) {
  FigureSource source{ours};
  source.theirs = &theirs;
  return source;
}

// The picture of no-scale weights beside ours.
class FigureTheirs : public ::testing::Test {
 protected:
  FigurePlan plan(const ViewSpec& view, const TheirsFigure& theirs) {
    return figure_plan(source_of(*ours_, theirs), view, false);
  }
  std::string refused(const ViewSpec& view, const TheirsFigure& theirs) {
    try {
      plan(view, theirs);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  const std::shared_ptr<const Trace> ours_ = small_trace(5, {{"mask", "causal"}});
};

TEST_F(FigureTheirs, HoldsTheirsOursAndTheDifferenceOfTheHead) {
  const auto wrong = small_trace(5, {{"mask", "causal"}, {"variant", "no-scale"}});
  const TheirsFigure theirs = theirs_of(*ours_, StageId::weights, wrong->tensor(StageId::weights));
  ViewSpec view = view_of(ViewKind::difference, StageId::weights);
  view.head = 2;
  const FigurePlan made = plan(view, theirs);
  const std::vector<MapItem> maps = items_of<MapItem>(made);
  ASSERT_EQ(maps.size(), 3U);
  const Tensor &a = wrong->tensor(StageId::weights), &b = ours_->tensor(StageId::weights);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 5; ++j) {
      EXPECT_EQ(maps[0].spec.matrix.at({i, j}), a.at({0, 2, i, j}));
      EXPECT_EQ(maps[1].spec.matrix.at({i, j}), b.at({0, 2, i, j}));
      EXPECT_EQ(maps[2].spec.matrix.at({i, j}), a.at({0, 2, i, j}) - b.at({0, 2, i, j}));
    }
  }
  EXPECT_EQ(maps[0].spec.range, (ValueRange{0, 1, false, false}));
  EXPECT_EQ(maps[0].spec.range, maps[1].spec.range);
  EXPECT_EQ(maps[2].spec.range.low, -maps[2].spec.range.high);
  EXPECT_EQ(maps[2].spec.map, ColorMap::icefire);
  for (const char* words : {"weights differs", "cells differ", "explained by no-scale", "theirs: mine.npy", "head 2"}) {
    EXPECT_TRUE(has_text(made, words)) << words;
  }
}

TEST_F(FigureTheirs, FramesWhatDiffersInEachMap) {
  Tensor changed = ours_->tensor(StageId::weights).dense_copy();
  changed.mutable_data()[25 + 3 * 5 + 1] += 0.25F;
  const TheirsFigure theirs = theirs_of(*ours_, StageId::weights, changed);
  ViewSpec view = view_of(ViewKind::difference, StageId::weights);
  const Rgba bad = palette(view.theme).bad;
  const auto marks = [&](std::int64_t head) {
    view.head = head;
    std::int64_t count = 0;
    for (const RectItem& each : items_of<RectItem>(plan(view, theirs))) count += each.color == bad ? 1 : 0;
    return count;
  };
  EXPECT_EQ(marks(1), 3 * (4 + 2)) << "four sides of a frame, a row and a column, in three maps";
  EXPECT_EQ(marks(0), 0);
  std::string words;  // lines break anywhere
  for (const TextItem& each : items_of<TextItem>(plan(view, theirs))) words += each.text + " ";
  EXPECT_NE(words.find("no cell of this map differs"), std::string::npos) << words;
}

// What is wrong about a hidden cell is that it has a number: it is not hatched away.
TEST_F(FigureTheirs, AWrongNumberInAHiddenCellIsSeen) {
  Tensor changed = ours_->tensor(StageId::weights).dense_copy();
  changed.mutable_data()[4] = 0.5F;
  const TheirsFigure theirs = theirs_of(*ours_, StageId::weights, changed);
  const std::vector<MapItem> maps = items_of<MapItem>(plan(view_of(ViewKind::difference), theirs));
  ASSERT_EQ(maps.size(), 3U);
  EXPECT_FALSE(maps[0].spec.mask->hidden.hidden(0, 0, 0, 4));
  EXPECT_FALSE(maps[2].spec.mask->hidden.hidden(0, 0, 0, 4));
  EXPECT_TRUE(maps[1].spec.mask->hidden.hidden(0, 0, 0, 4));
  EXPECT_TRUE(maps[0].spec.mask->hidden.hidden(0, 0, 0, 3));
}

TEST_F(FigureTheirs, StagesOfEveryShapeAreDrawn) {
  for (const Stage& stage : ours_->stages) {
    const TheirsFigure theirs = theirs_of(*ours_, stage.id, stage.tensor);
    ViewSpec view = view_of(ViewKind::difference, stage.id);
    EXPECT_EQ(items_of<MapItem>(plan(view, theirs)).size(), 3U) << stage_name(stage.id);
    EXPECT_TRUE(has_text(plan(view, theirs), "is equal")) << stage_name(stage.id);
    view.width = 1000;
    EXPECT_EQ(plan(view, theirs).width, 1000) << stage_name(stage.id);
  }
}

TEST_F(FigureTheirs, WideStagesStandOneAboveTheOther) {
  const auto wide = small_trace(3, {{"d-model", "512"}});
  const TheirsFigure theirs = theirs_of(*wide, StageId::output, wide->tensor(StageId::output));
  const std::vector<MapItem> maps =
      items_of<MapItem>(figure_plan(source_of(*wide, theirs), view_of(ViewKind::difference, StageId::output), false));
  ASSERT_EQ(maps.size(), 3U);
  EXPECT_EQ(maps[0].x, maps[1].x);
  EXPECT_LT(maps[0].y + maps[0].spec.height, maps[1].y);
}

TEST_F(FigureTheirs, AnotherStageHeadOrBatchItemIsRefused) {
  const TheirsFigure theirs = theirs_of(*ours_, StageId::query, ours_->tensor(StageId::query));
  EXPECT_NE(refused(view_of(ViewKind::difference, StageId::key), theirs).find("theirs is query"), std::string::npos);
  ViewSpec view = view_of(ViewKind::difference, StageId::query);
  view.head = 4;
  EXPECT_NE(refused(view, theirs).find("heads 0 to 3"), std::string::npos);
  view.head = 0;
  view.batch = 1;
  EXPECT_NE(refused(view, theirs).find("batch"), std::string::npos);
}

// What is wrong about a row would not be seen if theirs and ours had ranges of their own.
TEST_F(FigureTheirs, ARowHasOneRangeForTheirsAndOurs) {
  Tensor changed = ours_->tensor(StageId::weights).dense_copy();
  for (int j = 0; j < 3; ++j) changed.mutable_data()[2 * 5 + j] *= 3;
  const TheirsFigure theirs = theirs_of(*ours_, StageId::weights, changed);
  ViewSpec view = view_of(ViewKind::difference);
  view.range = RangeKind::row;
  const std::vector<MapItem> maps = items_of<MapItem>(plan(view, theirs));
  ASSERT_EQ(maps.size(), 3U);
  ASSERT_NE(maps[0].spec.row_ranges, nullptr);
  EXPECT_EQ(maps[0].spec.row_ranges, maps[1].spec.row_ranges);
  ValueRange range = (*maps[0].spec.row_ranges)[2];
  EXPECT_LE(range.low, static_cast<double>(maps[1].spec.matrix.at({2, 0})));
  EXPECT_GE(range.high, static_cast<double>(changed.at({0, 0, 2, 0})));
  EXPECT_NE(row_scales(maps[1].spec, 2, 3)[0].entry(maps[1].spec.matrix.at({2, 0})),
            row_scales(maps[0].spec, 2, 3)[0].entry(maps[0].spec.matrix.at({2, 0})));
  EXPECT_FALSE(maps[2].spec.range.per_row);
}

TEST_F(FigureTheirs, TheDifferenceIsLinearAroundZeroWhateverTheViewAsksFor) {
  const auto wrong = small_trace(5, {{"mask", "causal"}, {"variant", "no-scale"}});
  const TheirsFigure theirs = theirs_of(*ours_, StageId::weights, wrong->tensor(StageId::weights));
  ViewSpec view = view_of(ViewKind::difference);
  const std::vector<MapItem> plain = items_of<MapItem>(plan(view, theirs));
  view.log_scale = true;
  const std::vector<MapItem> maps = items_of<MapItem>(plan(view, theirs));
  EXPECT_TRUE(maps[0].spec.range.log_scale && maps[1].spec.range.log_scale);
  EXPECT_EQ(maps[2].spec.range, plain[2].spec.range);
  EXPECT_LT(maps[2].spec.range.low, 0);
  const TheirsFigure signed_numbers = theirs_of(*ours_, StageId::query, wrong->tensor(StageId::query));
  view.stage = StageId::query;
  EXPECT_NE(refused(view, signed_numbers).find("--log: found with query"), std::string::npos);
  // Without any number too.
  Tensor none = ours_->tensor(StageId::query).dense_copy();
  for (std::int64_t k = 0; k < none.size(); ++k) none.mutable_data()[k] = std::nanf("");
  const TheirsFigure nan = theirs_of(*ours_, StageId::query, none);
  EXPECT_EQ(items_of<MapItem>(plan(view_of(ViewKind::difference, StageId::query), nan))[2].spec.range,
            (ValueRange{-1, 1}));
}

// Names are whole and numbers of colour bars stand apart, also in a narrow picture.
TEST_F(FigureTheirs, ANarrowPictureIsReadable) {
  const auto wrong = trace_of([] {
    Request request = small_request(5, {{"mask", "causal"}, {"variant", "no-scale"}});
    request.batch = 2;
    return request;
  }());
  const auto ours = trace_of([] {
    Request request = small_request(5, {{"mask", "causal"}});
    request.batch = 2;
    return request;
  }());
  for (const StageId stage : {StageId::weights, StageId::query, StageId::output}) {
    const TheirsFigure theirs = theirs_of(*ours, stage, wrong->tensor(stage));
    for (const int width : {200, 250, 300, 420}) {
      SCOPED_TRACE(std::string(stage_name(stage)) + " " + std::to_string(width));
      ViewSpec view = view_of(ViewKind::difference, stage);
      view.width = width;
      const FigurePlan made = figure_plan(source_of(*ours, theirs), view, false);
      EXPECT_EQ(made.width, width);
      EXPECT_TRUE(has_line(made, "theirs \u2212 ours"));
      EXPECT_TRUE(has_text(made, "batch item 0"));
      const std::vector<TextItem> texts = items_of<TextItem>(made);
      for (const TextItem& a : texts) {
        if (a.quarter_turns != 0) continue;
        const double end = a.x + drawn_width(a.text, a.role, a.size);
        EXPECT_LE(end, width) << a.text;
        for (const TextItem& b : texts) {
          if (&a == &b || b.quarter_turns != 0 || a.y != b.y || b.x < a.x) continue;
          EXPECT_LE(end, b.x) << a.text << " runs into " << b.text;
        }
      }
    }
  }
}

TEST_F(FigureTheirs, TheRecipeNamesTheirFile) {
  const TheirsFigure theirs = theirs_of(*ours_, StageId::query, ours_->tensor(StageId::query));
  const ViewSpec view = view_of(ViewKind::difference, StageId::query);
  const auto chunks = recipe_of(source_of(*ours_, theirs), view);
  const SessionFile session = parse_session(chunks.at("headscope"), "the recipe");
  EXPECT_EQ(session.theirs, "mine.npy");
  EXPECT_FALSE(session.against.has_value());
  EXPECT_THROW(parse_session(R"({"phrase": "a", "theirs": 3})", "x"), Error);
  EXPECT_THROW(parse_session(R"({"phrase": "a", "theirs": ""})", "x"), Error);
}

}  // namespace
}  // namespace headscope
