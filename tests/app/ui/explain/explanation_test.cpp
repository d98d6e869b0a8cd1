// 'Where this number comes from': every stage has it, operands lead on and back, long sums fold, all of it can be
// copied.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include "app/ui/map/cell_highlight.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/weights/weights_panel.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

void pick(Driver& d, StageId stage, std::int64_t head, Cell cell) {
  d.session.view.stage = stage;
  d.session.view.head = head;
  d.session.view.cell = cell;
  d.step();
}

TEST(Explanation, IsThereForACellOfEveryStage) {
  Document document = phrase_document(kTwelve);
  document.request.softcap = 3;
  document.request.dropout = 0.3;
  Driver d(document);
  for (const Stage& stage : d.trace().stages) {
    pick(d, stage.id, 2, {3, 1});
    EXPECT_TRUE(d.has("inspector/where/cell")) << stage_name(stage.id);
  }
}

TEST(Explanation, AnOperandLeadsToItsCellAndBackReturns) {
  Driver d(phrase_document(kTwelve));
  pick(d, StageId::concat, 0, {7, 17});
  d.click("inspector/where/context[0, 2, 7, 1]");
  EXPECT_EQ(d.session.view.stage, StageId::context);
  EXPECT_EQ(d.session.view.head, 2);
  EXPECT_EQ(d.session.view.cell, (Cell{7, 1}));
  d.key(KeyName::left, false, false, true);
  EXPECT_EQ(d.session.view.stage, StageId::concat);
  EXPECT_EQ(d.session.view.cell, (Cell{7, 17}));
  d.key(KeyName::right, false, false, true);
  EXPECT_EQ(d.session.view.stage, StageId::context);
  d.click("inspector/where/back");
  EXPECT_EQ(d.session.view.stage, StageId::concat);
  d.key(KeyName::left, false, false, true);
  EXPECT_EQ(d.session.view.stage, StageId::concat) << "there is nothing before the first";
}

TEST(Explanation, ARowOfTheTableLeadsToEitherFactor) {
  Driver d(phrase_document(kTwelve));
  pick(d, StageId::context, 3, {7, 5});
  const std::vector<std::string> terms = d.names("inspector/where/term/");
  ASSERT_FALSE(terms.empty());
  const std::string term = terms.front();
  const std::int64_t key = std::atoll(term.substr(std::string("inspector/where/term/").size()).c_str());
  d.click(term + "/left");
  EXPECT_EQ(d.session.view.stage, StageId::weights);
  EXPECT_EQ(d.session.view.cell, (Cell{7, key}));
  d.key(KeyName::left, false, false, true);
  d.click(term + "/right");
  EXPECT_EQ(d.session.view.stage, StageId::value);
  EXPECT_EQ(d.session.view.head, 3);
  EXPECT_EQ(d.session.view.cell, (Cell{key, 5}));
}

// Rotary positions make a query of two features: each has its heading, its cell and its sum over input and weights.
TEST(Explanation, ATurnedQueryLeadsToBothFeaturesAndToTheirSums) {
  Document document = phrase_document("");
  document.request.model = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/llama";
  document.request.token_ids = {1, 3, 2, 5};
  document.request.heads.reset();
  document.request.d_model.reset();
  Driver d(document, 1600, 2400);
  ASSERT_NE(d.session.trace(), nullptr);
  pick(d, StageId::query, 1, {3, 0});
  const std::int64_t features = d.trace().inputs->head_dim;
  const std::string own = cell_name("query_proj", {0, 3, features});
  const std::string other = cell_name("query_proj", {0, 3, features + features / 2});
  EXPECT_TRUE(d.has("inspector/where/" + own));
  EXPECT_TRUE(d.has("inspector/where/" + other));
  EXPECT_FALSE(d.names("inspector/where/a/term/").empty());
  EXPECT_FALSE(d.names("inspector/where/b/term/").empty());
  EXPECT_TRUE(std::any_of(d.texts.begin(), d.texts.end(),
                          [](const DrawnText& text) { return text.words.find("\u2212sin θ") != std::string::npos; }));
  d.click("inspector/where/" + other);
  EXPECT_EQ(d.session.view.stage, StageId::query_proj);
  EXPECT_EQ(d.session.view.cell, (Cell{3, features + features / 2}));
}

TEST(Explanation, AWeightOfTheFileIsShownWhereItLies) {
  Driver d(phrase_document(kTwelve), 1600, 1400);
  pick(d, StageId::output, 0, {3, 9});
  const std::vector<std::string> terms = d.names("inspector/where/term/");
  ASSERT_FALSE(terms.empty());
  d.click(terms.front() + "/right");
  EXPECT_TRUE(d.has("inspector/where/file"));
  EXPECT_EQ(d.session.view.stage, StageId::output) << "the weights have no stage: the picture stays";
  d.key(KeyName::left, false, false, true);
  EXPECT_FALSE(d.has("inspector/where/file"));
  d.key(KeyName::right, false, false, true);
  EXPECT_TRUE(d.has("inspector/where/file"));
  pick(d, StageId::output, 0, {3, 10});
  EXPECT_FALSE(d.has("inspector/where/file")) << "another picked cell is what is explained";
  pick(d, StageId::output, 0, {3, 9});
  d.click(d.names("inspector/where/term/").front() + "/right");
  ASSERT_TRUE(d.has("inspector/where/file"));
  const FilePlace place = *d.state.explain->file;
  d.click("inspector/where/all_of_it");
  d.step(3);
  EXPECT_EQ(d.session.view.main_view, MainView::weights);
  EXPECT_EQ(d.state.panels.get<WeightsData>().tensor().name, place.name);
  EXPECT_EQ(d.session.view.weights.cell, (Cell{place.index[0], place.index[1]}));
  EXPECT_FALSE(d.session.view.weights.viewport.fitted()) << "so near that its number is in it";
}

// The random user found it: the index was beyond the end of the other model's tensor.
TEST(Explanation, AWeightThatAnotherModelDoesNotHaveIsShownNoMore) {
  Driver d(phrase_document(kTwelve), 1600, 1400);
  pick(d, StageId::output, 0, {3, 9});
  d.click(d.names("inspector/where/term/").front() + "/right");
  ASSERT_TRUE(d.has("inspector/where/file"));
  FilePlace& place = *d.state.explain->file;
  place.index[1] = 63;  // the last of 64 features
  d.step();
  EXPECT_TRUE(d.has("inspector/where/file"));
  d.session.draft.d_model = 16;
  d.step();
  EXPECT_EQ(d.session.view.cell, (Cell{3, 9}));
  EXPECT_FALSE(d.has("inspector/where/file"));
  EXPECT_TRUE(d.has("inspector/where")) << "the cell itself is explained";
  d.key(KeyName::left, false, false, true);
  d.key(KeyName::right, false, false, true);
  EXPECT_FALSE(d.has("inspector/where/file"));
}

TEST(Explanation, AGroupedKeyIsShownByAHeadThatUsesIt) {
  Document document = phrase_document(kTwelve);
  document.request.kv_heads = 2;
  Driver d(document, 1600, 1800);
  pick(d, StageId::raw_scores, 6, {7, 2});
  d.click("inspector/where/feature/3/key");
  EXPECT_EQ(d.session.view.stage, StageId::key);
  EXPECT_EQ(d.session.view.head, 6) << "it uses kv head 1";
  EXPECT_EQ(d.session.view.cell, (Cell{2, 3}));
}

TEST(Explanation, LongSumsFoldAndOpen) {
  Driver d(phrase_document(kTwelve), 1600, 1800);
  pick(d, StageId::context, 1, {11, 2});
  EXPECT_EQ(d.names("inspector/where/term/").size(), 6U * 4) << "six rows, three of their parts lead on";
  d.click("inspector/where/rest");
  EXPECT_EQ(d.names("inspector/where/term/").size(), 12U * 4);
  d.click("inspector/where/rest");
  EXPECT_EQ(d.names("inspector/where/term/").size(), 6U * 4);
}

TEST(Explanation, BackPassesOverCellsThatAreGone) {
  Driver d(phrase_document(kTwelve));
  pick(d, StageId::concat, 0, {11, 17});
  d.click("inspector/where/context[0, 2, 11, 1]");
  d.session.draft.phrase = "two words";
  d.step();
  d.key(KeyName::left, false, false, true);
  EXPECT_EQ(d.session.view.stage, StageId::context) << "there is no token 11 any more";
}

TEST(Explanation, CopiesWhatTheMouseIsOver) {
  Driver d(phrase_document(kTwelve));
  d.state.focus = "inspector/picture";
  pick(d, StageId::context, 1, {11, 2});
  const std::string term = d.names("inspector/where/term/").front();
  d.hover(term + "/right");
  d.ctrl(KeyName::c);
  const std::int64_t key = std::atoll(term.substr(std::string("inspector/where/term/").size()).c_str());
  EXPECT_EQ(std::stof(d.clipboard), d.trace().tensor(StageId::value).at({0, 1, key, 2})) << "every bit of the operand";
  d.key(KeyName::c, true, false, true);
  EXPECT_EQ(std::count(d.clipboard.begin(), d.clipboard.end(), '\t'), 3) << d.clipboard;
  d.click("inspector/where/copy");
  EXPECT_EQ(std::count(d.clipboard.begin(), d.clipboard.end(), '\n') >= 14, true) << "twelve terms and more";
  EXPECT_EQ(d.clipboard.find("context[0, 1, 11, 2]\t"), 0U);
}

TEST(Explanation, CopiesTheCellUnderTheMouseOfAnyPicture) {
  Driver d(phrase_document(kTwelve));
  d.state.focus = "heads/0";
  pick(d, StageId::weights, 0, {3, 1});
  const Rect head = d.rect("heads/5");
  d.move({head.min.x + head.width() * (2.5f / 12), head.min.y + head.height() * (8.5f / 12)});
  d.step(1);
  d.ctrl(KeyName::c);
  EXPECT_EQ(std::stof(d.clipboard), d.trace().tensor(StageId::weights).at({0, 5, 8, 2}));
  const Rect concat = d.rect("concat/picture");
  d.move({concat.min.x + 2, concat.min.y + 2});
  d.step(1);
  d.ctrl(KeyName::c);
  EXPECT_EQ(std::stof(d.clipboard), d.trace().tensor(StageId::concat).at({0, 0, 0}));
  d.state.focus = "inspector/picture";
  d.key(KeyName::down);
  d.ctrl(KeyName::c);
  EXPECT_EQ(std::stof(d.clipboard), d.trace().tensor(StageId::weights).at({0, 0, 4, 1})) << "keys were used last";
}

TEST(LinkedMarks, AHoveredWeightLightsItsContextRowInConcat) {
  Driver d(phrase_document(kTwelve));
  const Rect head = d.rect("heads/5");
  d.move({head.min.x + head.width() * (2.5f / 12), head.min.y + head.height() * (8.5f / 12)});
  d.step(1);
  ASSERT_TRUE(d.state.hover.cell);
  EXPECT_EQ(*d.state.hover.cell, (CellPlace{StageId::weights, {0, 5, 8, 2}}));
  ASSERT_TRUE(d.has("linked/concat"));
  const Rect ring = d.rect("linked/concat"), concat = d.rect("concat/picture");
  EXPECT_GT(ring.min.x, concat.min.x + concat.width() * 0.6f) << "head 5 of 8";
  EXPECT_LT(ring.max.x, concat.min.x + concat.width() * 0.77f);
}

TEST(LinkedMarks, ADirectMergeLightsTheTokenThatReallyCame) {
  Document document = phrase_document(kTwelve);
  document.request.merge = Merge::direct;
  Driver d(document);
  pick(d, StageId::concat, 0, {0, 63});
  const std::vector<LinkedCells>& linked = d.state.explain->linked;
  ASSERT_GE(linked.size(), 2U);
  EXPECT_EQ(linked[1], (LinkedCells{StageId::context, {{0, 1}, {0, 1}, {7, 8}, {7, 8}}}))
      << "row 0 holds tokens 0 to 7 of head 0";
}

TEST(LinkedMarks, APickedContextCellLightsItsWeightsAndValues) {
  Driver d(phrase_document(kTwelve));
  pick(d, StageId::context, 3, {7, 5});
  EXPECT_TRUE(d.has("linked/weights")) << "the row in the head's thumbnail";
  d.session.view.stage = StageId::value;
  d.session.view.cell.reset();
  d.step();
  EXPECT_FALSE(d.has("linked/weights"));
}

}  // namespace
}  // namespace headscope::ui
