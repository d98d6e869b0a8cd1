#include "app/ui/phrase/token_search.h"

#include <gtest/gtest.h>

namespace headscope::ui {
namespace {

using Positions = std::vector<std::int64_t>;

const std::vector<std::string> kTokens = {"the", "great", "white", "whale", "saw", "the", "white", "sea", "7"};

TEST(TokenSearch, TakesAnIndex) {
  EXPECT_EQ(positions_named("0", kTokens), (Positions{0}));
  EXPECT_EQ(positions_named("8", kTokens), (Positions{8}));
  EXPECT_EQ(positions_named("7", kTokens), (Positions{7})) << "a number is a position, not a word";
  EXPECT_EQ(positions_named("9", kTokens), Positions{});
  EXPECT_EQ(positions_named("-1", kTokens), Positions{});
}

TEST(TokenSearch, FindsEveryPlaceOfAWordByItsBeginning) {
  EXPECT_EQ(positions_named("the", kTokens), (Positions{0, 5}));
  EXPECT_EQ(positions_named("wh", kTokens), (Positions{2, 3, 6}));
  EXPECT_EQ(positions_named("none", kTokens), Positions{});
  EXPECT_EQ(positions_named("", kTokens), Positions{});
  EXPECT_EQ(positions_named("   ", kTokens), Positions{});
}

TEST(TokenSearch, FindsWordsThatStandOneAfterTheOther) {
  EXPECT_EQ(positions_named("the white", kTokens), (Positions{5}));
  EXPECT_EQ(positions_named("white wh", kTokens), (Positions{2}));
  EXPECT_EQ(positions_named(" the  white ", kTokens), (Positions{5}));
  EXPECT_EQ(positions_named("th white", kTokens), Positions{}) << "only the last word may be begun";
}

TEST(TokenSearch, FindsTheMiddleOfAWordWhenNoneBeginsSo) {
  EXPECT_EQ(positions_named("hale", kTokens), (Positions{3}));
  EXPECT_EQ(positions_named("hit", kTokens), (Positions{2, 6}));
  EXPECT_EQ(positions_named("the hite", kTokens), Positions{});
}

}  // namespace
}  // namespace headscope::ui
