// The part of a view that pictures and session files keep.
#include "app/session/view_state.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

TEST(ViewSpecOfState, AScoreLikeStageIsTheGridOfItsQuantity) {
  ViewState view;
  view.stage = StageId::scores;
  view.quantity = StageId::scores;
  view.head = 5;
  view.signed_map = ColorMap::coolwarm;
  view.weight_map = ColorMap::magma;
  const ViewSpec spec = view_spec_of(view, Theme::light);
  EXPECT_EQ(spec.view, ViewKind::heads);
  EXPECT_EQ(spec.stage, StageId::scores);
  EXPECT_EQ(spec.head, 5);
  EXPECT_EQ(spec.colormap, ColorMap::coolwarm);
}

TEST(ViewSpecOfState, OtherStagesAreShownAsStages) {
  ViewState view;
  view.stage = StageId::output;
  EXPECT_EQ(view_spec_of(view, Theme::light).view, ViewKind::stage);
  EXPECT_EQ(view_spec_of(view, Theme::light).stage, StageId::output);
  view.stage = StageId::concat;
  EXPECT_EQ(view_spec_of(view, Theme::light).view, ViewKind::concat);
}

TEST(ViewSpecOfState, WhatItKeepsComesBack) {
  for (const StageId stage :
       {StageId::weights, StageId::masked_scores, StageId::output, StageId::concat, StageId::input}) {
    for (const bool fixed : {false, true}) {
      ViewState view;
      view.stage = stage;
      if (is_score_like(stage)) view.quantity = stage;
      view.batch = 1;
      view.head = 2;
      view.range_fixed = fixed;
      view.range = RangeKind::row;
      view.range_low = -2;
      view.range_high = 3;
      view.log_scale = true;
      const ViewSpec spec = view_spec_of(view, Theme::light);
      EXPECT_EQ(spec.theme, Theme::light);
      EXPECT_EQ(spec.range, fixed ? RangeKind::fixed : RangeKind::row);
      ViewState back;
      apply_view_spec(back, spec);
      EXPECT_EQ(view_spec_of(back, Theme::light), spec) << stage_name(stage);
      EXPECT_EQ(back.stage, stage);
    }
  }
}

TEST(ViewSpecOfState, LinesAndNeuronsAreViewsOfTheirOwn) {
  ViewState view;
  view.cell = Cell{3, 1};
  EXPECT_FALSE(view_spec_of(view, Theme::light).token.has_value()) << "the grid has no query that stands out";
  view.heads_show = HeadsShow::arcs;
  view.arcs_heads = {1, 2};
  view.arcs_hide_below = 0.5;
  view.arcs_sentences = SentencePair::a_to_b;
  for (const HeadsShow shows : {HeadsShow::arcs, HeadsShow::neurons}) {
    view.heads_show = shows;
    const ViewSpec spec = view_spec_of(view, Theme::light);
    EXPECT_EQ(spec.view, shows == HeadsShow::arcs ? ViewKind::arcs : ViewKind::neurons);
    EXPECT_EQ(spec.token, 3);
    ViewState back;
    apply_view_spec(back, spec);
    EXPECT_EQ(view_spec_of(back, Theme::light), spec);
    EXPECT_EQ(back.heads_show, shows);
    EXPECT_EQ(back.arcs_heads, view.arcs_heads);
  }
  view.stage = StageId::output;
  EXPECT_EQ(view_spec_of(view, Theme::light).view, ViewKind::stage);
}

TEST(ViewSpecOfState, ApplyingKeepsTheLayoutAndForgetsTheZoom) {
  ViewState view;
  view.inspector_width = 333;
  view.viewport = {1, 1, 2, 2};
  view.cell = Cell{9, 9};
  ViewSpec spec;
  spec.head = 4;
  apply_view_spec(view, spec);
  EXPECT_EQ(view.inspector_width, 333);
  EXPECT_TRUE(view.viewport.fitted());
  EXPECT_FALSE(view.cell.has_value());
  EXPECT_EQ(view.head, 4);
}

}  // namespace
}  // namespace headscope
