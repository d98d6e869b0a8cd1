// The pipeline strip: every stage is there, a click or a key selects it, and the inspector follows.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "app/ui/stage_facts.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

Document long_pipeline() {
  Document document;
  document.request.phrase = "a b c d e f";
  document.request.key_phrase = "one two three";
  document.request.d_model = 64;
  document.request.heads = 4;
  document.request.softcap = 5;
  document.request.dropout = 0.3;
  document.request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  return document;
}

TEST(PipelineStrip, ShowsEveryStageOfTheTrace) {
  Driver d;
  for (const Stage& stage : d.trace().stages) {
    EXPECT_TRUE(d.has("pipeline/" + std::string(stage_name(stage.id)))) << stage_name(stage.id);
  }
}

TEST(PipelineStrip, AClickSelectsAndTheInspectorFollows) {
  Driver d(1600, 1800);
  for (const Stage& stage : d.trace().stages) {
    d.click("pipeline/" + std::string(stage_name(stage.id)));
    EXPECT_EQ(d.session.view.stage, stage.id);
    EXPECT_TRUE(d.has("inspector/picture")) << stage_name(stage.id);
    EXPECT_TRUE(d.has("inspector/statistics")) << stage_name(stage.id);
    EXPECT_TRUE(d.has("inspector/where")) << stage_name(stage.id);
  }
}

TEST(PipelineStrip, AScoreStageIsShownByTheHeadsToo) {
  Driver d;
  d.click("pipeline/raw_scores");
  EXPECT_EQ(d.session.view.quantity, StageId::raw_scores);
  d.click("pipeline/concat");
  EXPECT_EQ(d.session.view.quantity, StageId::raw_scores);
}

TEST(PipelineStrip, ArrowsWalkThroughAllStages) {
  Driver d;
  d.click("pipeline/input");
  std::vector<StageId> seen = {d.session.view.stage};
  for (std::size_t i = 1; i < d.trace().stages.size(); ++i) {
    d.key(KeyName::right);
    seen.push_back(d.session.view.stage);
  }
  std::vector<StageId> all;
  for (const Stage& stage : d.trace().stages) all.push_back(stage.id);
  EXPECT_EQ(seen, all);
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.stage, StageId::output) << "the last one stays";
  d.key(KeyName::home);
  EXPECT_EQ(d.session.view.stage, StageId::input);
}

TEST(PipelineStrip, IsOneStopOfTheTabKey) {
  Driver d;
  int stops = 0;
  for (const std::string& name : d.state.tab_order) stops += name.starts_with("pipeline/") ? 1 : 0;
  EXPECT_EQ(stops, 1);
  d.tab_to("pipeline/weights");
  d.key(KeyName::left);
  EXPECT_EQ(d.session.view.stage, StageId::masked_scores);
  EXPECT_EQ(d.focus(), "pipeline/masked_scores");
}

TEST(PipelineStrip, NamesOnlyOnALowWindow) {
  Driver d(1280, 800);
  EXPECT_LE(d.rect("pipeline/weights").height(), 26);
  d.click("pipeline/key");
  EXPECT_EQ(d.session.view.stage, StageId::key);
  d.click("pipeline/scores");
  EXPECT_EQ(d.session.view.stage, StageId::scores);
}

bool draws_words(const Driver& d, const std::string& words) {
  return std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& each) { return each.words == words; });
}

TEST(PipelineStrip, FoldedItIsOneLineOfNamesWithTheShapeOfTheSelected) {
  Driver d(1600, 1000);
  d.session.view.pipeline_collapsed = true;
  d.click("pipeline/weights");
  d.step();
  const Rect weights = d.rect("pipeline/weights");
  for (const Stage& stage : d.trace().stages) {
    const std::string name(stage_name(stage.id));
    EXPECT_TRUE(draws_words(d, name)) << name;
    EXPECT_EQ(d.rect("pipeline/" + name).min.y, weights.min.y) << name;
  }
  EXPECT_TRUE(draws_words(d, to_string(d.trace().tensor(StageId::weights).shape())));
  d.click("pipeline_size");
  EXPECT_FALSE(d.session.view.pipeline_collapsed) << "the caret opens the cards";
}

TEST(PipelineStrip, InANarrowWindowQueryKeyAndValueAreLetters) {
  Driver d(long_pipeline(), 800, 640);
  d.key(KeyName::p, true, true);
  EXPECT_TRUE(draws_words(d, "q") && draws_words(d, "k") && draws_words(d, "v"));
}

TEST(PipelineStrip, ScrollsToTheSelectedStageWhenNotAllFit) {
  Driver d(long_pipeline(), 1000, 1000);
  d.click("pipeline/weights");
  for (const StageId id : {StageId::output, StageId::input}) {
    d.key(id == StageId::output ? KeyName::end : KeyName::home);
    EXPECT_EQ(d.session.view.stage, id);
    const Rect card = d.rect("pipeline/" + std::string(stage_name(id)));
    EXPECT_GE(card.min.x, 0);
    EXPECT_LE(card.max.x, 1000);
  }
}

TEST(PipelineStrip, KeepsItsStageWhileTheRequestChangesUnderIt) {
  Driver d(long_pipeline());
  d.click("pipeline/dropped_weights");
  EXPECT_EQ(d.session.view.stage, StageId::dropped_weights);
  d.session.draft.dropout = 0;
  d.step();
  EXPECT_EQ(d.trace().find(StageId::dropped_weights), nullptr);
  EXPECT_TRUE(d.has("inspector/picture")) << "the weights are shown instead";
  d.session.draft.dropout = 0.5;
  d.step();
  EXPECT_EQ(selection_of(d.session.view, d.trace()).stage, StageId::dropped_weights) << "and the choice is back";
}

TEST(PipelineStrip, CommandsForTheNextStageMoveTheHeadsAlong) {
  Driver d;
  d.click("pipeline/raw_scores");
  const StageId before = d.session.view.stage;
  d.key(KeyName::right);
  EXPECT_NE(d.session.view.stage, before);
  EXPECT_EQ(d.session.view.quantity, StageId::scores);
}

}  // namespace
}  // namespace headscope::ui
