// The guided tour: its texts in every language, its steps at real controls, leaving and going on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <set>

#include "app/ui/stage_facts.h"
#include "app/ui/tour.h"
#include "app/ui/tour_texts.h"
#include "core/error.h"
#include "driver.h"

namespace headscope::ui {
namespace {

std::set<std::string> places_in(const std::string& text) {
  std::set<std::string> names;
  const std::regex place("\\{([a-z_]+)\\}");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), place); at != std::sregex_iterator(); ++at) {
    names.insert((*at)[1]);
  }
  return names;
}

// What the menu does.
void start(Driver& d) {
  d.choose("menu/Help", "Tour");
}

int step_of(const Driver& d) {
  const auto found = d.state.number.find("tour/at");
  return found == d.state.number.end() ? -1 : static_cast<int>(found->second);
}

TEST(TourTexts, EveryLanguageSaysTheSameSteps) {
  const TourLanguage& english = tour_language("en", "");
  ASSERT_GE(tour_languages().size(), 2u);
  std::map<std::string, std::string> known = tour_values(Driver().trace(), ViewState());
  known["step"] = known["steps"] = "1";
  for (const TourLanguage& language : tour_languages()) {
    EXPECT_FALSE(language.name.empty());
    EXPECT_EQ(language.steps.size(), tour_stops().size()) << language.code;
    for (const TourStop& stop : tour_stops()) {
      const auto found = language.steps.find(stop.id);
      ASSERT_NE(found, language.steps.end()) << language.code << " has no " << stop.id;
      EXPECT_FALSE(found->second.title.empty());
      for (const std::string& place : places_in(found->second.title + found->second.text)) {
        EXPECT_EQ(known.count(place), 1u) << language.code << " " << stop.id << ": {" << place << "}";
      }
      EXPECT_EQ(places_in(found->second.text), places_in(english.steps.at(stop.id).text)) << language.code << stop.id;
    }
    for (const auto& [key, word] : english.words) {
      ASSERT_EQ(language.words.count(key), 1u) << language.code << " has no word " << key;
      EXPECT_EQ(places_in(language.word(key)), places_in(word));
    }
  }
}

TEST(TourTexts, TheLocaleChoosesAndTheSettingOverrules) {
  EXPECT_EQ(tour_language("auto", "es_MX.UTF-8").code, "es");
  EXPECT_EQ(tour_language("auto", "es").code, "es");
  EXPECT_EQ(tour_language("auto", "en_GB").code, "en");
  EXPECT_EQ(tour_language("auto", "eo").code, "en") << "there is no Esperanto";
  EXPECT_EQ(tour_language("auto", "C.UTF-8").code, "en");
  EXPECT_EQ(tour_language("auto", "").code, "en");
  EXPECT_EQ(tour_language("es", "en_US.UTF-8").code, "es");
  EXPECT_EQ(tour_language("xx", "es_ES").code, "en") << "a setting of another version";
}

TEST(TourTexts, AFileThatLacksSomethingIsRefused) {
  EXPECT_THROW(parse_tour_language("xx", "{"), Error);
  EXPECT_THROW(parse_tour_language("xx", R"({"name": "X", "words": {}})"), Error);
  EXPECT_THROW(parse_tour_language("xx", R"({"name": 1, "words": {}, "steps": {}})"), Error);
  EXPECT_THROW(parse_tour_language("xx", R"({"name": "X", "words": {}, "steps": {"a": {"title": "t"}}})"), Error);
}

TEST(TourTexts, PlacesAreFilledIn) {
  EXPECT_EQ(filled_in("{a} of {b}{c", {{"a", "1"}, {"b", "{a}"}}), "1 of {a}{c");
  EXPECT_EQ(filled_in("{unknown} {", {}), "{unknown} {");
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
    const std::string text = d.state.text["callout/text"];
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
  EXPECT_NE(d.state.text["callout/text"].find("Hola, mi, nombre, es, Alex"), std::string::npos);
  d.session.draft.phrase = "uno dos";
  d.step();
  EXPECT_NE(d.state.text["callout/text"].find("2 tokens: uno, dos"), std::string::npos) << d.state.text["callout/text"];
  for (int i = 0; i < 6; ++i) d.key(KeyName::right);
  const Selection at = selection_of(d.session.view, d.trace());
  const Tensor& weights = d.trace().tensor(StageId::weights);
  const float best = std::max(weights.at({0, at.head, 1, 0}), weights.at({0, at.head, 1, 1}));
  char number[16];
  std::snprintf(number, sizeof(number), "%.4f", static_cast<double>(best));
  EXPECT_NE(d.state.text["callout/text"].find(number), std::string::npos) << d.state.text["callout/text"];
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
  EXPECT_EQ(d.state.text["callout/title"], tour_language("es", "").steps.at("phrase").title);
  d.choose("tour/language", "English");
  EXPECT_EQ(d.settings.language, "en");
  EXPECT_EQ(d.state.text["callout/title"], tour_language("en", "").steps.at("phrase").title);
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
  for (std::size_t step = 0; step < tour_stops().size(); ++step) {
    const Rect box = d.rect("tour");
    EXPECT_TRUE(box.min.x >= 0 && box.min.y >= 0 && box.max.x <= 1280 && box.max.y <= 800) << step;
    d.key(KeyName::right);
  }
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
  d.state.number["tour/offer"] = 1;
  d.step();
  ASSERT_TRUE(d.has("notice/tour-offer/button"));
  d.key(KeyName::escape);
  EXPECT_FALSE(d.has("notice/tour-offer/button")) << "it leaves like every notice";
}

}  // namespace
}  // namespace headscope::ui
