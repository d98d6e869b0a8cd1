// The part of a view that pictures and session files keep.
// Long because it has a test for every kind of picture that opens in a view.
#include "app/session/view_state.h"

#include <gtest/gtest.h>

#include "app/session/state_json.h"
#include "core/base/error.h"
#include "core/export/session_file.h"

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
    for (const RangeKind range : {RangeKind::fixed, RangeKind::fit}) {
      ViewState view;
      view.stage = stage;
      if (is_score_like(stage)) view.quantity = stage;
      view.batch = 1;
      view.head = 2;
      view.range_fixed = range == RangeKind::fixed;
      view.range = RangeKind::fit;
      view.range_low = -2;
      view.range_high = 3;
      view.stage_range = RangeOfStage{stage, range, -2, 3};
      view.log_scale = true;
      const ViewSpec spec = view_spec_of(view, Theme::light);
      EXPECT_EQ(spec.theme, Theme::light);
      EXPECT_EQ(spec.range, range);
      EXPECT_EQ(spec.range_low, -2);
      ViewState back;
      apply_view_spec(back, spec);
      EXPECT_EQ(view_spec_of(back, Theme::light), spec) << stage_name(stage);
      EXPECT_EQ(back.stage, stage);
    }
  }
}

TEST(ViewSpecOfState, TheRangeOfTheHeadsIsNotThatOfAnotherStage) {
  ViewState view;
  view.range_fixed = true;
  view.range_low = 0.25;
  view.stage_range = RangeOfStage{StageId::input, RangeKind::fixed, 1, 2};
  view.stage = StageId::output;
  EXPECT_EQ(view_spec_of(view, Theme::light).range, RangeKind::automatic);
  view.stage = StageId::input;
  EXPECT_EQ(view_spec_of(view, Theme::light).range_low, 1);
  view.stage = StageId::weights;
  EXPECT_EQ(view_spec_of(view, Theme::light).range_low, 0.25);
}

TEST(ViewSpecOfState, OneLargeHeadIsThePictureOfAHead) {
  ViewState view;
  view.head = 5;
  view.cell = Cell{3, 1};
  view.heads_show = HeadsShow::one;
  const ViewSpec spec = view_spec_of(view, Theme::light);
  EXPECT_EQ(spec.view, ViewKind::head);
  EXPECT_EQ(spec.head, 5);
  EXPECT_FALSE(spec.token.has_value());
  ViewState of_before;
  apply_view_spec(of_before, spec);
  EXPECT_EQ(of_before.heads_show, HeadsShow::grid) << "as it opened before";
  ViewState back;
  apply_window(back, spec, window_json(view));
  EXPECT_EQ(back.heads_show, HeadsShow::one);
  EXPECT_EQ(back.head, 5);
}

TEST(ViewSpecOfState, LinesAndNeuronsAreViewsOfTheirOwn) {
  ViewState view;
  view.cell = Cell{3, 1};
  EXPECT_FALSE(view_spec_of(view, Theme::light).token.has_value()) << "the grid has no query that stands out";
  view.heads_show = HeadsShow::arcs;
  view.arcs_chosen = true;
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

TEST(ViewSpecOfState, LinesOfTheSelectedHeadAloneComeBackAsThese) {
  ViewState view, back;
  view.head = 3;
  EXPECT_FALSE(view_spec_of(view, Theme::dark).heads_shown.has_value()) << "the grid says nothing of lines";
  view.heads_show = HeadsShow::arcs;
  const ViewSpec spec = view_spec_of(view, Theme::dark);
  EXPECT_EQ(spec.heads_shown, std::vector<std::int64_t>{3});
  apply_view_spec(back, spec);
  EXPECT_FALSE(back.arcs_chosen);
  ViewSpec all = spec;
  all.heads_shown.reset();
  apply_view_spec(back, all);
  EXPECT_TRUE(back.arcs_chosen) << "a picture that names no heads is of all";
  EXPECT_FALSE(back.arcs_heads.has_value());
  EXPECT_EQ(parse_view_state(view_state_json(back)), back);
  EXPECT_TRUE(parse_view_state(R"({"arcs_heads": [1]})").arcs_chosen) << "of an earlier version";
}

TEST(ViewSpecOfState, TheTextIsAViewOfItsOwn) {
  ViewState view;
  view.main_view = MainView::text;
  view.cell = Cell{3, 1};
  view.arcs_heads = {5};
  view.text.heads = {1, 2};
  for (const TextAlong along : {TextAlong::row, TextAlong::column}) {
    view.text.along = along;
    const ViewSpec spec = view_spec_of(view, Theme::light);
    EXPECT_EQ(spec.view, ViewKind::text);
    EXPECT_EQ(spec.token, along == TextAlong::row ? 3 : 1);
    ViewState back;
    apply_view_spec(back, spec);
    EXPECT_EQ(view_spec_of(back, Theme::light), spec);
    EXPECT_EQ(back.main_view, MainView::text);
    EXPECT_EQ(back.text, view.text);
    EXPECT_EQ(parse_view_state(view_state_json(view)).text, view.text);
    EXPECT_EQ(back.arcs_heads, std::nullopt) << "lines have heads of their own";
  }
}

TEST(ViewSpecOfState, ALensAndAnAttributionOpenInTheLens) {
  ViewState view;
  view.main_view = MainView::lens;
  view.lens = {0, 4, {28, 6}, AttributionBy::heads};
  const ViewSpec lens = view_spec_of(view, Theme::dark);
  EXPECT_EQ(lens.view, ViewKind::lens);
  ViewState back;
  apply_view_spec(back, lens);
  EXPECT_EQ(back.main_view, MainView::lens);
  EXPECT_EQ(parse_view_state(view_state_json(view)).lens, view.lens);
  view.lens.of = LensOf::heads;
  EXPECT_EQ(parse_view_state(view_state_json(view)).lens, view.lens);
  EXPECT_EQ(view_spec_of(view, Theme::dark).question.lens_of, LensOf::heads);
  apply_view_spec(back, view_spec_of(view, Theme::dark));
  EXPECT_EQ(back.lens.of, LensOf::heads);
  EXPECT_EQ(parse_view_state(R"({"lens": {"layer": 0}})").lens.of, LensOf::layers) << "of an earlier version";
  ViewSpec spec;
  spec.view = ViewKind::attribution;
  spec.at = {4};
  spec.question.tokens = "28,6";
  spec.question.by = AttributionBy::sources;
  apply_view_spec(back, spec);
  EXPECT_EQ(back.main_view, MainView::lens);
  EXPECT_EQ(back.lens, (LensView{LensView::kLastLayer, 4, {28, 6}, AttributionBy::sources}));
  spec.question.tokens = "tired,6";
  apply_view_spec(back, spec);
  EXPECT_TRUE(back.lens.tokens.empty()) << "words are chosen anew";
  for (const char* wrong : {R"({"lens": {"tokens": [1, 2, 3]}})", R"({"lens": {"tokens": [-1]}})",
                            R"({"lens": {"by": "layers"}})", R"({"lens": {"of": "sources"}})"}) {
    EXPECT_THROW(parse_view_state(wrong), Error) << wrong;
  }
}

TEST(ViewSpecOfState, ASweepOfPathsWithMeansOpensAsThat) {
  ViewSpec spec;
  spec.view = ViewKind::sweep;
  spec.question.patch = SweepPatch::paths;
  spec.question.into = LayerHead{1, 7};
  spec.question.ablation = Ablation::mean;
  spec.question.metric = "loss";
  ViewState view;
  apply_view_spec(view, spec);
  EXPECT_EQ(view.sweep.patch, SweepPatch::paths);
  EXPECT_TRUE(view.sweep.into);
  EXPECT_EQ(view.sweep.end, (LayerHead{1, 7}));
  EXPECT_EQ(view.sweep.numbers, SweepNumbers::means);
  view.sweep.estimate = SweepEstimate::beside;
  EXPECT_EQ(parse_view_state(view_state_json(view)).sweep, view.sweep);
}

TEST(ViewSpecOfState, APictureOfASweepOpensInTheSweep) {
  ViewSpec spec;
  spec.view = ViewKind::sweep;
  spec.question.patch = SweepPatch::positions;
  spec.question.direction = SweepDirection::noise;
  spec.question.metric = "logit:ink-box";
  ViewState view;
  apply_view_spec(view, spec);
  EXPECT_EQ(view.main_view, MainView::sweep);
  SweepView wanted;
  wanted.patch = SweepPatch::positions;
  wanted.numbers = SweepNumbers::b_into_a;
  wanted.measure = SweepMeasure::logit;
  wanted.tokens = "ink-box";
  EXPECT_EQ(view.sweep, wanted);
  EXPECT_EQ(parse_view_state(view_state_json(view)).sweep, view.sweep);
  spec.question.metric = "kl";
  apply_view_spec(view, spec);
  EXPECT_EQ(view.sweep.measure, SweepMeasure::kl);
  EXPECT_EQ(view.sweep.tokens, "");
  EXPECT_THROW(parse_view_state(R"({"sweep": {"measure": "mean"}})"), Error);
  EXPECT_THROW(parse_view_state(R"({"sampling": {"sample": "beam"}})"), Error);
  EXPECT_THROW(parse_view_state(R"({"sampling": {"seed": "-1"}})"), Error);
}

TEST(ViewSpecOfState, PicturesOfScoresCircuitsAndScatterOpenInTheirViews) {
  ViewSpec spec;
  spec.view = ViewKind::score;
  spec.head = 7;
  spec.at = {5, 1};
  spec.question.by = AttributionBy::components;
  ViewState view;
  view.score.pair = Cell{3, 3};
  apply_view_spec(view, spec);
  EXPECT_EQ(view.main_view, MainView::score);
  EXPECT_EQ(view.head, 7);
  EXPECT_EQ(view.cell, (Cell{5, 1}));
  EXPECT_EQ(view.score, (ScoreView{AttributionBy::components, std::nullopt}));
  spec.question.by.reset();
  apply_view_spec(view, spec);
  EXPECT_EQ(view.score.by, AttributionBy::heads) << "as the picture has it";
  spec = ViewSpec();
  spec.view = ViewKind::composition;
  spec.question.reads = CompositionKind::value;
  apply_view_spec(view, spec);
  EXPECT_EQ(view.main_view, MainView::circuits);
  EXPECT_EQ(view.circuits.reads, CompositionKind::value);
  spec.view = ViewKind::scatter;
  apply_view_spec(view, spec);
  EXPECT_EQ(view.main_view, MainView::scatter);
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

ViewState whole_layers_view() {
  ViewState view;
  view.main_view = MainView::layers;
  view.layers.layer = 1;
  view.layers.sort = HeadMetric::induction;
  view.layers.filter = HeadMetric::entropy;
  view.layers.filter_below = true;
  view.layers.filter_value = 0.25;
  view.layers.norms = true;
  view.cell = Cell{2, 5};
  view.viewport = {1, 2, 3, 4};
  return view;
}

// Through the text of a file, over a view with another layout.
ViewState read_back(const ViewState& view) {
  const SessionFile file =
      parse_session(session_json(Request(), view_spec_of(view, Theme::light), window_json(view)), "s.json");
  ViewState back;
  back.inspector_width = 333;
  back.head = 6;
  apply_window(back, file.view, file.window);
  EXPECT_EQ(back.inspector_width, 333);
  return with_layout_of(back, view);
}

TEST(WindowOfASession, TheWholeViewComesBack) {
  EXPECT_EQ(read_back(whole_layers_view()), whole_layers_view());
  for (const MainViewWord& word : kMainViewWords) {
    ViewState view = whole_layers_view();
    view.main_view = word.view;
    view.stage = StageId::concat;
    view.concat_shows = ConcatShows::both;
    view.heads_show = HeadsShow::arcs;
    view.pooling = Pooling::mean;
    view.bug_lab.variants = {"no-scale"};
    view.bug_lab.format = "i8-token";
    view.bug_lab.rounded = Rounded::storage;
    view.weights.tensor = "Wq";
    view.sensitivity_by = SensitivityBy::scores;
    EXPECT_EQ(read_back(view), view) << word.word;
  }
  EXPECT_EQ(window_json(ViewState()), "") << "nothing to keep";
  EXPECT_EQ(read_back(ViewState()).main_view, MainView::layer);
}

TEST(WindowOfASession, TheLayoutIsNoPartOfIt) {
  ViewState view;
  view.inspector_width = 500;
  view.concat_collapsed = true;
  EXPECT_EQ(window_json(view), "");
}

TEST(WindowOfASession, AViewThatSaysAnotherThingIsTaken) {
  ViewSpec by_hand = view_spec_of(whole_layers_view(), Theme::dark);
  by_hand.view = ViewKind::head;
  by_hand.head = 3;
  ViewState view;
  apply_window(view, by_hand, window_json(whole_layers_view()));
  EXPECT_EQ(view.main_view, MainView::layer);
  EXPECT_EQ(view.head, 3);
  EXPECT_TRUE(view.layers.norms) << "what the view does not speak of";
  EXPECT_FALSE(view.cell.has_value());
}

TEST(WindowOfASession, WhatIsNoObjectIsRefused) {
  for (const char* text : {R"({"window": 3})", R"({"window": [1]})", R"({"window": {"a": 1e999}})"}) {
    EXPECT_THROW(parse_session(text, "s.json"), Error) << text;
  }
  ViewState view;
  EXPECT_THROW(apply_window(view, std::nullopt, R"({"head": "x"})"), Error);
}

}  // namespace
}  // namespace headscope
