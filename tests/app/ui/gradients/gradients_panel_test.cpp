// The view 'gradients': what every attention weight does to a number of the prediction.
#include "app/ui/gradients/gradients_panel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/sweep/weight_gradients.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class GradientsPanel : public testing::Test {
 protected:
  GradientsPanel() : d(open_document("demo:induction", Request(), ViewState())) {
    d.session.draft.phrase = "cat box ink fox jam cat";
    d.step(4);
    d.session.view.gradients.show = GradientsShow::maps;
    d.key(KeyName::b, true, true);
    d.step(4);
  }
  GradientsView& view() { return d.session.view.gradients; }
  WeightGradients computed(const std::string& metric, std::int64_t steps = 0) {
    return weight_gradients({}, {d.trace().request, metric, std::nullopt, steps}, CancelToken());
  }
  bool shows(const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }
  Driver d;
};

TEST_F(GradientsPanel, DerivesWhatTheModelSays) {
  EXPECT_EQ(d.session.view.main_view, MainView::gradients);
  EXPECT_EQ(d.focus(), kGradientsGrid);
  EXPECT_EQ(d.names("gradients/head/").size(), 16U);
  const WeightGradients found = computed("logit:box");
  EXPECT_TRUE(shows("gradient × weight of the logit of 'box'")) << "the model goes on with box";
  const auto strongest = std::max_element(found.heads.begin(), found.heads.end(),
                                          [](const auto& a, const auto& b) { return a.absolute < b.absolute; });
  EXPECT_TRUE(shows(fmt::format("strongest: layer {}, head {}: sum {}", strongest->layer, strongest->head,
                                number_label(strongest->sum, 4))));
  EXPECT_TRUE(shows(fmt::format("Layer {}, head {}", strongest->layer, strongest->head))) << "its map is the first";
  EXPECT_FALSE(view().head.has_value());
}

// Rows are heads, columns words, and a cell is the sum of a column of the head's map; the last column is that of all.
TEST_F(GradientsPanel, ARowIsAHeadAddedForEachWord) {
  d.click("gradients/show", 0.1f);
  ASSERT_EQ(view().show, GradientsShow::looked_at);
  d.step(2);
  EXPECT_EQ(d.names("gradients/head/").size(), 16U * 7U);
  const WeightGradients found = computed("logit:box");
  const HeadWeightGradients& head = found.heads[9];
  double sum = 0;
  for (std::int64_t i = 0; i < 6; ++i) sum += static_cast<double>(found.layers[1].product.at({0, 1, i, 1}));
  EXPECT_NEAR(head.by_key[1], sum, 1e-9);
  d.hover("gradients/head/9,1");
  d.step(2);
  EXPECT_TRUE(shows("layer 1, head 1: all looks at box together: " + number_label(sum, 4)));
  d.click("gradients/head/9,1");
  EXPECT_EQ(view().head, (LayerHead{1, 1}));
  ASSERT_TRUE(d.session.view.cell);
  EXPECT_EQ(d.session.view.cell->column, 1) << "the largest look at that word";
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_LE(std::abs(found.layers[1].product.at({0, 1, i, 1})),
              std::abs(found.layers[1].product.at({0, 1, d.session.view.cell->row, 1})));
  }
  d.click("gradients/show", 0.5f);
  EXPECT_EQ(view().show, GradientsShow::looking);
  d.hover("gradients/head/9,5");
  d.step(2);
  EXPECT_TRUE(shows("layer 1, head 1: all looks of cat together: " + number_label(head.by_query[5], 4)));
  d.click("gradients/head/9,5");
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, 1);
  EXPECT_EQ(d.session.view.head, 1);
}

TEST_F(GradientsPanel, TheStrongestLooksArePicked) {
  const WeightGradients found = computed("logit:box");
  const auto strongest = std::max_element(found.heads.begin(), found.heads.end(), [](const auto& a, const auto& b) {
    return std::abs(a.largest) < std::abs(b.largest);
  });
  const std::string name = fmt::format("gradients/look/{}.{}", strongest->layer, strongest->head);
  ASSERT_TRUE(d.has(name));
  d.click(name);
  EXPECT_EQ(view().head, (LayerHead{strongest->layer, strongest->head}));
  EXPECT_EQ(d.session.view.cell, (Cell{strongest->query, strongest->key}));
}

TEST_F(GradientsPanel, TheFindingNamesTheHeadThatAddsMost) {
  const WeightGradients found = computed("logit:box");
  const auto most = std::max_element(found.heads.begin(), found.heads.end(),
                                     [](const auto& a, const auto& b) { return a.sum < b.sum; });
  EXPECT_TRUE(shows(fmt::format("Layer {}, head {} adds most to the logit of 'box'", most->layer, most->head)));
  d.click("gradients/show", 0.1f);
  d.step(2);
  EXPECT_TRUE(shows(fmt::format("Layer {}, head {}", most->layer, most->head)))
      << "and its map is shown beside the rows";
}

TEST_F(GradientsPanel, AHeadMayHaveColoursOfItsOwn) {
  d.click("gradients/head/0,1");
  const auto end = [&] {
    const auto& result = d.state.panels.get<GradientsPanelState>().last;
    const GradientsShown shown{*result->answer, result->question, 0, 1, 7, view().own_range};
    return shown.end_of(shown.picked());
  };
  EXPECT_EQ(end(), 7) << "that of all heads";
  d.click("gradients/range", 0.75f);
  EXPECT_TRUE(view().own_range);
  EXPECT_EQ(end(), std::abs(computed("logit:box").heads[1].largest));
}

TEST_F(GradientsPanel, APickedCellIsAProduct) {
  d.click("gradients/head/1,7");
  EXPECT_EQ(view().head, (LayerHead{1, 7}));
  d.session.view.cell = Cell{5, 1};
  d.step(2);
  const WeightGradients found = computed("logit:box");
  const auto number = [](const Tensor& tensor) {
    return number_label(static_cast<double>(tensor.at({0, 7, 5, 1})), 4);
  };
  const LayerWeightGradients& layer = found.layers[1];
  EXPECT_TRUE(shows(number(layer.gradient) + " × " + number(found.trace->model->layers[1]->tensor(StageId::weights)) +
                    " = " + number(layer.product)));
  EXPECT_TRUE(shows("All heads of layer 1 together: " + number_label(layer.sum, 4)));
}

TEST_F(GradientsPanel, APathSaysWhatItMisses) {
  d.click("gradients/path", 0.75f);
  view().steps = 5;
  d.step(6);
  EXPECT_TRUE(view().path);
  const WeightGradients found = computed("logit:box", 5);
  const LayerWeightGradients& layer = found.layers[0];
  EXPECT_TRUE(shows("changes by " + number_label(*layer.difference, 4) + ": gap " +
                    number_label(*layer.difference - layer.sum, 2) + " with 5 steps"));
}

TEST_F(GradientsPanel, ATokenIsAskedForAndAWrongOneIsSaid) {
  d.choose("gradients/measure", "probability");
  EXPECT_TRUE(d.has("gradients/sentence: Type a token that the number is about."));
  d.click("gradients/tokens");
  d.type("ink");
  d.step(4);
  EXPECT_TRUE(shows("probability of 'ink'"));
  d.type("zz");
  d.step(4);
  EXPECT_TRUE(shows("'inkzz' is no token"));
}

TEST_F(GradientsPanel, ArrowsWalkAndEnterOpensTheHead) {
  d.click("gradients/head/0,2");
  d.key(KeyName::down);
  d.key(KeyName::right);
  EXPECT_EQ(view().head, (LayerHead{1, 3}));
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, 1);
  EXPECT_EQ(d.session.view.head, 3);
}

TEST_F(GradientsPanel, LeavingLetsTheNumbersGo) {
  const GradientsPanelState& state = d.state.panels.get<GradientsPanelState>();
  EXPECT_NE(state.last, nullptr);
  d.key(KeyName::escape);
  d.step(2);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(state.last, nullptr);
  d.key(KeyName::b, true, true);
  d.step(4);
  EXPECT_TRUE(shows("gradient × weight of the logit of 'box'")) << "and they come back";
}

TEST_F(GradientsPanel, OneLayerAloneIsNoModelToGoBackThrough) {
  d.session.draft.model = "seeded";
  d.step(4);
  EXPECT_FALSE(d.has("gradients")) << "no old answer stands beside another result";
}

TEST_F(GradientsPanel, AModelThatTheBackwardPassDoesNotKnowIsSaid) {
  d.session.draft.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/mixtral";
  d.session.draft.phrase.clear();
  d.session.draft.token_ids = {1, 5, 4, 7};
  d.step(6);
  EXPECT_TRUE(shows("a mixture of experts"));
}

}  // namespace
}  // namespace headscope::ui
