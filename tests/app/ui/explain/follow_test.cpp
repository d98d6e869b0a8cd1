// Follow: one token through the stages by arrow keys, with everything that feeds its number.
#include "app/ui/explain/follow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/map/explain_state.h"
#include "tests/app/ui/driver.h"
#include "tests/app/ui/small_trace.h"

namespace headscope::ui {
namespace {

TEST(FollowSteps, AreTheCardsThatDoSomething) {
  Request request = small_request();
  request.mask.clear();
  const auto trace = trace_of(request);
  std::vector<std::string> names;
  for (const StageId step : follow_steps(*trace)) names.push_back(std::string(stage_name(step)));
  EXPECT_EQ(names, (std::vector<std::string>{"input", "qkv", "query", "raw_scores", "scores", "weights", "context",
                                             "concat", "output"}));
  EXPECT_EQ(follow_step_of(*trace, StageId::value), 2U) << "on the card of query";
  EXPECT_EQ(follow_step_of(*trace, StageId::masked_scores), 4U) << "nothing was masked: still at scores";
}

TEST(FollowSteps, EveryPlaceLeadsBackToWhatIsFollowed) {
  for (const Merge merge : {Merge::transpose, Merge::direct}) {
    Request request = small_request();
    request.merge = merge;
    const auto trace = trace_of(request);
    const Followed followed{0, 3, 2, 5, 1};
    for (const StageId stage : {StageId::query, StageId::context, StageId::concat}) {
      const CellPlace place = followed_place(*trace, stage, followed);
      const Followed found = followed_from(*trace, place, Followed{});
      EXPECT_EQ(found.token, 3) << stage_name(stage);
      EXPECT_EQ(found.head, 2) << stage_name(stage);
      EXPECT_EQ(found.feature, 5) << stage_name(stage);
    }
    EXPECT_EQ(followed_place(*trace, StageId::weights, followed).index, (Index{0, 2, 3, 1}));
    const CellPlace qkv = followed_place(*trace, StageId::qkv, followed);
    EXPECT_EQ(qkv.index, (Index{0, 3, 2 * 3 * 8 + 5})) << "the query's column of the fused projection";
  }
}

TEST(Follow, ArrowsStepThroughTheStagesAndTokens) {
  Driver d(phrase_document(kTwelve));
  d.session.view.stage = StageId::context;
  d.session.view.head = 2;
  d.session.view.cell = Cell{7, 1};
  d.step();
  d.ctrl(KeyName::j);
  ASSERT_TRUE(d.has("follow/tensors"));
  EXPECT_FALSE(d.has("heads/0"));
  EXPECT_TRUE(d.has("pipeline/concat")) << "the strip shows where one is";
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.stage, StageId::concat);
  EXPECT_EQ(d.session.view.cell, (Cell{7, 17}));
  EXPECT_TRUE(d.has("linked/weights"));
  EXPECT_TRUE(d.has("linked/value"));
  EXPECT_TRUE(d.has("linked/context"));
  d.key(KeyName::up);
  EXPECT_EQ(d.session.view.cell, (Cell{6, 17}));
  d.key(KeyName::home);
  EXPECT_EQ(d.session.view.stage, StageId::input);
  EXPECT_EQ(d.session.view.cell->row, 6);
  d.key(KeyName::left);
  EXPECT_EQ(d.session.view.stage, StageId::input) << "there is nothing before";
  d.key(KeyName::end);
  EXPECT_EQ(d.session.view.stage, StageId::output);
  d.key(KeyName::left);
  EXPECT_EQ(d.session.view.stage, StageId::concat);
  EXPECT_EQ(d.session.view.cell, (Cell{6, 17})) << "head and feature are remembered";
  d.choose("follow/token", "7 it");
  EXPECT_EQ(d.session.view.cell, (Cell{7, 17}));
  d.click("follow/on");
  EXPECT_FALSE(d.has("follow/tensors"));
  EXPECT_TRUE(d.has("heads/0"));
}

TEST(Follow, SmallTensorsHaveLegibleCells) {
  for (const int height : {800, 1000}) {
    Driver d(phrase_document(kTwelve, 8, 512), height == 800 ? 1280 : 1600, height);
    d.session.view.stage = StageId::context;
    d.session.view.cell = Cell{7, 1};
    d.step();
    d.ctrl(KeyName::j);
    ASSERT_TRUE(d.has("follow/picture/weights[0, 0]"));
    EXPECT_GE(d.rect("follow/picture/weights[0, 0]").width(), 12 * 16 - 1) << height;
    EXPECT_GE(d.rect("follow/picture/value[0, 0]").width(), 60) << "the wide one keeps a share";
  }
}

// One row ends with the picture with which the next one begins: Tab could not tell them apart.
TEST(Follow, NoTwoPicturesHaveOneName) {
  Driver d(phrase_document(kTwelve));
  d.session.view.main_view = MainView::follow;
  d.session.view.stage = StageId::scores;
  d.session.view.cell = Cell{3, 1};
  d.step(4);
  EXPECT_TRUE(d.has("follow/raw_scores"));
  EXPECT_TRUE(d.has("follow/raw_scores/again"));
  std::vector<std::string> names = d.state.tab_order;
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Follow, APictureAndAStepCanBeClicked) {
  Driver d(phrase_document(kTwelve));
  d.ctrl(KeyName::j);
  d.click("follow/step/context");
  EXPECT_EQ(d.session.view.stage, StageId::context);
  d.click("follow/value", 0.1f, 0.1f);
  EXPECT_EQ(d.session.view.stage, StageId::value);
  d.click("pipeline/concat");
  EXPECT_EQ(d.session.view.stage, StageId::concat);
  d.click("follow/concat", 0.01f, 0.01f);
  EXPECT_EQ(d.session.view.cell, (Cell{0, 0}));
  d.click("inspector/where/context[0, 0, 0, 0]");
  EXPECT_EQ(d.session.view.stage, StageId::context);
  d.key(KeyName::left, false, false, true);
  EXPECT_EQ(d.session.view.stage, StageId::concat) << "Alt+Left goes back here too";
}

TEST(Follow, SaysWhichTokenAWrongMergeTook) {
  Document document = phrase_document(kTwelve);
  document.request.merge = Merge::direct;
  Driver d(document);
  d.session.view.stage = StageId::concat;
  d.session.view.cell = Cell{0, 63};
  d.ctrl(KeyName::j);
  const CellPlace place{StageId::concat, {0, 0, 63}};
  std::string sentence;
  for (const RoleText& piece : follow_sentence(*d.state.panel_data, place, nullptr)) sentence += piece.text;
  EXPECT_EQ(sentence, "Merged without transposing back: this cell of row 0 holds a number of it.");
}

TEST(Follow, SurvivesEveryStageAtEverySizeAndLength) {
  for (const int count : {1, 11, 40, 400}) {
    Document document = phrase_document(words(count));
    document.request.softcap = 3;
    document.request.dropout = 0.5;
    document.request.mask = {{MaskTerm::Kind::causal, 0, ""}};
    for (const auto& [width, height] : std::vector<std::pair<int, int>>{{960, 640}, {1280, 800}, {2560, 1440}}) {
      Driver d(document, width, height);
      d.ctrl(KeyName::j);
      for (const Stage& stage : d.trace().stages) {
        d.session.view.stage = stage.id;
        d.session.view.cell.reset();
        d.step();
        EXPECT_TRUE(d.has("inspector/where/cell")) << stage_name(stage.id);
      }
    }
  }
}

TEST(Follow, IsKeptWithTheWindow) {
  Driver d(phrase_document(kTwelve));
  d.ctrl(KeyName::j);
  EXPECT_EQ(d.session.view.main_view, MainView::follow);
  d.session.draft.phrase = "a";
  d.step();
  EXPECT_TRUE(d.has("follow/tensors")) << "another phrase is followed at once";
}

}  // namespace
}  // namespace headscope::ui
