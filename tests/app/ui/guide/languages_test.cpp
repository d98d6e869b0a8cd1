// The words of tour and examples: every language is whole, which one is taken, what a file may lack.
#include "app/ui/guide/languages.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "app/ui/guide/embedded_texts.h"
#include "app/ui/guide/examples.h"
#include "app/ui/guide/start_cards.h"
#include "app/ui/guide/tour.h"
#include "core/base/error.h"
#include "tests/app/ui/driver.h"

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

// Of a language's own file, without what English adds.
std::set<std::string> paths_of(const Language& language) {
  std::set<std::string> paths;
  for (const auto& [path, text] : language.texts) paths.insert(path);
  return paths;
}

TEST(Languages, EveryFileIsWholeAndNamesOnlyWhatThereIs) {
  ASSERT_GE(language_files().size(), 2u);
  Language english;
  for (const EmbeddedText& file : language_files()) {
    if (file.name == "en") english = parse_language(file.name, file.text);
  }
  std::map<std::string, std::string> known = tour_values(Driver().trace(), ViewState());
  Driver rotary(first_document());  // and what is said of angles
  rotary.step();
  known.merge(tour_values(rotary.trace(), rotary.session.view));
  for (const EmbeddedText& file : language_files()) {
    const Language own = parse_language(file.name, file.text);
    EXPECT_EQ(paths_of(own), paths_of(english)) << file.name;
    for (const auto& [path, text] : own.texts) {
      EXPECT_FALSE(text.empty()) << file.name << " " << path;
      EXPECT_EQ(places_in(text), places_in(english.text(path))) << file.name << " " << path;
      if (!path.starts_with("tour/")) continue;
      for (const std::string& place : places_in(text)) {
        EXPECT_EQ(known.count(place), 1u) << file.name << " " << path << ": {" << place << "}";
      }
    }
  }
}

TEST(Languages, EnglishSaysEveryStepAndEveryMistakeAndNothingElse) {
  const Language& english = language_for("en", "");
  std::set<std::string> used;
  for (const TourStop& stop : tour_stops()) {
    for (const char* what : {"title", "text"}) used.insert("tour/" + stop.id + "/" + what);
  }
  for (const TourCase& each : tour_cases()) {
    for (const char* what : {"/title", "/text"}) {
      used.insert("tour/" + std::string(each.stop) + "/" + std::string(each.name) + what);
    }
  }
  for (const Example& example : all_examples()) {
    for (const char* what : {"title", "about"}) used.insert("examples/" + example.id + "/" + what);
    for (const ExampleMistake& mistake : example.mistakes) {
      for (const char* what : {"title", "text"}) {
        used.insert("examples/" + example.id + "/mistakes/" + mistake.id + "/" + what);
      }
    }
  }
  for (const char* word : {"title", "note", "back", "tour", "close"}) used.insert(std::string("start/") + word);
  for (const StartCard& card : start_cards()) {
    for (const char* what : {"/title", "/text"}) used.insert(std::string("start/") + card.word + what);
    for (const StartWay& way : card.ways) {
      if (*way.text != '\0') used.insert(way.text);
    }
  }
  std::set<std::string> said;
  for (const std::string& path : paths_of(english)) {
    if (!path.starts_with("words/")) said.insert(path);
  }
  EXPECT_EQ(said, used);
}

TEST(Languages, TheLocaleChoosesAndTheSettingOverrules) {
  EXPECT_EQ(language_for("auto", "es_MX.UTF-8").code, "es");
  EXPECT_EQ(language_for("auto", "es").code, "es");
  EXPECT_EQ(language_for("auto", "en_GB").code, "en");
  EXPECT_EQ(language_for("auto", "eo").code, "en") << "there is no Esperanto";
  EXPECT_EQ(language_for("auto", "C.UTF-8").code, "en");
  EXPECT_EQ(language_for("auto", "").code, "en");
  EXPECT_EQ(language_for("es", "en_US.UTF-8").code, "es");
  EXPECT_EQ(language_for("xx", "es_ES").code, "en") << "a setting of another version";
}

TEST(Languages, WhatAFileLacksIsSaidInEnglish) {
  const Language thin = parse_language("xx", R"({"name": "X", "words": {"next": "n"}})");
  EXPECT_EQ(thin.name, "X");
  EXPECT_EQ(thin.text("words/next"), "n");
  EXPECT_EQ(thin.texts.size(), 1u);
  std::vector<Language> both = {language_for("en", ""), thin};
  complete_by_english(both);
  EXPECT_EQ(both[1].text("words/next"), "n");
  EXPECT_EQ(both[1].text("words/back"), language_for("en", "").text("words/back"));
  EXPECT_EQ(both[1].texts.size(), both[0].texts.size());
}

TEST(Languages, AFileThatIsWrongIsRefused) {
  EXPECT_THROW(parse_language("xx", "{"), Error);
  EXPECT_THROW(parse_language("xx", "[]"), Error);
  EXPECT_THROW(parse_language("xx", R"({"words": {}})"), Error) << "no name";
  EXPECT_THROW(parse_language("xx", R"({"name": "X", "words": {"next": 1}})"), Error);
  EXPECT_THROW(parse_language("xx", R"({"name": {"a": "X"}})"), Error);
}

TEST(Languages, PlacesAreFilledIn) {
  EXPECT_EQ(filled_in("{a} of {b}{c", {{"a", "1"}, {"b", "{a}"}}), "1 of {a}{c");
  EXPECT_EQ(filled_in("{unknown} {", {}), "{unknown} {");
}

TEST(Settings, TheLanguageIsChosenThere) {
  Driver d;
  d.key(KeyName::comma, true);
  ASSERT_EQ(d.state.dialog, DialogKind::settings);
  EXPECT_EQ(d.focus(), "settings/language");
  for (const Language& language : languages()) {
    d.choose("settings/language", language.name);
    EXPECT_EQ(d.settings.language, language.code);
  }
  d.choose("settings/language", "System (" + language_for("auto", message_locale()).name + ")");
  EXPECT_EQ(d.settings.language, "auto");
  d.choose("settings/language", "Español");
  d.key(KeyName::escape);
  EXPECT_EQ(d.state.dialog, DialogKind::none);
  // One setting for both.
  d.choose("menu/Help", "Tour");
  EXPECT_EQ(d.state.panels.get<CalloutState>().title, language_for("es", "").text("tour/phrase/title"));
  d.key(KeyName::escape);
  d.click("menu/File");
  d.hover("menu/File/Examples");
  d.click("menu/File/Examples/" + example_text(language_for("es", ""), all_examples()[0], "title"));
  d.step();
  EXPECT_EQ(d.state.panels.get<CalloutState>().title,
            language_for("es", "").text("examples/000-fused-projection/mistakes/merge/title"));
}

TEST(Settings, ThemeAndFileDialogsActAtOnce) {
  Driver d;
  d.choose("menu/Edit", "Settings...");
  const Theme before = d.settings.theme;
  d.click(before == Theme::dark ? "settings/theme/light" : "settings/theme/dark");
  EXPECT_NE(d.settings.theme, before);
  d.click("settings/close");
  EXPECT_EQ(d.state.dialog, DialogKind::none);
}

}  // namespace
}  // namespace headscope::ui
