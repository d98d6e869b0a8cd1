// The view of the computation as code: languages, the lines of the selected stage, what is copied.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "app/ui/export_dialog_state.h"
#include "app/ui/script/line_values.h"
#include "app/ui/script/script_panel.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"
#include "tests/app/ui/driver.h"

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
  ASSERT_NE(d.state.panels.get<ScriptState>().shown, nullptr);
  const Script script = script_of(d.trace(), ScriptLanguage::pytorch);
  const ScriptSection* weights = script.find(StageId::weights);
  const ScriptSection* raw = script.find(StageId::raw_scores);
  ASSERT_TRUE(weights != nullptr && raw != nullptr);
  const float pitch = scores.height() / static_cast<float>(raw->end - raw->begin);
  d.click_at({scores.min.x + 200, scores.min.y + pitch * (static_cast<float>(weights->begin - raw->begin) + 1.5f)});
  EXPECT_EQ(d.session.view.stage, StageId::weights);
}

// Every line that makes a stage has its shape and its first numbers beside it, those of the phrase on screen.
TEST(ScriptPanel, ShowsWhatEachLineMakes) {
  Driver d(1900, 1200);
  d.session.view.head = 1;
  d.session.view.cell = Cell{2, 0};
  d.key(KeyName::p, true, true);
  for (const ScriptLanguage language : kScriptLanguages) {
    d.click("script/as/" + std::string(script_language_title(language)));
    const ShownScript& script = *d.state.panels.get<ScriptState>().shown;
    std::size_t stages = 0;
    for (const Stage& stage : d.trace().stages) {
      const auto line = std::find_if(script.values.begin(), script.values.end(),
                                     [&](const auto& each) { return each.second.stage == stage.id; });
      if (line == script.values.end()) continue;
      ++stages;
      EXPECT_EQ(line->second.shape, to_string(stage.tensor.shape()));
      const auto section = std::find_if(script.sections.begin(), script.sections.end(), [&](const ScriptSection& each) {
        return line->first >= each.begin && line->first < each.end;
      });
      ASSERT_NE(section, script.sections.end());
      EXPECT_TRUE(std::find(section->stages.begin(), section->stages.end(), stage.id) != section->stages.end())
          << stage_name(stage.id);
    }
    EXPECT_EQ(stages, d.trace().stages.size()) << script_language_title(language);
    const auto weights = std::find_if(script.values.begin(), script.values.end(),
                                      [](const auto& each) { return each.second.stage == StageId::weights; });
    ASSERT_NE(weights, script.values.end());
    const double first = static_cast<double>(d.trace().tensor(StageId::weights).at({0, 1, 2, 0}));
    EXPECT_EQ(weights->second.values.substr(0, 6), number_label(first, 4, true).substr(0, 6));
    EXPECT_EQ(weights->second.row, "head 1, " + d.trace().query_labels()[2]);
  }
  d.click("script/as/PyTorch");
  d.click("pipeline/output");
  EXPECT_TRUE(d.has("script/values/output"));
  const std::string before = line_values(d.trace(), StageId::output, 0, 1, 2).values;
  d.session.draft.seed += 1;
  d.step();
  const std::string after = line_values(d.trace(), StageId::output, 0, 1, 2).values;
  EXPECT_NE(before, after);
  EXPECT_TRUE(std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& text) { return text.words == after; }));
}

TEST(ScriptPanel, GivesWayToTheCodeInASmallWindow) {
  Driver d(960, 640);
  d.key(KeyName::p, true, true);
  d.click("pipeline/output");
  EXPECT_TRUE(d.has("script/code"));
  const Rect code = d.rect("script/code");
  for (const std::string& name : d.names("script/values/")) EXPECT_LT(d.rect(name).min.x, code.max.x) << name;
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
  EXPECT_EQ(d.state.panels.get<ScrollOffsets>().down["script/code"], 0);
  d.key(KeyName::page_down);
  EXPECT_GT(d.state.panels.get<ScrollOffsets>().down["script/code"], 100);
  d.key(KeyName::end);
  const double end = d.state.panels.get<ScrollOffsets>().down["script/code"];
  d.key(KeyName::down);
  EXPECT_EQ(d.state.panels.get<ScrollOffsets>().down["script/code"], end) << "nothing lies below";
}

// A phrase whose command makes the second line of the script longer than any window.
const char* const kLongPhrase =
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen "
    "nineteen twenty twenty-one twenty-two twenty-three twenty-four twenty-five twenty-six twenty-seven twenty-eight";

TEST(ScriptPanel, GoesAlongWideLinesByKeyWheelAndBar) {
  Driver d(1280, 800);
  d.session.draft.phrase = kLongPhrase;
  d.step();
  d.key(KeyName::p, true, true);
  double& across = d.state.panels.get<ScrollOffsets>().across["script/code"];
  EXPECT_EQ(across, 0);
  d.key(KeyName::right);
  EXPECT_GT(across, 20);
  d.key(KeyName::left);
  EXPECT_EQ(across, 0);
  const Rect bar = d.rect("script/code/bar");
  d.click_at({bar.max.x - 1, bar.center().y});
  const double most = across;
  EXPECT_GT(most, 100);
  d.key(KeyName::right);
  EXPECT_EQ(across, most) << "nothing lies further right";
  ASSERT_NE(d.state.panels.get<ScriptState>().shown, nullptr);
  EXPECT_LE(static_cast<double>(d.state.panels.get<ScriptState>().shown->widest),
            most + static_cast<double>(d.rect("script/code").width()))
      << "the end of the longest line can be seen";
  d.key(KeyName::home);
  EXPECT_EQ(across, 0);
  d.shift_held = true;
  d.wheel("script/code", -2);
  d.shift_held = false;
  EXPECT_GT(across, 20);
}

TEST(ScriptPanel, HasNoBarWhereEveryLineFits) {
  Driver d(2560, 1440);
  d.session.draft.phrase = "a b";
  d.step();
  d.key(KeyName::p, true, true);
  EXPECT_FALSE(d.has("script/code/bar"));
  d.key(KeyName::right);
  EXPECT_EQ(d.state.panels.get<ScrollOffsets>().across["script/code"], 0);
}

TEST(ScriptPanel, TheMarkedLinesAreInSight) {
  for (const auto& [width, height] : {std::pair{1600, 1000}, std::pair{1280, 800}}) {
    Driver d(width, height);
    d.session.view.stage = StageId::output;
    d.step();
    d.key(KeyName::p, true, true);
    const auto whole = [&](const Stage& stage) {
      const Script script = script_of(d.trace(), d.state.panels.get<ScriptState>().shown->language);
      const ScriptSection* section = script.find(stage.id);
      ASSERT_NE(section, nullptr);
      const auto lines = static_cast<float>(section->end - section->begin);
      EXPECT_NEAR(d.rect("script/marked").height(), 18 * lines, 1) << stage_name(stage.id);
    };
    for (const ScriptLanguage language : kScriptLanguages) {
      d.click("script/as/" + std::string(script_language_title(language)));
      for (const Stage& stage : d.trace().stages) {
        d.session.view.stage = stage.id;
        d.step();
        whole(stage);
      }
    }
    // Scrolled away, closed and opened again.
    d.click("script/code");
    d.key(KeyName::home);
    d.key(KeyName::p, true, true);
    d.key(KeyName::p, true, true);
    whole(*d.trace().find(d.session.view.stage));
  }
}

class SavedScript : public testing::Test {
 protected:
  SavedScript()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("headscope-script-") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    driver_.settings.export_folder = folder_.string();
    driver_.key(KeyName::p, true, true);
  }
  ~SavedScript() override { std::filesystem::remove_all(folder_); }
  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void fill_in(const std::string& control, const std::string& words) {
    driver_.click(control);
    driver_.ctrl(KeyName::a);
    driver_.type(words);
  }
  std::filesystem::path folder_;
  Driver driver_;
};

TEST_F(SavedScript, AsksForItsNameAndPlace) {
  driver_.session.draft.embedding = Embedding::token;
  driver_.step();
  driver_.click("script/save");
  ASSERT_EQ(driver_.state.dialog, DialogKind::save_script);
  fill_in("save/folder", (folder_ / "below").string());
  fill_in("save/file", "mine.py");
  driver_.click("save/primary");
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
  EXPECT_FALSE(driver_.session.jobs.current().failed) << driver_.session.jobs.current().result;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "below" / "mine.safetensors"));
  EXPECT_EQ(text_of("below/mine.py"), script_of(driver_.trace(), ScriptLanguage::pytorch, "mine").text);
  EXPECT_NE(text_of("below/mine.py").find("read_tensors(\"mine.safetensors\")"), std::string::npos);
  EXPECT_EQ(driver_.settings.export_folder, (folder_ / "below").string()) << "it is remembered";
}

TEST_F(SavedScript, AddsTheEndingAndRefusesNames) {
  driver_.click("script/as/LaTeX");
  driver_.click("script/save");
  EXPECT_EQ(driver_.state.panels.get<ExportDialogState>().choice.file, "attention.tex");
  fill_in("save/file", "a/b");
  driver_.key(KeyName::enter);
  EXPECT_EQ(driver_.state.dialog, DialogKind::save_script) << "a name has no slash";
  fill_in("save/file", "formulas");
  driver_.key(KeyName::enter);
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
  EXPECT_EQ(text_of("formulas.tex"), script_of(driver_.trace(), ScriptLanguage::latex).text);
}

TEST_F(SavedScript, EscapeWritesNothing) {
  driver_.click("script/save");
  driver_.key(KeyName::escape);
  EXPECT_EQ(driver_.state.dialog, DialogKind::none);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
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
