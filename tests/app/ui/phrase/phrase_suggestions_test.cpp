// The word that Tab takes.
#include "app/ui/phrase/phrase_suggestions.h"

#include <gtest/gtest.h>

#include "app/ui/widgets/text_pieces.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

TEST(PhraseSuggestions, TabTakesTheWordOnlyWhileThePhraseHasTheFocus) {
  Driver d;
  EXPECT_FALSE(suggests(d.state)) << "without a vocabulary nothing is suggested";
  d.state.panels.get<PhraseSuggestion>().first = "animal";
  EXPECT_TRUE(suggests(d.state));
  d.state.focus = "heads/0";
  EXPECT_FALSE(suggests(d.state));
}

TEST(PhraseSuggestions, TheAtlasGetsTheCharactersOfTheWord) {
  Driver d;
  const std::string word = "\xE6\xB3\xA8\xE6\x84\x8F\xE5\x8A\x9B";
  EXPECT_EQ(all_text(d.session, d.state).find(word), std::string::npos);
  d.state.panels.get<PhraseSuggestion>().first = word;
  EXPECT_NE(all_text(d.session, d.state).find(word), std::string::npos);
}

}  // namespace
}  // namespace headscope::ui
