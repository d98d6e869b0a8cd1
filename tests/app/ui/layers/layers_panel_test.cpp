// All layers and heads: keys and clicks walk the grid, open and switch heads; sort, filter, tokens, aggregates.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/ui/layers/layers_layout.h"
#include "app/ui/layers/layers_panel.h"
#include "core/attention/model_trace.h"
#include "core/heads/head_metric_values.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kLayers = 2, kHeads = 8, kTokens = 11;  // of demo:pronouns and its phrase

class LayersPanel : public testing::Test {
 protected:
  LayersPanel() : d(open_document("demo:pronouns", Request(), ViewState())) { d.key(KeyName::f3); }
  LayersView& view() { return d.session.view.layers; }
  Driver d;
};

TEST_F(LayersPanel, TakesThePlaceOfTheOtherPanels) {
  EXPECT_EQ(d.session.view.main_view, MainView::layers);
  EXPECT_TRUE(d.has("layers/1.7"));
  EXPECT_FALSE(d.has("heads/0"));
  EXPECT_FALSE(d.has("inspector"));
  d.key(KeyName::f3);
  EXPECT_FALSE(d.has("layers"));
  EXPECT_TRUE(d.has("heads/0"));
}

TEST_F(LayersPanel, ShowsEveryHeadOfEveryLayer) {
  EXPECT_EQ(d.names("layers/0.").size() + d.names("layers/1.").size(), static_cast<std::size_t>(kLayers * kHeads));
  const Rect a = d.rect("layers/0.0"), b = d.rect("layers/1.0"), c = d.rect("layers/0.1");
  EXPECT_GT(b.min.y, a.max.y);
  EXPECT_GT(c.min.x, a.max.x);
}

TEST_F(LayersPanel, ArrowsMoveAndStopAtTheEdges) {
  EXPECT_EQ(d.focus(), "layers/grid");
  d.key(KeyName::home);
  EXPECT_EQ(view().layer, 0);
  EXPECT_EQ(d.session.view.head, 0);
  d.key(KeyName::left);
  d.key(KeyName::up);
  EXPECT_EQ(view().layer, 0);
  EXPECT_EQ(d.session.view.head, 0);
  d.key(KeyName::down);
  d.key(KeyName::right);
  EXPECT_EQ(view().layer, 0) << "its heads stand in two rows";
  EXPECT_EQ(d.session.view.head, 5);
  d.key(KeyName::down);
  EXPECT_EQ(view().layer, 1);
  EXPECT_EQ(d.session.view.head, 1);
  d.key(KeyName::end);
  EXPECT_EQ(view().layer, 1);
  EXPECT_EQ(d.session.view.head, 7);
  d.key(KeyName::right);
  d.key(KeyName::down);
  EXPECT_EQ(view().layer, 1);
  EXPECT_EQ(d.session.view.head, 7);
}

TEST_F(LayersPanel, EnterOpensTheHeadInItsLayer) {
  d.click("layers/0.2");
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_EQ(d.session.view.head, 2);
  EXPECT_EQ(d.session.trace()->model->layer, 0);
  EXPECT_EQ(d.focus(), "heads/2");
}

TEST_F(LayersPanel, ADoubleClickOpensToo) {
  d.double_click("layers/0.3");
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_EQ(d.session.view.head, 3);
}

TEST_F(LayersPanel, XSwitchesTheHeadOffAndOn) {
  d.click("layers/1.2");
  d.key(KeyName::x);
  EXPECT_EQ(d.session.draft.ablate, (std::vector<AblatedHead>{{1, 2}}));
  EXPECT_EQ(d.trace().request.ablate.size(), 1u);
  d.right_click("layers/0.1");
  EXPECT_EQ(view().layer, 0) << "the menu is about the head that it points at";
  d.click("head_menu/Switch off");
  EXPECT_EQ(d.session.draft.ablate, (std::vector<AblatedHead>{{1, 2}, {0, 1}}));
  d.click("layers/switch");
  EXPECT_EQ(d.session.draft.ablate, (std::vector<AblatedHead>{{1, 2}}));
  d.ctrl(KeyName::z);
  EXPECT_EQ(d.session.draft.ablate.size(), 2u);
  EXPECT_EQ(d.session.view.main_view, MainView::layers) << "undoing leaves the view where it is";
}

TEST_F(LayersPanel, SortedHeadsFallInTheMetric) {
  d.choose("layers/sort", "entropy, bits");
  ASSERT_EQ(view().sort, HeadMetric::entropy);
  std::vector<std::pair<std::pair<float, float>, double>> placed;
  for (std::int64_t l = 0; l < kLayers; ++l) {
    for (std::int64_t h = 0; h < kHeads; ++h) {
      const Rect place = d.rect("layers/" + std::to_string(l) + "." + std::to_string(h));
      const double entropy =
          head_metrics(*d.trace().model->layers[static_cast<std::size_t>(l)], 0, h)[HeadMetric::entropy].value;
      placed.push_back({{place.min.y, place.min.x}, entropy});
    }
  }
  std::sort(placed.begin(), placed.end());
  for (std::size_t k = 1; k < placed.size(); ++k) EXPECT_LE(placed[k].second, placed[k - 1].second) << k;
  d.choose("layers/sort", "by position");
  EXPECT_EQ(view().sort, std::nullopt);
}

TEST_F(LayersPanel, TheFilterCountsWhatPasses) {
  d.choose("layers/filter", "first token");
  ASSERT_EQ(view().filter, HeadMetric::first_token);
  std::vector<double> values;
  for (std::int64_t l = 0; l < kLayers; ++l) {
    for (std::int64_t h = 0; h < kHeads; ++h) {
      values.push_back(
          head_metrics(*d.trace().model->layers[static_cast<std::size_t>(l)], 0, h)[HeadMetric::first_token].value);
    }
  }
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  view().filter_value = (sorted[4] + sorted[5]) / 2;  // five lie below
  d.step();
  EXPECT_TRUE(d.has("layers/11 of 16 pass"));
  view().filter_below = true;
  d.step();
  EXPECT_TRUE(d.has("layers/5 of 16 pass"));
}

TEST_F(LayersPanel, TokensCanBeHiddenAndBack) {
  d.click("layers/tokens");
  d.click("layers/tokens/hide the first token");
  EXPECT_EQ(d.session.draft.hide_tokens, HideTokens::first);
  EXPECT_TRUE(d.has("layers/tokens_sentence"));
  d.textures.of_frame.clear();
  d.step(1);
  bool seen = false;
  for (const HeatmapSpec& spec : d.textures.of_frame) {
    EXPECT_FALSE(spec.matrix.dim(0) == kTokens && spec.matrix.dim(1) == kTokens) << "a whole map is still there";
    seen = seen || spec.matrix.dim(1) == kTokens - 1;
  }
  EXPECT_TRUE(seen);
  d.click("layers/tokens");
  d.click("layers/tokens/hide the first token");
  EXPECT_EQ(d.session.draft.hide_tokens, HideTokens::none);
}

TEST_F(LayersPanel, AggregatesReplaceTheGrid) {
  for (const char* name : {"mean", "max", "rollout", "flow"}) {
    d.click(std::string("layers/aggregate/") + name);
    ASSERT_EQ(view().aggregate, aggregate_named(name));
    EXPECT_TRUE(d.has("layers/aggregate_map"));
    EXPECT_FALSE(d.has("layers/aggregate_failure")) << name;
    std::vector<std::string> controls = d.state.tab_order;
    std::sort(controls.begin(), controls.end());
    EXPECT_EQ(std::adjacent_find(controls.begin(), controls.end()), controls.end()) << "Tab reaches each control once";
    EXPECT_FALSE(d.has("layers/0.0"));
  }
  d.click("layers/aggregate/heads");
  EXPECT_TRUE(d.has("layers/0.0"));
}

TEST_F(LayersPanel, WhatAMaskHidesIsHatchedInAggregatesToo) {
  find_request_option("mask")->set(d.session.draft, "causal");
  for (const char* name : {"mean", "rollout", "flow"}) {
    d.click(std::string("layers/aggregate/") + name);
    d.textures.of_frame.clear();
    d.step(3);
    bool found = false;
    for (const HeatmapSpec& spec : d.textures.of_frame) {
      if (spec.matrix.dim(0) != kTokens || spec.mask == nullptr) continue;
      found = true;
      EXPECT_TRUE(spec.mask->hidden.hidden(0, 0, 2, 3)) << name;
      EXPECT_FALSE(spec.mask->hidden.hidden(0, 0, 3, 2)) << name;
    }
    EXPECT_TRUE(found) << name;
  }
}

TEST(SharedRank, IsOneForNumbersThatReadAlike) {
  const std::vector<double> all = {0.70049, 0.7, 0.69951, 0.9, 0.2};
  EXPECT_EQ(shared_rank(0.9, all), 1);
  for (const double value : {0.70049, 0.7, 0.69951}) EXPECT_EQ(shared_rank(value, all), 2) << value;
  EXPECT_EQ(shared_rank(0.2, all), 5) << "behind four";
}

TEST_F(LayersPanel, APickedCellIsReadOfThePickedHead) {
  d.click("layers/0.1");
  d.click("layers/picture", 0.1f, 0.9f);
  ASSERT_TRUE(d.session.view.cell);
  EXPECT_EQ(d.session.view.cell->row, 9);
  EXPECT_EQ(d.session.view.cell->column, 1);
  EXPECT_TRUE(d.has("layers/score/induction"));
}

TEST_F(LayersPanel, SaysWhatTheModelPredictsAndWhatAHeadThatIsOffChanges) {
  d.resize(1600, 1100);
  d.step();
  EXPECT_TRUE(d.has("layers/loss"));
  EXPECT_TRUE(d.names("layers/change: ").empty());
  for (std::int64_t h = 0; h < kHeads; ++h) d.session.draft.ablate.push_back({1, h});
  d.step(3);
  ASSERT_EQ(d.names("layers/change: ").size(), 1u);
  const std::string sentence = d.names("layers/change: ").front();
  EXPECT_NE(sentence.find("With 8 heads off, animal falls from"), std::string::npos) << sentence;
  d.click("layers/interventions/clear");
  EXPECT_TRUE(d.session.draft.ablate.empty());
  EXPECT_TRUE(d.names("layers/change: ").empty());
}

TEST_F(LayersPanel, EveryInterventionIsListedAndComparedWithNone) {
  find_request_option("edit")->set(d.session.draft, "1/weights:0,7,7,1=0");
  d.step(3);
  ASSERT_EQ(d.names("layers/change: ").size(), 1u);
  const std::string one = d.names("layers/change: ").front();
  EXPECT_NE(one.find("With layer 1, weights[0,7,7,1] = 0, animal falls from"), std::string::npos) << one;
  EXPECT_TRUE(d.names("layers/alone/").empty()) << "the bars say what one does";
  find_request_option("paint")->set(d.session.draft, "hide@7,1");
  find_request_option("freeze")->set(d.session.draft, "off:0.1=uniform");
  d.step(3);
  const std::string two = d.names("layers/change: ").front();
  EXPECT_NE(two.find("With both, animal falls from"), std::string::npos) << two;
  ASSERT_EQ(d.names("layers/alone/").size(), 2u) << "what is off has no effect to show";
  EXPECT_EQ(d.names("layers/alone/1/weights:0,7,7,1=0: \u2212").size(), 1u);
  EXPECT_EQ(d.names("layers/alone/hide@7:8,1:2: \u2212").size(), 1u);
  d.click("layers/interventions/0");
  EXPECT_TRUE(d.session.draft.freeze[0].on) << "in the order of the options";
  d.click("layers/interventions/0");
  d.click("layers/interventions/1/remove");
  EXPECT_TRUE(d.session.draft.edits.empty());
  d.click("layers/interventions/switch");
  EXPECT_FALSE(d.session.draft.paint[0].on);
  EXPECT_TRUE(d.names("layers/change: ").empty()) << "all are off: the result is the one without";
  d.click("layers/interventions/switch");
  EXPECT_TRUE(d.session.draft.paint[0].on);
}

TEST_F(LayersPanel, FitsTheSmallestWindow) {
  d.resize(960, 640);
  EXPECT_TRUE(d.has("layers/0.0"));
  EXPECT_TRUE(d.has("layers/picture"));
}

TEST(LayersView, NeedsSeveralLayers) {
  Driver d;  // one seeded layer
  d.key(KeyName::f3);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_TRUE(d.has("heads/0"));
  ASSERT_FALSE(d.state.notices.empty());
  EXPECT_EQ(d.state.notices.back().key, "layers");
}

TEST(LayersLayoutTest, EveryPictureLiesInsideAndApart) {
  for (const float width : {500.0f, 800.0f, 1500.0f}) {
    for (const bool sorted : {false, true}) {
      const LayersLayout layout = layers_layout(width, 700, 12, 12, sorted, 1);
      EXPECT_GE(layout.tile, 22) << width;
      for (std::int64_t k = 0; k < 144; ++k) {
        const Rect place = layout.place(k);
        EXPECT_LE(place.max.x + layout.left, width + 1) << width << " " << k;
        EXPECT_LE(place.max.y, layout.content_height);
        if (k % layout.columns > 0) {
          EXPECT_GE(place.min.x, layout.place(k - 1).max.x);
        }
        if (k >= layout.columns) {
          EXPECT_GE(place.min.y, layout.place(k - layout.columns).max.y);
        }
      }
    }
  }
}

TEST(LayersLayoutTest, FewLayersFillTheViewInSeveralRowsEach) {
  const LayersLayout two = layers_layout(900, 800, 2, 8, false, 1);
  EXPECT_EQ(two.columns, 4);
  EXPECT_EQ(two.rows, 4);
  EXPECT_GT(two.label, 0) << "columns are no heads then, so that each picture is named";
  EXPECT_GT(two.tile, layers_layout(900, 400, 2, 8, false, 1).tile);
  EXPECT_GT(two.content_height, 700);
  EXPECT_FALSE(two.scrolls);
  EXPECT_EQ(layers_layout(900, 700, 12, 12, false, 1).columns, 12) << "many layers have a row each";
}

TEST(LayersLayoutTest, ManyHeadsScrollRatherThanVanish) {
  const LayersLayout layout = layers_layout(900, 700, 80, 64, false, 1);
  EXPECT_TRUE(layout.scrolls);
  EXPECT_GE(layout.tile, 22);
  EXPECT_FALSE(layers_layout(900, 700, 2, 8, false, 1).scrolls);
}

}  // namespace
}  // namespace headscope::ui
