// The view of the computation as code: languages, the lines of the selected stage, what is copied.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/ui/script_panel.h"
#include "driver.h"

namespace headscope::ui {
namespace {

TEST(ScriptPanel, TakesThePlaceOfTheLayerAndBack) {
  Driver d;
  d.key(KeyName::p, true, true);
  EXPECT_EQ(d.session.view.main_view, MainView::script);
  EXPECT_TRUE(d.has("script/code"));
  EXPECT_TRUE(d.has("pipeline/weights")) << "stages are chosen here too";
  EXPECT_FALSE(d.has("heads"));
  d.key(KeyName::p, true, true);
  EXPECT_TRUE(d.has("heads"));
  EXPECT_FALSE(d.has("script"));
}

TEST(ScriptPanel, MarksTheLinesOfTheStageInView) {
  Driver d;
  d.key(KeyName::p, true, true);
  d.click("pipeline/output");
  const Rect output = d.rect("script/marked");
  d.click("pipeline/raw_scores");
  const Rect scores = d.rect("script/marked");
  EXPECT_TRUE(scores.min.y != output.min.y);
  // A click on a line of the script selects what it makes.
  ASSERT_NE(d.state.script, nullptr);
  const Script script = script_of(d.trace(), ScriptLanguage::pytorch);
  const ScriptSection* weights = script.find(StageId::weights);
  const ScriptSection* raw = script.find(StageId::raw_scores);
  ASSERT_TRUE(weights != nullptr && raw != nullptr);
  const float pitch = scores.height() / static_cast<float>(raw->end - raw->begin);
  d.click_at({scores.min.x + 200, scores.min.y + pitch * (static_cast<float>(weights->begin - raw->begin) + 1.5f)});
  EXPECT_EQ(d.session.view.stage, StageId::weights);
}

TEST(ScriptPanel, CopiesWhatItShowsInEveryLanguage) {
  Driver d;
  d.key(KeyName::p, true, true);
  for (const ScriptLanguage language : kScriptLanguages) {
    d.click("script/as/" + std::string(script_language_title(language)));
    d.click("script/copy");
    EXPECT_EQ(d.clipboard, script_of(d.trace(), language).text);
  }
  d.session.draft.phrase = "uno dos tres";
  d.step();
  d.click("script/copy");
  EXPECT_EQ(d.clipboard, script_of(d.trace(), ScriptLanguage::latex).text) << "it follows the phrase";
  EXPECT_NE(d.clipboard.find("3 queries"), std::string::npos);
}

TEST(ScriptPanel, ScrollsByKey) {
  Driver d(1280, 800);
  d.key(KeyName::p, true, true);
  d.key(KeyName::home);
  EXPECT_EQ(d.state.number["script/code/scroll"], 0);
  d.key(KeyName::page_down);
  EXPECT_GT(d.state.number["script/code/scroll"], 100);
  d.key(KeyName::end);
  const double end = d.state.number["script/code/scroll"];
  d.key(KeyName::down);
  EXPECT_EQ(d.state.number["script/code/scroll"], end) << "nothing lies below";
}

TEST(ScriptPanel, SectionsCoverTheWholeText) {
  Driver d;
  for (const ScriptLanguage language : kScriptLanguages) {
    const Script script = script_of(d.trace(), language);
    ASSERT_FALSE(script.sections.empty());
    EXPECT_EQ(script.sections.front().begin, 0);
    for (std::size_t i = 1; i < script.sections.size(); ++i) {
      EXPECT_EQ(script.sections[i].begin, script.sections[i - 1].end);
    }
    EXPECT_EQ(script.sections.back().end, std::count(script.text.begin(), script.text.end(), '\n'));
    for (const Stage& stage : d.trace().stages) {
      EXPECT_NE(script.find(stage.id), nullptr) << stage_name(stage.id);
    }
  }
}

}  // namespace
}  // namespace headscope::ui
