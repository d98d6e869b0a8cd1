// The costs of a stage in the inspector: one line until it is opened, then the counts of the stage and of the layer.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/panel_states.h"
#include "app/ui/unfolded_rows.h"
#include "core/cost/cost_words.h"
#include "core/cost/layer_cost.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

bool shows(const Driver& d, const std::string& words) {
  return std::any_of(d.texts.begin(), d.texts.end(),
                     [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
}

// A window in which all of the card is in sight.
Driver& opened(Driver& d, StageId stage) {
  d.session.view.stage = stage;
  d.state.panels.get<UnfoldedRows>().open["inspector/cost"] = true;
  d.step();
  return d;
}

TEST(InspectorCost, IsFoldedToOneLineWithItsSum) {
  Driver d(phrase_document("a b c d e", 2, 8), 1600, 2400);
  d.session.view.stage = StageId::raw_scores;
  d.step();
  ASSERT_TRUE(d.has("inspector/cost"));
  EXPECT_FALSE(d.has("inspector/cost/body"));
  const LayerCost cost = layer_cost(d.trace());
  const StageCost& stage = *cost.find(StageId::raw_scores);
  EXPECT_EQ(stage.now.multiply_adds, 2 * 5 * 5 * 4);
  EXPECT_TRUE(shows(d, "200 multiply-adds · " + cost_bytes_text(stage.now.bytes())));
  EXPECT_FALSE(shows(d, "B·H·Q·K·D"));
  d.click("inspector/cost");
  EXPECT_TRUE(d.has("inspector/cost/body"));
  d.click("inspector/cost");
  EXPECT_FALSE(d.has("inspector/cost/body"));
}

TEST(InspectorCost, ShowsFormulasAndTheLayerWhenItIsOpened) {
  Driver d(phrase_document("a b c d e", 2, 8), 1600, 2400);
  opened(d, StageId::raw_scores);
  const LayerCost cost = layer_cost(d.trace());
  for (const std::string& words : {std::string("B·H·Q·K·D"), std::string("200"), std::string("800"),
                                   std::string("whole layer"), cost_count_text(cost.now.multiply_adds),
                                   cost_count_text(cost.twice.multiply_adds), cost_count_text(cost.now.cached)}) {
    EXPECT_TRUE(shows(d, words)) << words;
  }
  EXPECT_FALSE(shows(d, "GFLOP/s")) << "nothing is measured while the window is drawn";
}

TEST(InspectorCost, FollowsTheStageAndTheText) {
  Driver d(phrase_document("a b c d e", 2, 8), 1600, 2400);
  opened(d, StageId::output);
  EXPECT_TRUE(shows(d, cost_count_text(5 * 8 * 8) + " multiply-adds"));
  d.session.draft.phrase = "a b c d e f g";
  d.step(4);
  EXPECT_TRUE(shows(d, cost_count_text(7 * 8 * 8) + " multiply-adds"));
  d.session.view.stage = StageId::input;
  d.step();
  EXPECT_TRUE(shows(d, "This stage takes nothing"));
}

TEST(InspectorCost, OpensFromTheKeyboard) {
  Driver d(phrase_document("a b c d e", 2, 8), 1600, 2400);
  d.tab_to("inspector/cost");
  d.key(KeyName::enter);
  EXPECT_TRUE(d.has("inspector/cost/body"));
}

}  // namespace
}  // namespace headscope::ui
