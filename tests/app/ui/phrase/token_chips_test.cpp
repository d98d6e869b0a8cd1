// The row of chips: what is said of the tokens, and which of many are seen.
#include "app/ui/phrase/token_chips.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace headscope::ui
