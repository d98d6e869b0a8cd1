// The guided tour: its steps at real controls, its language, leaving and going on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "app/ui/guide/languages.h"
#include "app/ui/guide/tour.h"
#include "app/ui/stage_facts.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

// What the menu does.
void start(Driver& d) {
  d.choose("menu/Help", "Tour");
}

int step_of(const Driver& d) {
  const auto* tour = d.state.panels.find<TourState>();
  return tour == nullptr ? -1 : tour->step.value_or(-1);
}

// From the first stop on.
void go_on_to(Driver& d, const std::string& id) {
  for (const TourStop& stop : tour_stops()) {
    if (stop.id == id) return;
    d.key(KeyName::right);
  }
}

TEST(Tour, WalksThroughAllStepsByKey) {
  Driver d;
  start(d);
  ASSERT_TRUE(d.has("tour/next"));
  EXPECT_FALSE(d.has("tour/back"));
  const auto count = static_cast<int>(tour_stops().size());
  for (int step = 0; step < count; ++step) {
    ASSERT_EQ(step_of(d), step);
    const TourStop& stop = tour_stops()[static_cast<std::size_t>(step)];
    const auto there = [&](const std::string& name) { return d.has(name); };
    EXPECT_TRUE(std::any_of(stop.controls.begin(), stop.controls.end(), there)) << stop.id << " points at nothing";
    if (stop.stage) {
      EXPECT_EQ(d.session.view.stage, *stop.stage);
    }
    const std::string text = d.state.panels.get<CalloutState>().text;
    EXPECT_EQ(text.find('{'), std::string::npos) << text;
    const Rect box = d.rect("tour");
    EXPECT_TRUE(box.min.x >= 0 && box.min.y >= 0 && box.max.x <= 1600 && box.max.y <= 1000) << stop.id;
    d.key(KeyName::enter);
  }
  EXPECT_EQ(step_of(d), -1) << "the end";
  EXPECT_FALSE(d.has("tour"));
  EXPECT_EQ(d.settings.tour_step, 0) << "next time it begins anew";
}

TEST(Tour, SpeaksOfTheRealNumbers) {
  Driver d;
  start(d);
  EXPECT_NE(d.state.panels.get<CalloutState>().text.find("Hola, mi, nombre, es, Alex"), std::string::npos);
  d.session.draft.phrase = "uno dos";
  d.step();
  EXPECT_NE(d.state.panels.get<CalloutState>().text.find("2 tokens: uno, dos"), std::string::npos)
      << d.state.panels.get<CalloutState>().text;
  go_on_to(d, "weights");
  const Selection at = selection_of(d.session.view, d.trace());
  const Tensor& weights = d.trace().tensor(StageId::weights);
  const float best = std::max(weights.at({0, at.head, 1, 0}), weights.at({0, at.head, 1, 1}));
  char number[16];
  std::snprintf(number, sizeof(number), "%.4f", static_cast<double>(best));
  EXPECT_NE(d.state.panels.get<CalloutState>().text.find(number), std::string::npos)
      << d.state.panels.get<CalloutState>().text;
}

// What the tour says at a stop, by its id.
std::string said_at(Driver& d, const std::string& id) {
  d.settings.language = "en";
  d.settings.tour_step = 0;
  start(d);
  for (const TourStop& stop : tour_stops()) {
    if (stop.id == id) break;
    d.key(KeyName::right);
  }
  const CalloutState& callout = d.state.panels.get<CalloutState>();
  const std::string said = callout.title + "\n" + callout.text;
  d.key(KeyName::escape);
  EXPECT_EQ(said.find('{'), std::string::npos) << said;
  return said;
}

bool says(const std::string& said, const std::string& part) {
  return said.find(part) != std::string::npos;
}

TEST(Tour, AnEmptyBoxDoesNotHoldTheWordsThatAreOnScreen) {
  Driver d(phrase_document("one two three"));
  d.session.draft.phrase = "";
  d.step();
  const std::string said = said_at(d, "phrase");
  EXPECT_TRUE(says(said, "the last good result, of 3 tokens: one, two, three")) << said;
  EXPECT_FALSE(says(said, "computed from what stands here")) << said;
}

TEST(Tour, WithoutAResultItAsksForAPhraseAndNamesNoNumbers) {
  Driver d(phrase_document(""));
  ASSERT_EQ(d.session.trace(), nullptr);
  d.settings.language = "en";
  start(d);
  ASSERT_TRUE(d.has("tour/leave"));
  EXPECT_EQ(d.state.panels.get<CalloutState>().title, "No phrase yet");
  d.click("tour/leave");
  EXPECT_FALSE(d.has("tour"));
}

TEST(Tour, OneWordIsOneTokenWithOneKey) {
  Driver d(phrase_document("alone", 1, 8));
  EXPECT_TRUE(says(said_at(d, "phrase"), "became one token: alone"));
  EXPECT_TRUE(says(said_at(d, "heads"), "One head works alone"));
  EXPECT_TRUE(says(said_at(d, "weights"), "'alone' gives it a weight of 1.0000"));
  EXPECT_TRUE(says(said_at(d, "mask"), "There is no mask"));
  EXPECT_TRUE(says(said_at(d, "concat"), "Here there is one"));
}

TEST(Tour, RowsThatDoNotSumToOneAreNotSaidTo) {
  Document document = phrase_document("one two three");
  document.request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  document.request.variants = {Variant::mask_after_softmax};
  Driver d(document);
  d.session.view.cell = Cell{1, 0};
  const std::string said = said_at(d, "weights");
  EXPECT_FALSE(says(said, "sums to 1")) << said;
  double sum = 0;
  const Selection at = selection_of(d.session.view, d.trace());
  for (std::int64_t j = 0; j < 3; ++j) {
    sum += static_cast<double>(d.trace().tensor(StageId::weights).at({0, at.head, 1, j}));
  }
  char number[16];
  std::snprintf(number, sizeof(number), "%.4f", sum);
  EXPECT_TRUE(says(said, number)) << said;
}

TEST(Tour, ARowWithoutAKeyIsSaidToHoldNoNumbers) {
  Document document = phrase_document("one two three");
  document.request.mask = {{MaskTerm::Kind::padding, 3, ""}};
  Driver d(document);
  const std::string said = said_at(d, "weights");
  EXPECT_TRUE(says(said, "NaN")) << said;
  EXPECT_FALSE(says(said, "looks most")) << said;
}

TEST(Tour, KeysOfASecondPhraseAreNotSaidToComeFromTheFirst) {
  Document document = phrase_document("one two three");
  document.request.key_phrase = "four five";
  Driver d(document);
  EXPECT_TRUE(says(said_at(d, "projections"), "rows of the second text into keys"));
}

TEST(Tour, IsLeftAndGoesOnThere) {
  Driver d;
  start(d);
  d.key(KeyName::right);
  d.key(KeyName::right);
  d.key(KeyName::left);
  EXPECT_EQ(step_of(d), 1);
  d.key(KeyName::escape);
  EXPECT_EQ(step_of(d), -1);
  EXPECT_EQ(d.settings.tour_step, 1);
  start(d);
  EXPECT_EQ(step_of(d), 1);
  d.click("tour/leave");
  EXPECT_EQ(step_of(d), -1);
}

TEST(Tour, ChangesItsLanguageOnTheWay) {
  Driver d;
  start(d);
  d.settings.language = "es";
  d.step();
  d.step();
  EXPECT_EQ(d.state.panels.get<CalloutState>().title, language_for("es", "").text("tour/phrase/title"));
  d.choose("tour/language", "English");
  EXPECT_EQ(d.settings.language, "en");
  EXPECT_EQ(d.state.panels.get<CalloutState>().title, language_for("en", "").text("tour/phrase/title"));
}

TEST(Tour, PanelsBesideItGoOnWorking) {
  Driver d;
  start(d);
  d.click("heads/5");
  EXPECT_EQ(d.session.view.head, 5);
  EXPECT_TRUE(d.has("tour"));
  const Rect box = d.rect("tour");
  d.click_at({box.min.x + 4, box.min.y + 4});
  EXPECT_EQ(d.session.view.head, 5) << "what lies below the box sees no click";
}

TEST(Tour, FitsASmallWindow) {
  Driver d(1280, 800);
  start(d);
  for (const TourStop& stop : tour_stops()) {
    const Rect box = d.rect("tour");
    EXPECT_TRUE(box.min.x >= 0 && box.min.y >= 0 && box.max.x <= 1280 && box.max.y <= 800) << stop.id;
    if (stop.id == "head") {
      const Rect line = d.rect("inspector/readout");
      EXPECT_TRUE(box.max.x <= line.min.x || box.max.y <= line.min.y) << "the line that it speaks of is seen";
    }
    if (stop.id == "mask") {
      ASSERT_TRUE(d.has("request/mask/causal")) << "the Request opens where there is no room beside the panels";
      const Rect chips = d.rect("request/mask");
      EXPECT_TRUE(box.min.x >= chips.max.x || box.min.y >= chips.max.y || box.max.y <= chips.min.y)
          << "what it points at is seen";
    } else {
      EXPECT_FALSE(d.session.view.request_opened_by_hand) << stop.id << ": it would lie over the heads";
    }
    d.key(KeyName::right);
  }
}

TEST(Tour, NeverCoversWhatItPointsAt) {
  for (const auto& [width, height] :
       {std::pair{960, 640}, std::pair{1280, 800}, std::pair{1600, 1000}, std::pair{2560, 1440}}) {
    for (const char* language : {"en", "es"}) {
      Driver d(width, height);
      d.settings.language = language;
      d.step();
      start(d);
      for (const TourStop& stop : tour_stops()) {
        const std::string where = stop.id + " at " + std::to_string(width) + " in " + language;
        const auto& callout = d.state.panels.get<CalloutState>();
        ASSERT_TRUE(callout.target.has_value()) << where << " points at nothing";
        const Rect box = d.rect("tour"), target = *callout.target;
        EXPECT_TRUE(box.min.x >= target.max.x || box.max.x <= target.min.x || box.min.y >= target.max.y ||
                    box.max.y <= target.min.y)
            << where;
        EXPECT_TRUE(box.min.x >= 0 && box.min.y >= 0 && box.max.x <= static_cast<float>(width) &&
                    box.max.y <= static_cast<float>(height))
            << where;
        d.key(KeyName::right);
      }
    }
  }
}

TEST(Tour, OffersToGoOnWhereItWasLeft) {
  Driver d;
  d.settings.language = "en";
  d.settings.tour_step = 4;
  d.state.panels.get<TourState>().offered = true;
  d.step();
  const std::string words = "step 5 of " + std::to_string(tour_stops().size());
  EXPECT_TRUE(std::any_of(d.texts.begin(), d.texts.end(),
                          [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; }));
  d.click("notice/tour-offer/button");
  EXPECT_EQ(step_of(d), 4);
}

TEST(Tour, HasNoEnglishWordForNoMaskInSpanish) {
  Driver d(phrase_document("uno dos tres"));
  d.settings.language = "es";
  d.step();
  start(d);
  go_on_to(d, "mask");
  const std::string text = d.state.panels.get<CalloutState>().text;
  EXPECT_NE(text.find("No hay máscara:"), std::string::npos) << text;
}

TEST(Tour, KeepsItsBoxSmallWhateverIsTyped) {
  Driver d;
  start(d);
  d.session.draft.phrase = std::string(5000, 'w') + " b";
  d.step();
  for (std::size_t step = 0; step < tour_stops().size(); ++step) {
    EXPECT_LT(d.rect("tour").height(), 320) << step;
    d.key(KeyName::right);
  }
}

TEST(Tour, IsOfferedOnlyWhenAsked) {
  Driver d;
  EXPECT_FALSE(d.has("notice/tour-offer/button"));
  d.state.panels.get<TourState>().offered = true;
  d.step();
  ASSERT_TRUE(d.has("notice/tour-offer/button"));
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("notice/tour-offer/button")) << "it leaves like every notice";
}

}  // namespace
}  // namespace headscope::ui
