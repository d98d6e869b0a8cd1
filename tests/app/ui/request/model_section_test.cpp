// A checkpoint in the window: what it fixes, its layers, the words that it knows.
#include <gtest/gtest.h>

#include "app/ui/phrase/phrase_tokens.h"
#include "core/attention/model_trace.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

constexpr const char* kPhrase = "The animal didn't cross the street because it was too tired";

Document pronouns() {
  return open_document("demo:pronouns", Request(), ViewState());
}

TEST(ModelSection, ACheckpointFixesItsSizes) {
  Driver d(pronouns());
  EXPECT_EQ(d.session.draft.phrase, kPhrase);
  ASSERT_TRUE(d.session.trace());
  EXPECT_EQ(d.session.failure(), "");
  ASSERT_TRUE(d.trace().model);
  EXPECT_EQ(d.trace().model->layers.size(), 2u);
  for (const char* seeded_only : {"request/seed", "request/d_model", "request/num_heads", "request/more"}) {
    EXPECT_FALSE(d.has(seeded_only)) << seeded_only;
  }
  EXPECT_TRUE(d.has("request/weights"));
}

TEST(ModelSection, LayersAreSegments) {
  Driver d(pronouns());
  EXPECT_EQ(d.trace().model->layer, 1) << "the last by default";
  d.click("request/layer/0");
  EXPECT_EQ(d.session.draft.layer, 0);
  EXPECT_EQ(d.trace().model->layer, 0);
}

TEST(ModelSection, SeededWeightsComeBack) {
  Driver d(pronouns());
  d.choose("request/weights", "seeded");
  EXPECT_EQ(d.session.draft.model, "seeded");
  EXPECT_TRUE(d.has("request/seed"));
  EXPECT_FALSE(d.trace().model);
  d.choose("request/weights", "demo: pronouns");
  EXPECT_EQ(d.session.draft.model, "demo:pronouns");
  EXPECT_TRUE(d.trace().model);
}

TEST(ModelSection, AFolderIsDroppedAndWhatIsMissingIsSaid) {
  Driver d;
  d.drop(HEADSCOPE_SOURCE_DIR "/assets/demos/pronouns");
  EXPECT_TRUE(d.session.draft.model.ends_with("/assets/demos/pronouns"));
  EXPECT_TRUE(d.trace().model);
  EXPECT_EQ(d.session.document.title, "pronouns");
  const Request before = d.session.draft;
  d.drop(HEADSCOPE_SOURCE_DIR "/tests");
  EXPECT_EQ(d.session.draft, before) << "what cannot be opened changes nothing";
  ASSERT_FALSE(d.state.notices.empty());
  EXPECT_NE(d.state.notices.back().advice.find("config.json"), std::string::npos);
}

TEST(ModelSection, HeadsOfTheShownLayerAreSwitchedOff) {
  Driver d(pronouns());
  d.right_click("heads/3/label");
  d.click("head_menu/Switch off");
  EXPECT_EQ(d.session.draft.ablate, (std::vector<AblatedHead>{{1, 3}}));
  d.click("request/layer/0");
  d.right_click("heads/3/label");
  d.click("head_menu/Switch off");
  EXPECT_EQ(d.session.draft.ablate, (std::vector<AblatedHead>{{1, 3}, {0, 3}}));
}

TEST(PhraseTokens, SayHowTheTextWasCut) {
  Driver d(pronouns());
  EXPECT_EQ(tokens_fact(d.trace()).words,
            std::to_string(d.trace().inputs->tokens.size()) + " tokens · all in vocabulary");
  EXPECT_TRUE(tokens_fact(d.trace()).unknown.empty());
  d.session.draft.phrase = "The zorp didn't cross the blick";
  d.step();
  const TokensFact fact = tokens_fact(d.trace());
  EXPECT_NE(fact.words.find("2 words unknown"), std::string::npos) << fact.words;
  EXPECT_EQ(fact.unknown.size(), 2u);
}

TEST(PhraseTokens, WithoutAVocabularyTextIsSplitOnBlanks) {
  Driver d;
  EXPECT_EQ(tokens_fact(d.trace()).words, "5 tokens, split on blanks");
}

TEST(PhraseTokens, BlanksOfPiecesAreVisible) {
  EXPECT_EQ(visible_piece(" Mary"), "␣Mary");
  EXPECT_EQ(visible_piece("\n"), "⏎");
  EXPECT_EQ(visible_piece("it"), "it");
}

TEST(PhraseTokens, TabTakesTheFirstKnownWord) {
  Driver d(pronouns());
  d.click("phrase", 0.95f);
  d.ctrl(KeyName::a);
  d.type("the anim");
  ASSERT_TRUE(d.has("phrase/suggest/animal"));
  d.key(KeyName::tab);
  EXPECT_EQ(d.session.draft.phrase, "the animal ");
  EXPECT_EQ(d.focus(), "phrase");
  d.key(KeyName::tab);
  EXPECT_NE(d.focus(), "phrase") << "without a suggestion Tab goes on";
}

TEST(PhraseTokens, AClickTakesAWordAndAKnownOneAsksNothing) {
  Driver d(pronouns());
  d.click("phrase", 0.95f);
  d.ctrl(KeyName::a);
  d.type("the stre");
  d.click("phrase/suggest/street");
  EXPECT_EQ(d.session.draft.phrase, "the street ");
  EXPECT_TRUE(d.names("phrase/suggest/").empty());
  d.type("the");
  EXPECT_FALSE(d.has("phrase/suggest/the"));
}

TEST(PhraseTokens, ADoubleClickMasksAToken) {
  Driver d(pronouns());
  ASSERT_TRUE(d.has("phrase/tokens/1"));
  const std::size_t tokens = d.trace().inputs->tokens.size();
  d.double_click("phrase/tokens/1");
  EXPECT_EQ(d.session.draft.phrase, "The [MASK] didn't cross the street because it was too tired");
  EXPECT_EQ(d.trace().inputs->tokens.size(), tokens);
  d.ctrl(KeyName::z);
  EXPECT_EQ(d.session.draft.phrase, kPhrase);
}

TEST(PhraseTokens, WithoutAModelADoubleClickOnlyPicks) {
  Driver d;
  const std::string phrase = d.session.draft.phrase;
  d.double_click("phrase/tokens/1");
  EXPECT_EQ(d.session.draft.phrase, phrase);
}

}  // namespace
}  // namespace headscope::ui
