// The heads: a click picks head and cell, keys walk, the header changes what is shown, hovering links the panels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/panel_data.h"
#include "core/heads/pattern.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(HeadsPanel, AClickPicksHeadAndCell) {
  Driver d;  // five tokens
  d.click("heads/3", 0.3f, 0.9f);
  EXPECT_EQ(d.session.view.head, 3);
  EXPECT_EQ(d.session.view.cell, (Cell{4, 1}));
  EXPECT_EQ(d.session.view.stage, StageId::weights);
}

TEST(HeadsPanel, AClickShowsTheHeadInTheInspectorAgain) {
  Driver d;
  d.click("pipeline/concat");
  d.click("heads/5", 0.1f, 0.1f);
  EXPECT_EQ(d.session.view.stage, StageId::weights);
  EXPECT_EQ(d.session.view.head, 5);
}

TEST(HeadsPanel, EveryCellIsWhereItIsDrawn) {
  Driver d;
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 5; ++column) {
      d.click("heads/6", (static_cast<float>(column) + 0.5f) / 5, (static_cast<float>(row) + 0.5f) / 5);
      EXPECT_EQ(d.session.view.cell, (Cell{row, column}));
    }
  }
}

TEST(HeadsPanel, ArrowsWalkTheGridAndEnterGoesToThePicture) {
  Driver d;
  d.click("heads/1");
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.head, 2);
  d.key(KeyName::down);
  EXPECT_EQ(d.session.view.head, 6);
  d.key(KeyName::down);
  EXPECT_EQ(d.session.view.head, 6) << "there is no third row";
  d.key(KeyName::left);
  d.key(KeyName::up);
  EXPECT_EQ(d.session.view.head, 1);
  d.key(KeyName::end);
  EXPECT_EQ(d.session.view.head, 7);
  d.key(KeyName::home);
  EXPECT_EQ(d.session.view.head, 0);
  d.key(KeyName::enter);
  EXPECT_EQ(d.focus(), "inspector/picture");
}

TEST(HeadsPanel, HoveringACellLinksTheOtherPanels) {
  Driver d;
  const Rect thumbnail = d.rect("heads/2");
  d.move({thumbnail.min.x + thumbnail.width() * 0.5f, thumbnail.min.y + thumbnail.height() * 0.9f});
  d.step(1);
  EXPECT_EQ(d.state.hover.query, 4);
  EXPECT_EQ(d.state.hover.key, 2);
  EXPECT_EQ(d.state.hover.head, 2);
  d.move({2, 2});
  d.step(1);
  EXPECT_EQ(d.state.hover.query, -1) << "nothing stays marked";
}

// The query stands before the arrow and the key behind it, whichever way their letters run.
TEST(HeadsPanel, TokensFromRightToLeftKeepTheirPlacesInTheLabel) {
  Document document = phrase_document("אחת שתיים ثلاثة four");
  document.request.init_gain = 6;
  Driver d(document, 1920, 1200);  // room for whole names
  int labels = 0;
  for (std::int64_t head = 0; head < 8; ++head) {
    const Rect line = d.rect("heads/" + std::to_string(head) + "/label");
    std::vector<DrawnText> drawn;
    for (const DrawnText& text : d.texts) {
      if (line.contains({text.at.x, line.center().y}) && std::abs(text.at.y - line.min.y) < line.height()) {
        drawn.push_back(text);
      }
    }
    std::sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) { return a.at.x < b.at.x; });
    const auto arrow = std::find_if(drawn.begin(), drawn.end(), [](const auto& text) { return text.words == "→"; });
    if (arrow == drawn.end()) continue;
    ++labels;
    const HeadSummary summary = summarize_head(d.trace(), 0, head);
    EXPECT_EQ((arrow - 1)->words, d.trace().query_labels()[static_cast<std::size_t>(summary.query)]);
    EXPECT_EQ((arrow + 1)->words, d.trace().key_labels()[static_cast<std::size_t>(summary.key)]);
  }
  EXPECT_GT(labels, 2);
}

TEST(HeadsPanel, TheQuantityChangesHeadsAndInspector) {
  Driver d;
  d.choose("heads/quantity", "raw_scores");
  EXPECT_EQ(d.session.view.quantity, StageId::raw_scores);
  EXPECT_EQ(d.session.view.stage, StageId::raw_scores);
  d.click("pipeline/output");
  d.choose("heads/quantity", "masked_scores");
  EXPECT_EQ(d.session.view.quantity, StageId::masked_scores);
  EXPECT_EQ(d.session.view.stage, StageId::output) << "the inspector keeps its stage";
}

TEST(HeadsPanel, MapsOfWeightsAndOfSignedNumbersAreChosenApart) {
  Driver d;
  d.choose("heads/colormap", "magma");
  EXPECT_EQ(d.session.view.weight_map, ColorMap::magma);
  EXPECT_EQ(d.session.view.signed_map, std::nullopt);
  d.choose("heads/quantity", "scores");
  d.choose("heads/colormap", "coolwarm");
  EXPECT_EQ(d.session.view.signed_map, ColorMap::coolwarm);
  EXPECT_EQ(d.session.view.weight_map, ColorMap::magma);
  d.choose("heads/colormap", "by theme");
  EXPECT_EQ(d.session.view.signed_map, std::nullopt);
}

TEST(HeadsPanel, TheRangeIsSharedPerHeadPerRowOrTyped) {
  Driver d;
  ViewState& view = d.session.view;
  d.choose("heads/range", "range: per head");
  EXPECT_TRUE(view.range_per_head);
  d.choose("heads/range", "range: per row");
  EXPECT_FALSE(view.range_per_head);
  EXPECT_EQ(view.range, RangeKind::row);
  d.choose("heads/range", "switch to logarithmic");
  EXPECT_TRUE(view.log_scale);
  EXPECT_EQ(view.range, RangeKind::row) << "the scale is not the range";
  EXPECT_FALSE(d.has("heads/range_low"));
  d.choose("heads/range", "range: fixed");
  EXPECT_TRUE(view.range_fixed);
  ASSERT_TRUE(d.has("heads/range_low"));
  d.click("heads/range_high");
  d.ctrl(KeyName::a);
  d.type("0.5");
  EXPECT_EQ(view.range_high, 0.5);
  d.choose("heads/range", "range: shared 0–1");
  EXPECT_FALSE(view.range_fixed);
  EXPECT_EQ(view.range, RangeKind::automatic);
}

TEST(HeadsPanel, AViewIsNotARequestAndNothingIsComputedAgain) {
  Driver d;
  const auto before = d.session.trace();
  d.choose("heads/quantity", "scores");
  d.choose("heads/range", "range: per head");
  d.click("heads/4");
  EXPECT_EQ(d.session.trace(), before);
}

TEST(HeadsPanel, XSwitchesTheHeadOffAndOn) {
  Driver d;
  d.click("heads/2");
  d.key(KeyName::x);
  ASSERT_EQ(d.session.draft.ablate.size(), 1u);
  EXPECT_EQ(d.session.draft.ablate[0].place.head, 2);
  EXPECT_EQ(d.trace().tensor(StageId::context).at({0, 2, 1, 1}), 0.0f);
  EXPECT_NE(d.trace().tensor(StageId::context).at({0, 3, 1, 1}), 0.0f);
  d.key(KeyName::x);
  EXPECT_TRUE(d.session.draft.ablate.empty());
}

TEST(HeadsPanel, LabelsSelectToo) {
  Driver d;
  d.click("heads/7/label");
  EXPECT_EQ(d.session.view.head, 7);
}

TEST(HeadsPanel, ManyHeadsScrollToTheSelectedOne) {
  Driver d(phrase_document("a b c d e f g h", 64, 128));
  ASSERT_TRUE(d.has("heads/0"));
  d.click("heads/0");
  d.key(KeyName::end);
  EXPECT_EQ(d.session.view.head, 63);
  d.step();
  const Rect last = d.rect("heads/63");
  const Rect panel = d.rect("heads");
  EXPECT_GT(last.max.y, panel.min.y);
  EXPECT_LT(last.min.y, panel.max.y);
}

TEST(HeadsPanel, StaysWholeForOneTokenAndForFourHundred) {
  Driver one(phrase_document("Hola"));
  one.click("heads/4");
  EXPECT_EQ(one.session.view.cell, (Cell{0, 0}));
  EXPECT_FALSE(one.has("heads/pixel_holds"));
}

TEST(HeadsPanel, SaysWhatAPixelHoldsWhenItHoldsSeveral) {
  Driver d(phrase_document(words(400)));
  EXPECT_TRUE(d.has("heads/pixel_holds"));
  EXPECT_TRUE(d.has("inspector/pixel_holds"));
  // The last pixel stands for the last few cells; what is picked is the one that it shows, the largest.
  d.click("heads/3", 0.999f, 0.999f);
  ASSERT_TRUE(d.session.view.cell);
  const Cell picked = *d.session.view.cell;
  EXPECT_GE(picked.row, 396);
  EXPECT_GE(picked.column, 396);
  const Tensor weights = matrix_at(d.trace().tensor(StageId::weights), 0, 3);
  for (std::int64_t row = 398; row < 400; ++row) {
    for (std::int64_t column = 398; column < 400; ++column) {
      EXPECT_GE(weights.at({picked.row, picked.column}), weights.at({row, column}));
    }
  }
}

TEST(HeadsPanel, CrossAttentionIsRectangular) {
  Document document = phrase_document("a b c d e f g");
  document.request.key_phrase = "one two three";
  Driver d(document);
  const Rect thumbnail = d.rect("heads/0");
  EXPECT_GT(thumbnail.height(), thumbnail.width());
  d.click("heads/0", 0.99f, 0.99f);
  EXPECT_EQ(d.session.view.cell, (Cell{6, 2}));
}

TEST(HeadsPanel, FullyMaskedRowsAreExplained) {
  Document document = phrase_document("a b c d e f");
  document.request.mask = {{MaskTerm::Kind::padding, 6, ""}};
  Driver d(document);
  EXPECT_TRUE(d.has("heads/hidden_rows"));
  d.click("heads/1", 0.5f, 0.5f);
  EXPECT_TRUE(d.has("inspector/where")) << "a NaN has its steps as well";
  d.session.draft.mask = {{MaskTerm::Kind::padding, 2, ""}};
  d.step();
  EXPECT_FALSE(d.has("heads/hidden_rows"));
}

TEST(HeadsPanel, AnUnchangedFrameDerivesNothingAnew) {
  Driver d;
  const PanelData* before = d.state.panel_data.get();
  const Statistics* statistics = d.state.panel_data->statistics(StageId::weights);
  d.step(3);
  EXPECT_EQ(d.state.panel_data.get(), before);
  EXPECT_EQ(d.state.panel_data->statistics(StageId::weights), statistics);
  d.session.draft.seed = 7;
  d.step();
  EXPECT_NE(d.state.panel_data.get(), before) << "a new trace has its own";
}

TEST(HeadsPanel, BatchesShowTheChosenSequence) {
  Document document = phrase_document("a b c d");
  document.request.batch = 3;
  document.request.embedding = Embedding::sequence;
  Driver d(document);
  ASSERT_TRUE(d.has("inspector/batch/+"));
  d.click("inspector/batch/+");
  EXPECT_EQ(d.session.view.batch, 1);
  d.click("inspector/batch/+");
  d.click("inspector/batch/+");
  EXPECT_EQ(d.session.view.batch, 2) << "there are three";
}

TEST(HeadsPanel, WeightsAreShownAsTheRequestSays) {
  Driver d;
  d.session.draft.hide_tokens = HideTokens::first;
  d.session.draft.renormalise = true;
  d.step();
  d.textures.of_frame.clear();
  d.step(1);
  EXPECT_TRUE(d.has("heads/shown"));
  bool seen = false;
  for (const HeatmapSpec& spec : d.textures.of_frame) {
    if (spec.matrix.dim(0) != 5 || spec.matrix.dim(1) != 4) continue;
    seen = true;
    double sum = 0;
    for (std::int64_t j = 0; j < 4; ++j) sum += static_cast<double>(spec.matrix.at({4, j}));
    EXPECT_TRUE(std::abs(sum - 1) <= 1e-6) << sum;
  }
  EXPECT_TRUE(seen);
  d.session.view.cell.reset();
  d.click("heads/3", 0.3f, 0.9f);
  EXPECT_EQ(d.session.view.head, 3);
  EXPECT_FALSE(d.session.view.cell.has_value()) << "its cells are not those that were computed";
  d.session.draft.hide_tokens = HideTokens::none;
  d.session.draft.renormalise = false;
  d.step();
  EXPECT_FALSE(d.has("heads/shown"));
}

}  // namespace
}  // namespace headscope::ui
