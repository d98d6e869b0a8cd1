// Terms of the window: each has its place in the glossary, tooltips say its sentence, and F1 goes there.
#include "app/ui/guide/terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/guide/guide_page.h"
#include "app/ui/guide/tour.h"
#include "app/ui/guide_state.h"
#include "app/ui/request/request_facts.h"
#include "app/ui/stage_facts.h"
#include "core/request/stage.h"
#include "tests/app/ui/driver.h"
#include "tests/app/ui/first_start.h"

namespace headscope::ui {
namespace {

// The window of the very first start.
class TermsOnScreen : public testing::Test {
 protected:
  TermsOnScreen() { d.step(3); }
  Driver d{at_first_start()};
};

bool says(const Driver& d, const std::string& words) {
  return std::any_of(d.texts.begin(), d.texts.end(),
                     [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
}

TEST(Terms, EveryOneHasASentenceInTheGlossary) {
  for (const TermRow& row : term_rows()) {
    const std::string sentence = term_sentence(row.term);
    EXPECT_TRUE(sentence.ends_with('.') && sentence.size() <= 220) << row.term << ": " << sentence;
  }
  EXPECT_EQ(
      term_sentence("scale"),
      "The scale is the number that every score is multiplied by, 1 / √head_dim unless the model says otherwise.");
  EXPECT_EQ(term_sentence("no such term"), "");
}

TEST(Terms, EveryEntryOfTheGlossaryBeginsWithASentence) {
  const GuidePage* page = find_guide_page(kGlossary);
  ASSERT_NE(page, nullptr);
  int entries = 0;
  for (const GuideBlock& block : page->blocks) {
    if (block.kind != GuideBlock::Kind::heading || block.mark != "##") continue;
    EXPECT_FALSE(term_sentence(guide_words(block)).empty()) << guide_words(block);
    ++entries;
  }
  EXPECT_GT(entries, 30);
}

TEST(Terms, EveryStageIsOne) {
  for (const StageId stage : all_stages()) {
    EXPECT_FALSE(term_of_control("pipeline/" + std::string(stage_name(stage))).empty()) << stage_name(stage);
  }
}

// A model and a file of weights are names of the user's own.
TEST_F(TermsOnScreen, EveryFactOfTheRequestIsOne) {
  for (const RequestFact& fact : request_facts(d.trace(), 0)) {
    const std::string option = fact.option;
    const bool named = option == "model" || option == "weights";
    EXPECT_EQ(term_of_control("request/fact/" + option).empty(), named) << option;
  }
}

TEST_F(TermsOnScreen, ATooltipSaysTheSentenceAndF1OpensTheGlossaryThere) {
  for (const TermRow& row : term_rows()) {
    const std::string name(row.control);
    if (!d.has(name) || d.rect(name).width() < 2) continue;
    d.hover(name);
    d.wait(0.5);
    d.step();
    ASSERT_EQ(d.state.hovered, name);
    EXPECT_TRUE(says(d, "F1 says more.") || says(d, "more.")) << name;
    d.key(KeyName::f1);
    ASSERT_EQ(d.state.dialog, DialogKind::guide) << name;
    d.step(3);
    EXPECT_TRUE(says(d, std::string(row.term))) << name;
    d.key(KeyName::escape);
    d.step(2);
    ASSERT_EQ(d.state.dialog, DialogKind::none);
  }
}

TEST_F(TermsOnScreen, ThoseOfTheFirstScreenAreThere) {
  for (const char* name :
       {"tokens_fact", "inspector/entropy", "inspector/queries", "inspector/keys", "request/fact/heads",
        "request/fact/mask", "request/fact/scale", "pipeline/weights", "pipeline/concat", "phrase/tokens"}) {
    EXPECT_TRUE(d.has(name)) << name;
    EXPECT_FALSE(term_of_control(name).empty()) << name;
  }
}

TEST_F(TermsOnScreen, F1IsHelpElsewhere) {
  d.hover("status/state");
  d.key(KeyName::f1);
  EXPECT_EQ(d.state.dialog, DialogKind::help);
  d.key(KeyName::escape);
  d.step(2);
}

// The numbers of rotary positions in the guide and the tour are those of the tensors.
TEST_F(TermsOnScreen, RopeHasTheNumbersOfTheRun) {
  const Trace& trace = d.trace();
  d.session.view.stage = StageId::weights;
  d.session.view.cell = Cell{16, 11};
  const auto values = tour_values(trace, d.session.view);
  ASSERT_TRUE(values.contains("rope"));
  EXPECT_EQ(values.at("rope_query"), "16");
  EXPECT_EQ(values.at("rope_key"), "11");
  EXPECT_EQ(values.at("rope_pairs"), "8");
  EXPECT_EQ(values.at("rope_difference"), "5.0000") << "frequency 1, five positions";
  EXPECT_EQ(values.at("rope_product"), values.at("rope_relative"));
  const GuidePage* page = find_guide_page("13-rope");
  ASSERT_NE(page, nullptr);
  ASSERT_TRUE(is_live(*page));
  std::string all;
  for (const GuideBlock& block : filled_page(*page, values).blocks) all += guide_words(block) + "\n";
  EXPECT_EQ(all.find("{"), std::string::npos) << all;
  EXPECT_NE(all.find("stands at position 16"), std::string::npos) << all;
  EXPECT_EQ(all.find("no turned queries or keys"), std::string::npos) << all;
  std::string none;
  for (const GuideBlock& block : filled_page(*page, {{"no_rope", ""}}).blocks) none += guide_words(block) + "\n";
  EXPECT_NE(none.find("no turned queries or keys"), std::string::npos);
  EXPECT_EQ(none.find("{"), std::string::npos) << none;
}

TEST(Terms, TheTourSaysByWhichAngleAQueryIsTurned) {
  Driver d(first_document());
  d.settings.language = "en";
  d.step();
  d.session.view.cell = Cell{16, 11};
  const auto stop = std::find_if(tour_stops().begin(), tour_stops().end(),
                                 [](const TourStop& each) { return each.id == "positions"; });
  d.settings.tour_step = static_cast<int>(stop - tour_stops().begin());
  d.choose("menu/Help", "Tour");
  const std::string text = d.state.panels.get<CalloutState>().text;
  // The 16th position at the frequency 1, and the numbers of the stage before and after.
  const Selection at = selection_of(d.session.view, d.trace());
  const auto number = [](float value) {
    char words[16];
    std::snprintf(words, sizeof(words), "%.4f", static_cast<double>(std::abs(value)));
    return std::string(words);
  };
  const Tensor &before = d.trace().tensor(StageId::query_proj), &after = d.trace().tensor(StageId::query);
  const std::int64_t width = after.dim(3);
  EXPECT_NE(text.find("by 16.0000 rad"), std::string::npos) << text;
  for (const std::int64_t feature : {std::int64_t{0}, width / 2}) {
    EXPECT_NE(text.find(number(after.at({0, at.head, 16, feature}))), std::string::npos) << text;
    EXPECT_NE(text.find(number(before.at({0, 16, at.head * width + feature}))), std::string::npos) << text;
  }
}

TEST(Terms, RandomWeightsHaveNoAngles) {
  Driver d;
  d.step();
  EXPECT_FALSE(tour_values(d.trace(), d.session.view).contains("rope"));
}

}  // namespace
}  // namespace headscope::ui
