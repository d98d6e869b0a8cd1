// The row of chips: what is said of the tokens, and which of many are seen.
#include "app/ui/phrase/token_chips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/app/ui/driver.h"
#include "tests/app/ui/small_trace.h"

namespace headscope::ui {
namespace {

TEST(TokenChips, SayHowManyTokensThereAreBeforeAResultIsThere) {
  const std::vector<std::string> tokens = {"a", "b"};
  const ChipRow row = chip_row(nullptr, tokens);
  EXPECT_EQ(row.piece(0) + row.piece(1), "ab");
  EXPECT_EQ(row.fact.words, "2 tokens");
  EXPECT_FALSE(row.can_mask);
}

TEST(TokenChips, SayHowTheTextWasCut) {
  const auto trace = trace_of(small_request());
  const ChipRow row = chip_row(trace.get(), trace->inputs->tokens);
  EXPECT_EQ(row.tokens, &trace->inputs->tokens);
  EXPECT_FALSE(row.by_pieces);
  EXPECT_EQ(row.fact.words, "5 tokens, split on blanks");
  EXPECT_FALSE(row.can_mask) << "without a vocabulary there is no mask token";
}

TEST(TokenChips, TheWheelMovesTheRowAndANewlyPickedTokenComesIntoSight) {
  Driver d(phrase_document(words(60)));
  d.state.focus = "heads/0";  // a box with the focus lies over the row
  d.step();
  ASSERT_TRUE(d.has("phrase/tokens/0"));
  EXPECT_FALSE(d.has("phrase/tokens/59")) << "only what has room is drawn";
  d.wheel("phrase/tokens", -2);
  EXPECT_FALSE(d.has("phrase/tokens/0"));
  EXPECT_FALSE(d.has("phrase/tokens/5"));
  EXPECT_TRUE(d.has("phrase/tokens/6")) << "three chips a notch";
  d.session.view.cell = Cell{50, 3};
  d.step();
  EXPECT_TRUE(d.has("phrase/tokens/50"));
  EXPECT_FALSE(d.has("phrase/tokens/6"));
  d.session.view.cell = Cell{2, 3};
  d.step();
  EXPECT_TRUE(d.has("phrase/tokens/2"));
  EXPECT_FALSE(d.has("phrase/tokens/1"));
  d.wheel("phrase/tokens", -1);
  EXPECT_FALSE(d.has("phrase/tokens/2")) << "the picked token may be moved out of sight";
}

// The indices of the chips that are seen.
std::vector<int> seen_chips(const Driver& d) {
  std::vector<int> seen;
  for (const std::string& name : d.names("phrase/tokens/")) seen.push_back(std::stoi(name.substr(14)));
  std::sort(seen.begin(), seen.end());
  return seen;
}

TEST(TokenChips, AllThatHaveRoomAreSeenWhateverIsPicked) {
  for (const int width : {900, 1280, 1600}) {
    for (int count = 1; count < 40; ++count) {
      Driver d(phrase_document(words(count), 2, 8), width, 800);
      d.session.view.cell = Cell{count - 1, 0};  // the last one
      d.state.focus = "heads/0";
      d.step();
      const std::vector<int> seen = seen_chips(d);
      ASSERT_FALSE(seen.empty()) << count << " in " << width;
      EXPECT_EQ(seen.back(), count - 1) << count << " in " << width;
      // The one before the first would not fit.
      if (seen.front() == 0) continue;
      const float room = d.rect("phrase/tokens").width();
      const float used = d.rect("phrase/tokens/" + std::to_string(count - 1)).max.x -
                         d.rect("phrase/tokens/" + std::to_string(seen.front())).min.x;
      const float chip = d.rect("phrase/tokens/" + std::to_string(seen.front())).width();
      EXPECT_GT(used + chip + 30, room) << count << " in " << width;
    }
  }
}

TEST(TokenChips, AShortPhraseAfterALongOneIsSeenWhole) {
  Driver d(phrase_document(words(200), 2, 8));
  d.state.focus = "heads/0";
  d.session.view.cell = Cell{190, 0};
  d.step();
  EXPECT_GT(seen_chips(d).front(), 0);
  d.session.draft.phrase = "one two three";
  d.step();
  EXPECT_EQ(seen_chips(d), (std::vector<int>{0, 1, 2}));
}

TEST(TokenChips, AWiderWindowShowsTheBeginningAgain) {
  Driver d(phrase_document(words(16), 2, 8), 800, 800);
  d.state.focus = "heads/0";
  d.session.view.cell = Cell{15, 0};
  d.step();
  EXPECT_GT(seen_chips(d).front(), 0);
  d.resize(1600, 800);
  d.step();
  EXPECT_EQ(seen_chips(d).front(), 0);
  EXPECT_EQ(seen_chips(d).size(), 16U);
}

TEST(TokenChips, TheTokenWithTheCaretComesIntoSight) {
  Driver d(phrase_document(words(30), 2, 8), 1280, 800);
  d.tab_to("phrase");
  d.key(KeyName::home, true);
  d.step();
  EXPECT_EQ(seen_chips(d).front(), 0);
  const std::int64_t before = seen_chips(d).back();
  ASSERT_LT(before, 29);
  d.key(KeyName::end, true);
  d.type("x");
  d.step();
  EXPECT_EQ(seen_chips(d).back(), 29);
}

}  // namespace
}  // namespace headscope::ui
