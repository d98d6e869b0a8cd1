// One large head: the row of all heads, the numbers in its cells, what it looks at and what the model goes on with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "app/session/panel_layout.h"
#include "app/ui/panel_data.h"
#include "app/ui/view_head.h"
#include "core/attention/engine.h"
#include "core/attention/output_head.h"
#include "core/heads/head_habit.h"
#include "core/request/request_text.h"
#include "tests/app/ui/driver.h"
#include "tests/app/ui/first_start.h"

namespace headscope::ui {
namespace {

Document one_of(const std::string& words, std::int64_t heads = 8) {
  Document document = phrase_document(words, heads);
  document.view.heads_show = HeadsShow::one;
  set_panel_layout(document.view, first_panel_layout());
  return document;
}

bool draws(const Driver& d, const std::string& words) {
  return std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& text) { return text.words == words; });
}

// Until the run without the head has been asked for and is there.
void rest(Driver& d) {
  d.step(3);
  d.wait(0.5);
  d.step(3);
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

TEST(OneHead, HasNumbersInItsCellsAtTheSizesOfTheDesign) {
  for (const auto& [width, height] : {std::pair{1280, 800}, {1600, 1000}, {2560, 1440}}) {
    Driver d(at_first_start(), width, height);
    SCOPED_TRACE(width);
    const Rect picture = d.rect("inspector/picture");
    const auto tokens = static_cast<float>(d.trace().query_len());
    EXPECT_GE(picture.width() / tokens, 24);
    EXPECT_EQ(picture.width(), picture.height());
    EXPECT_TRUE(d.has("map/numbers"));
    EXPECT_TRUE(d.has("heads/looks") && d.has("heads/goes_on"));
    EXPECT_TRUE(draws(d, "What the model goes on with"));
  }
}

TEST(OneHead, HeadsAreNamedByTheirHabitsWithShares) {
  Driver d(at_first_start());
  d.step(4);
  PanelData& data = *panel_data(*std::make_unique<Ui>(
      Ui{d.session, d.settings, d.textures, d.state, *std::make_unique<Fonts>(), palette(Theme::dark)}));
  for (std::int64_t head = 0; head < 8; ++head) {
    const HeadHabit* habit = data.habit(0, head);
    ASSERT_NE(habit, nullptr);
    EXPECT_TRUE(draws(d, habit_word(habit->habit))) << head;
    EXPECT_TRUE(d.has("heads/" + std::to_string(head)));
  }
}

TEST(OneHead, AClickPicksAHeadAndKeepsTheCell) {
  Driver d(at_first_start());
  const std::optional<Cell> cell = d.session.view.cell;
  d.click("heads/4", 0.7f, 0.3f);
  EXPECT_EQ(d.session.view.head, 4);
  EXPECT_EQ(d.session.view.cell, cell) << "the word that looks stays";
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.head, 5);
}

TEST(OneHead, TheBarsAreTheWeightsOfThePickedRow) {
  Driver d(at_first_start());
  const Cell cell = *d.session.view.cell;
  const Tensor& weights = d.trace().tensor(StageId::weights);
  const auto at = [&](std::int64_t key) {
    return static_cast<double>(weights.at({0, d.session.view.head, cell.row, key}));
  };
  EXPECT_TRUE(draws(d, percent(at(cell.column)))) << "the largest of the row is picked";
  ASSERT_TRUE(d.has("heads/looks/1"));
  d.click("heads/looks/1");
  ASSERT_NE(d.session.view.cell->column, cell.column);
  EXPECT_EQ(d.session.view.cell->row, cell.row);
  for (std::int64_t key = 0; key < weights.dim(3); ++key) {
    if (key != cell.column) {
      EXPECT_LE(at(key), at(d.session.view.cell->column)) << "the second largest";
    }
  }
}

// The numbers of runs of their own, which no panel has made.
TEST(OneHead, PredictionsWithAndWithoutTheHeadAreThoseOfTwoRuns) {
  Driver d(at_first_start());
  rest(d);
  EngineOptions options;
  options.whole_model = true;
  Request off = d.session.draft;
  find_request_option("ablate")->set(off, "3.1");
  const auto with = Engine(options).run(d.session.draft, {}), without = Engine(options).run(off, {});
  const std::int64_t last[] = {with->query_len() - 1};
  const auto backend = make_cpu_backend(1);
  const TokenProbability first = predictions(*with->model, 0, last, 1, *backend, {}).front().top.front();
  const std::int64_t ids[] = {first.id};
  const double now = probabilities_of(*without->model, 0, last[0], ids, *backend, {}).front();
  EXPECT_TRUE(draws(d, percent(first.probability))) << first.probability;
  EXPECT_TRUE(draws(d, percent(now))) << now;
  char words[64];
  std::snprintf(words, sizeof words, ", %.0f %%; without this head %.0f %%.", 100 * first.probability, 100 * now);
  const std::string& said = d.state.panels.get<ViewFinding>().sentence;
  EXPECT_NE(said.find(words), std::string::npos) << said;
}

TEST(OneHead, TypingAsksForNoRunWithoutTheHeadUntilItRests) {
  Driver d(at_first_start());
  rest(d);
  d.session.draft.phrase += " ball";
  d.step(3);
  const std::string& said = d.state.panels.get<ViewFinding>().sentence;
  EXPECT_EQ(said.find("without this head"), std::string::npos) << said;
  EXPECT_NE(said.find("goes on with"), std::string::npos) << said;
  rest(d);
  EXPECT_NE(d.state.panels.get<ViewFinding>().sentence.find("without this head"), std::string::npos);
}

TEST(OneHead, WordsAndNumbersOfTheHeadlineGoToTheirCells) {
  Driver d(at_first_start());
  rest(d);
  d.session.view.cell = Cell{5, 3};
  d.step(2);
  d.click("inspector/picture", 0.05f, 0.95f);
  d.session.view.cell = Cell{16, 11};
  d.step(2);
  d.click("pipeline/context");
  EXPECT_EQ(d.session.view.stage, StageId::context);
  d.click("view_head/share");
  EXPECT_EQ(d.session.view.stage, StageId::weights);
  ASSERT_TRUE(d.session.view.cell);
  EXPECT_EQ(d.session.view.cell->row, 16);
  if (d.has("view_head/earlier")) {
    d.click("view_head/earlier");
    EXPECT_EQ(d.session.view.cell->row, 16);
    EXPECT_EQ(d.trace().inputs->tokens[static_cast<std::size_t>(d.session.view.cell->column)],
              d.trace().inputs->tokens[16]);
  }
}

TEST(OneHead, ItsSwitchAndXSwitchItOffAndOn) {
  Driver d(at_first_start());
  rest(d);
  d.click("heads/switch");
  EXPECT_EQ(d.session.draft.ablate.size(), 1u);
  d.step(3);
  EXPECT_TRUE(draws(d, "Switch on"));
  EXPECT_TRUE(draws(d, "off: context = 0") || draws(d, "off"));
  const std::string& said = d.state.panels.get<ViewFinding>().sentence;
  EXPECT_EQ(said.find("without this head"), std::string::npos) << "it is off: " << said;
  d.click("heads/1");
  d.key(KeyName::x);
  d.step(2);
  EXPECT_TRUE(d.session.draft.ablate.empty());
  d.click("phrase");
  d.type("x");
  EXPECT_TRUE(d.session.draft.ablate.empty()) << "a letter of the phrase";
}

TEST(OneHead, WithoutPredictionsTheWeightsHaveTheRoom) {
  Driver d(one_of("one two three four five six"));
  EXPECT_FALSE(d.has("heads/goes_on"));
  EXPECT_GT(d.rect("heads/looks").height(), 300);
  EXPECT_TRUE(d.has("heads/looks/0"));
}

TEST(OneHead, OneTokenIsNoWallOfColour) {
  Driver d(one_of("one", 4));
  EXPECT_LE(d.rect("inspector/picture").width(), 96);
  EXPECT_TRUE(draws(d, "100.0 %"));
}

TEST(OneHead, FewWordsHaveLargeCells) {
  Driver d(one_of("one two three four five", 4));
  EXPECT_GE(d.rect("inspector/picture").width() / 5, 60);
}

TEST(OneHead, MoreHeadsThanFitAreTurnedLikePages) {
  Driver d(one_of("one two three", 32));
  ASSERT_TRUE(d.has("heads/strip/forward"));
  EXPECT_TRUE(d.has("heads/0"));
  EXPECT_FALSE(d.has("heads/31"));
  d.click("heads/strip/forward");
  d.step(2);
  EXPECT_FALSE(d.has("heads/1"));
  d.session.view.head = 31;
  d.step(3);
  EXPECT_TRUE(d.has("heads/31")) << "the picked one is brought there";
  EXPECT_LE(d.rect("heads/31").max.x, d.rect("heads").max.x);
}

TEST(OneHead, AChoiceIsKeptForDocumentsThatSayNothingOfIt) {
  Driver d(at_first_start());
  d.settings.one_head = true;
  d.click("heads/show/grid");
  EXPECT_EQ(d.session.view.heads_show, HeadsShow::grid);
  EXPECT_FALSE(d.settings.one_head);
  d.click("heads/show/one");
  EXPECT_TRUE(d.settings.one_head);
  d.click("heads/show/arcs");
  EXPECT_TRUE(d.settings.one_head) << "lines are of this document";
  d.push(CommandId::new_session);
  d.step(3);
  EXPECT_EQ(d.session.view.heads_show, HeadsShow::one);
}

TEST(OneHead, OtherStagesAreShownInItsPlace) {
  Driver d(at_first_start());
  for (const char* stage : {"context", "concat", "output", "raw_scores"}) {
    d.click(std::string("pipeline/") + stage);
    d.step(2);
    EXPECT_TRUE(d.has("inspector/picture")) << stage;
    EXPECT_TRUE(d.has("heads/looks")) << stage;
  }
}

TEST(OneHead, NothingOfItOverlapsAtManySizes) {
  for (const auto& [width, height] : {std::pair{1024, 700}, {1100, 800}, {1440, 900}, {1920, 1080}, {3840, 2160}}) {
    SCOPED_TRACE(width);
    Driver d(at_first_start(), width, height);
    d.step(2);
    const Rect picture = d.rect("inspector/picture"), looks = d.rect("heads/looks"), strip = d.rect("heads");
    EXPECT_LE(strip.max.y, picture.min.y);
    EXPECT_LE(picture.max.x, looks.min.x);
    EXPECT_LE(d.rect("inspector/readout").max.y, d.rect("concat").max.y);
    if (d.has("heads/goes_on")) {
      EXPECT_LE(looks.max.y, d.rect("heads/goes_on").min.y);
    }
  }
}

}  // namespace
}  // namespace headscope::ui
