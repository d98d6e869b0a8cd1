// The view 'circuits': which heads read what earlier heads write, and what a head does with tokens.
#include "app/ui/circuits/circuits_panel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/session/session.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/backend/backend.h"
#include "core/circuits/vocabulary_maps.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class CircuitsPanel : public testing::Test {
 protected:
  CircuitsPanel() : d(open_document("demo:induction", Request(), ViewState())) {
    d.session.draft.phrase = "cat box ink fox jam cat";
    d.step(4);
    d.key(KeyName::x, true, true);
    d.step(4);
  }
  CircuitsView& view() { return d.session.view.circuits; }
  const Checkpoint& checkpoint() { return *d.trace().model->checkpoint; }
  Composition computed() {
    const auto maps = [&](std::int64_t layer) { return head_maps(checkpoint(), layer, NormFolding::fold); };
    return composition(checkpoint().architecture().num_layers, maps, *d.trace().model->backend, {});
  }
  bool shows(const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }
  void expect_readout(const ComposedPair& pair, const char* kind) {
    const std::string words = fmt::format("circuits/readout: {}.{} reads {}.{} with its {} {}", pair.layer, pair.head,
                                          pair.from_layer, pair.from_head, kind, number_label(pair.score, 4));
    EXPECT_TRUE(d.has(words)) << words;
  }
  const CircuitsPanelState& state() { return d.state.panels.get<CircuitsPanelState>(); }
  Driver d;
};

TEST_F(CircuitsPanel, ShowsTheStrongestPairOfKeysFirst) {
  EXPECT_EQ(d.session.view.main_view, MainView::circuits);
  EXPECT_EQ(d.focus(), kCircuitsMap);
  const Composition found = computed();
  const ComposedPair pair = strongest_pairs(found, CompositionKind::key, 1).front();
  expect_readout(pair, "key");
  EXPECT_FALSE(view().reader.has_value()) << "nobody picked it";
  EXPECT_TRUE(shows(fmt::format("{}.{} reads", pair.layer, pair.head)));
  EXPECT_TRUE(shows(fmt::format("{}.{} writes", pair.from_layer, pair.from_head)));
  EXPECT_TRUE(shows(number_label(pair.score / found.random, 2) + "×"));
  EXPECT_EQ(state().drawn.mask, nullptr) << "of two layers every pair is of an earlier one";
  EXPECT_FLOAT_EQ(static_cast<float>(state().drawn.above.at({7, 5}) + found.random),
                  found.of(CompositionKind::key).at({15, 5}));
}

TEST_F(CircuitsPanel, AnotherKindHasPairsOfItsOwn) {
  d.click("circuits/reads", 0.9f);
  EXPECT_EQ(view().reads, CompositionKind::value);
  expect_readout(strongest_pairs(computed(), CompositionKind::value, 1).front(), "value");
  EXPECT_EQ(state().drawn.kind, CompositionKind::value);
}

TEST_F(CircuitsPanel, ClicksAndArrowsPickAPairAndEnterOpensTheReader) {
  const Rect map = d.rect(kCircuitsMap);
  const float cell = map.width() / 8;
  d.click_at({map.min.x + 2.5f * cell, map.min.y + 3.5f * cell});
  EXPECT_EQ(view().reader, (LayerHead{1, 3}));
  EXPECT_EQ(view().writer, (LayerHead{0, 2}));
  d.key(KeyName::down);
  d.key(KeyName::left);
  EXPECT_EQ(view().reader, (LayerHead{1, 4}));
  EXPECT_EQ(view().writer, (LayerHead{0, 1}));
  for (int k = 0; k < 4; ++k) d.key(KeyName::left);
  EXPECT_EQ(view().writer, (LayerHead{0, 0})) << "the edge holds";
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.layer, 1);
  EXPECT_EQ(d.session.view.head, 4);
}

TEST_F(CircuitsPanel, TheListPicksAPairToo) {
  const std::vector<ComposedPair> pairs = strongest_pairs(computed(), CompositionKind::key, 3);
  d.click("circuits/pair/2");
  EXPECT_EQ(view().reader, (LayerHead{pairs[2].layer, pairs[2].head}));
  EXPECT_EQ(view().writer, (LayerHead{pairs[2].from_layer, pairs[2].from_head}));
  expect_readout(pairs[2], "key");
}

TEST_F(CircuitsPanel, BothHeadsSayTheWeightOfACell) {
  view().reader = LayerHead{1, 7};
  view().writer = LayerHead{0, 5};
  d.session.view.cell = Cell{5, 1};
  d.step(2);
  const auto weight = [&](std::size_t layer, std::int64_t head) {
    const Tensor& weights = d.trace().model->layers[layer]->tensor(StageId::weights);
    return number_label(static_cast<double>(weights.at({0, head, 5, 1})), 4);
  };
  EXPECT_TRUE(d.has("circuits/weights: 0.5 " + weight(0, 5) + "   1.7 " + weight(1, 7)));
  d.click("circuits/open/writer");
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_EQ(d.session.view.head, 5);
}

TEST_F(CircuitsPanel, TypingDoesNotComputeThePairsAgain) {
  const auto known = state().drawn.of;
  ASSERT_NE(known, nullptr);
  d.session.draft.phrase = "cat box ink fox jam cat box";
  d.step(4);
  EXPECT_EQ(d.trace().query_len(), 7);
  EXPECT_EQ(state().drawn.of, known);
}

TEST_F(CircuitsPanel, AHeadSaysWhatItDoesWithAToken) {
  view().reader = LayerHead{1, 7};
  d.click("circuits/show", 0.5f);
  EXPECT_EQ(view().show, CircuitsShow::tokens);
  EXPECT_TRUE(d.has("circuits/asked: 'cat' in head 1.7")) << "the last token of the text";
  d.click(kCircuitsToken);
  d.type("box");
  d.step(3);
  EXPECT_TRUE(d.has("circuits/asked: 'box' in head 1.7"));
  const TokenCircuit found = token_circuit(checkpoint(), {1, 7, 6, 10}, NormFolding::fold, {});
  EXPECT_EQ(found.writes.front().id, 6) << "the head copies";
  for (const auto* list : {&found.keys, &found.queries, &found.writes}) {
    for (const TokenScore& score : *list) EXPECT_TRUE(shows(number_label(score.value, 4)));
  }
  d.type("zz");
  d.step(3);
  EXPECT_TRUE(shows("'boxzz' is no token")) << "a wrong one is said";
  EXPECT_FALSE(shows("--token")) << "without the spelling of the command line";
}

TEST_F(CircuitsPanel, AListedTokenIsAskedNext) {
  view().reader = LayerHead{1, 7};
  view().show = CircuitsShow::tokens;
  d.step(3);
  const TokenCircuit found =
      token_circuit(checkpoint(), {1, 7, d.trace().inputs->token_ids.back(), 10}, NormFolding::fold, {});
  d.click("circuits/keys/1");
  const TypedTokens& typed = state().token;
  ASSERT_EQ(typed.ids.size(), 1U);
  EXPECT_EQ(typed.ids.front(), found.keys[1].id);
}

TEST_F(CircuitsPanel, StepsToAnotherHead) {
  view().reader = LayerHead{1, 7};
  view().show = CircuitsShow::tokens;
  d.step(3);
  d.click("circuits/layer/-");
  d.step(3);
  EXPECT_EQ(view().reader, (LayerHead{0, 7}));
  EXPECT_TRUE(d.has("circuits/asked: 'cat' in head 0.7"));
  d.click("circuits/open");
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_EQ(d.session.view.head, 7);
}

TEST_F(CircuitsPanel, AChosenSetHasTwoMaps) {
  view().reader = LayerHead{1, 7};
  view().show = CircuitsShow::tokens;
  d.step(3);
  d.click("circuits/tokens_of_text");
  d.step(3);
  EXPECT_EQ(view().tokens, "cat,box,ink,fox,jam");
  const TokenMaps found = token_maps(checkpoint(), {1, 7, state().chosen.ids}, NormFolding::fold, {});
  const Rect map = d.rect("circuits/ov");
  const float cell = map.width() / 5;
  d.click_at({map.min.x + 1.5f * cell, map.min.y + 1.5f * cell});
  d.step(2);
  const auto number = [](const Tensor& map_of) { return number_label(static_cast<double>(map_of.at({1, 1})), 4); };
  EXPECT_TRUE(d.has("circuits/ov: box → box " + number(found.ov)));
  EXPECT_TRUE(d.has("circuits/qk: box → box " + number(found.qk)));
  view().tokens = "cat,,box,zz";
  d.step(3);
  EXPECT_TRUE(shows("'zz' is no token"));
}

class OtherCircuits : public testing::Test {
 protected:
  static Document document(const std::string& name) {
    const bool demo = name.starts_with("demo:");
    return open_document(demo ? name : std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name, Request(),
                         ViewState());
  }
  static bool says(const Driver& d, const std::string& words) {
    const std::vector<std::string> found = d.names("circuits/sentence: ");
    return std::any_of(found.begin(), found.end(), [&](const auto& each) { return each.find(words) != each.npos; });
  }
};

TEST_F(OtherCircuits, PairsOfMoreLayersAreHiddenWhereTheyAreNotOfAnEarlierOne) {
  Driver d(document("demo:stories"));
  d.step(4);
  d.key(KeyName::x, true, true);
  d.step(4);
  const CompositionDrawn& drawn = d.state.panels.get<CircuitsPanelState>().drawn;
  ASSERT_NE(drawn.mask, nullptr);
  const std::int64_t heads = d.trace().num_heads();
  EXPECT_FALSE(drawn.mask->hidden.hidden(0, 0, 0, heads - 1));
  EXPECT_TRUE(drawn.mask->hidden.hidden(0, 0, 0, heads)) << "both are of layer 1";
  d.session.view.circuits.reader = LayerHead{1, 0};
  d.session.view.circuits.writer = LayerHead{0, heads - 1};
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.circuits.writer, (LayerHead{0, heads - 1})) << "no arrow leads to a hidden pair";
}

TEST_F(OtherCircuits, AModelWithLatentsSaysWhyThereAreNone) {
  Driver d(document("deepseek_v2"));
  d.session.draft.phrase.clear();
  d.session.draft.token_ids = {1, 5, 4, 7};
  d.step(4);
  d.key(KeyName::x, true, true);
  d.step(4);
  EXPECT_TRUE(says(d, "its heads read latents"));
}

TEST_F(CircuitsPanel, AllTokensWithAllAreTwoMaps) {
  view().reader = LayerHead{1, 7};
  d.click("circuits/show", 0.95f);
  ASSERT_EQ(view().show, CircuitsShow::vocabulary);
  const auto maps = vocabulary_maps(checkpoint(), 1, 7, NormFolding::fold, d.trace().model->backend, {});
  const Rect scores = d.rect(kCircuitsVocabulary), logits = d.rect("circuits/all/ov");
  EXPECT_LT(scores.max.x, logits.min.x);
  d.click_at(scores.center());
  const std::optional<Cell> cell = state().vocabulary.qk.cell;
  ASSERT_TRUE(cell.has_value());
  EXPECT_EQ(state().vocabulary.ov.cell, std::nullopt) << "each map has a cell of its own";
  const auto piece = [&](std::int64_t id) { return shown_piece(d.trace(), id); };
  const std::string number = number_label(static_cast<double>(maps.qk.at({cell->row, cell->column})), 4);
  EXPECT_TRUE(d.has(fmt::format("circuits/all/qk: {} looks at {} {}", piece(cell->row), piece(cell->column), number)));
  d.key(KeyName::down);
  EXPECT_EQ(state().vocabulary.qk.cell, (Cell{cell->row + 1, cell->column}));
  d.click("circuits/head", 0.95f);
  EXPECT_EQ(state().vocabulary.qk.cell, (Cell{cell->row + 1, cell->column})) << "another head, the same tokens";
}

TEST_F(CircuitsPanel, EnterAsksAboutATokenOfTheVocabulary) {
  view().show = CircuitsShow::vocabulary;
  d.step(3);
  d.click_at(d.rect("circuits/all/ov").center());
  const std::optional<Cell> cell = state().vocabulary.ov.cell;
  ASSERT_TRUE(cell.has_value());
  d.key(KeyName::enter);
  d.step(3);
  EXPECT_EQ(view().show, CircuitsShow::tokens);
  EXPECT_EQ(state().token.ids, std::vector<std::int64_t>{cell->row});
}

TEST(CircuitsVocabulary, OfALargeModelIsDrawnFromTilesAndZoomed) {
  Driver d(open_document("demo:stories", Request(), ViewState()));
  d.session.view.main_view = MainView::circuits;
  d.session.view.circuits.show = CircuitsShow::vocabulary;
  d.step(6);
  VocabularyDrawn& drawn = d.state.panels.get<CircuitsPanelState>().vocabulary;
  ASSERT_NE(drawn.of, nullptr);
  EXPECT_TRUE(drawn.qk.large);
  EXPECT_FALSE(drawn.qk.matrix.stored()) << "no matrix of the vocabulary by the vocabulary";
  EXPECT_TRUE(drawn.pieces.front().empty()) << "too small for names";
  const ImVec2 middle = d.rect(kCircuitsVocabulary).center();
  d.click_at(middle);
  for (int turn = 0; turn < 24; ++turn) d.key(KeyName::plus);
  d.step(4);
  EXPECT_FALSE(drawn.qk.viewport.fitted());
  ASSERT_TRUE(drawn.qk.cell.has_value());
  EXPECT_FALSE(drawn.pieces[static_cast<std::size_t>(drawn.qk.cell->row)].empty()) << "names where there is room";
  d.key(KeyName::home);
  d.step(2);
  EXPECT_TRUE(drawn.qk.viewport.fitted());
}

}  // namespace
}  // namespace headscope::ui
