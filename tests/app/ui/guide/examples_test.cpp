// The tutorials as examples: each opens, runs, and shows its mistakes at controls that are there.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "app/ui/guide/examples.h"
#include "app/ui/widgets/control_states.h"
#include "core/base/error.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

std::string line_of(const Driver& d, const Example& example) {
  return "menu/File/Examples/" + example_text(language_for(d.settings.language, message_locale()), example, "title");
}

// Through the menu, as a user does.
void open(Driver& d, const Example& example) {
  d.click("menu/File");
  d.hover("menu/File/Examples");
  d.click(line_of(d, example));
  d.step();
}

// What the callout points at: the first control that is there, within its panel.
void expect_pointed_at(Driver& d, const ExampleMistake& mistake, const std::string& what) {
  const std::string& control = mistake.place.controls.front();
  ASSERT_TRUE(d.has(control)) << what << ": " << control;
  const Rect target = d.rect(control), box = d.rect("mistake");
  const std::string panel = control.substr(0, control.find('/'));
  if (d.has(panel)) {
    const Rect around = d.rect(panel);
    EXPECT_TRUE(target.min.x >= around.min.x && target.max.x <= around.max.x && target.min.y >= around.min.y &&
                target.max.y <= around.max.y)
        << what << ": it is scrolled out of sight";
  }
  const bool covered =
      box.min.x < target.max.x && box.max.x > target.min.x && box.min.y < target.max.y && box.max.y > target.min.y;
  EXPECT_FALSE(covered) << what << ": the callout lies over what it points at";
}

TEST(Examples, EveryOneRunsAndPointsAtRealControls) {
  ASSERT_EQ(all_examples().size(), 14u);
  const Language& english = language_for("en", "");
  std::size_t mistakes = 0;
  for (const auto& [width, height] : {std::pair{1600, 1000}, std::pair{1280, 800}}) {
    for (const Example& example : all_examples()) {
      Driver d(width, height);
      d.settings.language = "en";
      open(d, example);
      EXPECT_FALSE(d.session.problem().has_value()) << example.id;
      EXPECT_EQ(d.session.draft, example.request);
      EXPECT_EQ(d.session.document.title, example_text(english, example, "title"));
      EXPECT_EQ(example.mistakes.empty(), example.id.starts_with("demo-") || example.id.starts_with("why-"));
      EXPECT_EQ(example.view.has_value(), example.id.starts_with("why-"));
      for (const ExampleMistake& mistake : example.mistakes) {
        ++mistakes;
        const std::string what = example.id + " " + mistake.id + " at " + std::to_string(width);
        ASSERT_TRUE(d.has("mistake/next")) << what;
        EXPECT_EQ(d.state.panels.get<CalloutState>().title, mistake_text(english, example, mistake, "title"));
        ASSERT_TRUE(mistake.place.stage.has_value());
        EXPECT_NE(d.trace().find(*mistake.place.stage), nullptr) << what;
        EXPECT_EQ(d.session.view.stage, *mistake.place.stage) << what;
        if (mistake.place.cell) {
          EXPECT_EQ(d.session.view.cell, mistake.place.cell) << what;
        }
        expect_pointed_at(d, mistake, what);
        d.key(KeyName::enter);
      }
      EXPECT_FALSE(d.has("mistake"));
    }
  }
  EXPECT_EQ(mistakes, 2 * 16u);
}

TEST(Examples, OfWhyOpenTheViewThatAnswers) {
  const std::map<std::string, std::pair<MainView, const char*>> views = {
      {"why-circuits", {MainView::circuits, "circuits"}},
      {"why-gradients", {MainView::gradients, "gradients/head/15,1"}},
      {"why-lens", {MainView::lens, "lens/cell/4,0"}},
      {"why-scatter", {MainView::scatter, "scatter"}},
      {"why-score", {MainView::score, "score/pair: embedding × 0.5"}},
      {"why-sweep", {MainView::sweep, "sweep/estimated/1,7"}}};
  for (const Example& example : all_examples()) {
    if (!example.view) continue;
    const auto& [view, shown] = views.at(example.id);
    Driver d;
    open(d, example);
    d.step(6);
    EXPECT_EQ(d.session.view.main_view, view) << example.id;
    EXPECT_TRUE(d.has(shown)) << example.id;
  }
}

TEST(Examples, AreOfferedWhileThePhraseIsEmpty) {
  for (const auto& [width, height] : {std::pair{1600, 1000}, std::pair{960, 640}}) {
    Driver d(width, height);
    EXPECT_FALSE(d.has("offers"));
    d.session.draft.phrase = "  ";
    d.step();
    ASSERT_TRUE(d.has("offers"));
    EXPECT_FALSE(d.has("heads/0")) << "in the place of the last picture";
    for (const Example& example : all_examples()) EXPECT_TRUE(d.has("offers/" + example.id)) << example.id;
    d.session.draft.phrase = "uno";
    d.step();
    EXPECT_FALSE(d.has("offers"));
    EXPECT_TRUE(d.has("heads/0"));
    d.session.draft.phrase.clear();
    d.step();
    d.click("offers/" + all_examples()[1].id);
    d.step();
    EXPECT_EQ(d.session.draft, all_examples()[1].request);
    EXPECT_TRUE(d.has("mistake"));
  }
}

TEST(Examples, AreInTheHelpMenuWithASentenceEach) {
  Driver d;
  d.settings.language = "en";
  d.choose("menu/Help", "Examples...");
  EXPECT_EQ(d.state.dialog, DialogKind::examples);
  d.click("examples/" + all_examples()[2].id);
  d.step();
  EXPECT_EQ(d.session.draft, all_examples()[2].request);
}

TEST(Examples, GoThereComesBackFromAnywhere) {
  for (const Example& example : all_examples()) {
    Driver d(1280, 800);
    open(d, example);
    for (const ExampleMistake& mistake : example.mistakes) {
      // Elsewhere: another view and stage, everything closed that can be.
      d.session.view.main_view = MainView::script;
      d.session.view.stage = StageId::input;
      d.session.view.cell.reset();
      d.session.view.head = 1;
      d.session.view.request_opened_by_hand = false;
      d.session.view.inspector_collapsed = d.session.view.concat_collapsed = true;
      d.state.panels.get<ScrollOffsets>().down["request"] = 0;
      d.step();
      d.click("mistake/go");
      d.step();
      EXPECT_EQ(d.session.view.main_view, MainView::layer);
      EXPECT_EQ(d.session.view.stage, *mistake.place.stage);
      expect_pointed_at(d, mistake, example.id + " " + mistake.id);
      d.click("mistake/next");
    }
  }
}

// Words that are true of the numbers: the cells that are spoken of hold what is said.
TEST(Examples, ThePickedCellsAreWhatTheWordsSay) {
  const auto at = [](const Trace& trace, StageId stage, const Index& index) { return trace.tensor(stage).at(index); };
  Driver d;
  open(d, all_examples()[0]);
  EXPECT_EQ(at(d.trace(), StageId::concat, {0, 0, 64}), at(d.trace(), StageId::context, {0, 0, 1, 0}));
  open(d, all_examples()[1]);
  EXPECT_EQ(at(d.trace(), StageId::concat, {0, 0, 64}), at(d.trace(), StageId::context, {0, 0, 1, 0}));
  open(d, all_examples()[2]);
  EXPECT_EQ(at(d.trace(), StageId::masked_scores, {0, 0, 2, 1}), at(d.trace(), StageId::scores, {0, 0, 2, 1}));
  open(d, all_examples()[3]);
  EXPECT_EQ(at(d.trace(), StageId::concat, {0, 0, 3}), at(d.trace(), StageId::context, {0, 0, 1, 0}));
  for (const ExampleMistake& mistake : all_examples()[3].mistakes) {
    if (mistake.id != "forgotten-dropout") continue;
    const Cell cell = *mistake.place.cell;
    EXPECT_EQ(at(d.trace(), StageId::dropped_weights, {0, 0, cell.row, cell.column}), 0);
    EXPECT_GT(at(d.trace(), StageId::weights, {0, 0, cell.row, cell.column}), 0);
  }
}

TEST(Examples, ADemoOpensAsItDoesByItsName) {
  for (const std::size_t at : {5u, 6u}) {
    const Example& example = all_examples()[at];
    Driver d;
    open(d, all_examples()[0]);
    open(d, example);
    EXPECT_FALSE(d.has("mistake")) << "the callout of the example before";
    const Document demo = open_document(example.request.model, Request(), ViewState());
    EXPECT_EQ(d.session.draft, demo.request);
    EXPECT_EQ(d.session.view.head, demo.view.head);
    EXPECT_EQ(d.session.view.cell, demo.view.cell);
    const Cell cell = *d.session.view.cell;
    EXPECT_GT(d.trace().tensor(StageId::weights).at({0, d.session.view.head, cell.row, cell.column}), 0.9f);
  }
}

TEST(Examples, SpeakTheLanguageOfTheSettings) {
  Driver d;
  d.settings.language = "es";
  open(d, all_examples()[4]);
  const Language& spanish = language_for("es", "");
  EXPECT_EQ(d.session.document.title, example_text(spanish, all_examples()[4], "title"));
  EXPECT_EQ(d.state.panels.get<CalloutState>().text,
            mistake_text(spanish, all_examples()[4], all_examples()[4].mistakes[0], "text"));
  d.choose("mistake/language", "English");
  EXPECT_EQ(d.state.panels.get<CalloutState>().text,
            mistake_text(language_for("en", ""), all_examples()[4], all_examples()[4].mistakes[0], "text"));
  EXPECT_TRUE(d.has("mistake")) << "the document is the same";
}

TEST(Examples, TheMenuOpensThemByKey) {
  Driver d;
  d.key(KeyName::f10);
  while (d.state.panels.get<OpenLists>().by_name["menu/File"].inner == InnerList::none) d.key(KeyName::down);
  EXPECT_FALSE(d.has(line_of(d, all_examples()[0])));
  d.key(KeyName::right);
  EXPECT_TRUE(d.has(line_of(d, all_examples()[0])));
  d.key(KeyName::left);
  EXPECT_FALSE(d.has(line_of(d, all_examples()[0]))) << "Left closes the inner list only";
  EXPECT_EQ(d.state.open_combo, "menu/File");
  d.key(KeyName::enter);
  d.key(KeyName::escape);
  EXPECT_EQ(d.state.open_combo, "menu/File");
  d.key(KeyName::right);
  d.key(KeyName::down);
  d.key(KeyName::down);
  d.key(KeyName::enter);
  EXPECT_EQ(d.state.open_combo, "");
  EXPECT_EQ(d.session.draft, all_examples()[2].request);
  EXPECT_TRUE(d.has("mistake"));
}

TEST(Examples, TheMenuOpensThemByMouse) {
  Driver d;
  d.click("menu/File");
  d.click("menu/File/Examples");
  ASSERT_TRUE(d.has(line_of(d, all_examples()[0]))) << "a click opens the inner list, too";
  d.hover("menu/File/Quit");
  EXPECT_FALSE(d.has(line_of(d, all_examples()[0])));
  d.hover("menu/File/Examples");
  d.hover(line_of(d, all_examples()[4]));
  d.click(line_of(d, all_examples()[4]));
  EXPECT_EQ(d.session.draft, all_examples()[4].request);
  // A click elsewhere closes both.
  d.click("menu/File");
  d.hover("menu/File/Examples");
  d.click_at({1500, 900});
  EXPECT_EQ(d.state.open_combo, "");
}

TEST(Examples, TheDialogSaysWhatEachShows) {
  Driver d;
  d.click("menu/File");
  d.hover("menu/File/Examples");
  d.click("menu/File/Examples/What each shows...");
  ASSERT_EQ(d.state.dialog, DialogKind::examples);
  d.key(KeyName::down);
  d.key(KeyName::enter);
  EXPECT_EQ(d.session.draft, all_examples()[1].request);
  ASSERT_TRUE(d.has("mistake"));
}

TEST(Examples, AnotherDocumentEndsThem) {
  Driver d;
  open(d, all_examples()[1]);
  ASSERT_TRUE(d.has("mistake"));
  d.ctrl(KeyName::n);
  EXPECT_FALSE(d.has("mistake"));
}

TEST(Examples, AFileThatLacksSomethingIsRefused) {
  EXPECT_THROW(parse_example("x", "{"), Error);
  EXPECT_THROW(parse_example("x", R"({"request": {}, "stage": "no", "mistakes": []})"), Error);
  EXPECT_THROW(parse_example("x", R"({"request": {"no": 1}, "stage": "output", "mistakes": []})"), Error);
  EXPECT_THROW(parse_example("x", R"({"request": {}, "stage": "output", "mistakes": [{"id": "a", "stage": "output",
                                       "controls": []}]})"),
               Error);
}

}  // namespace
}  // namespace headscope::ui
