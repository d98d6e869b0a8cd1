#include "core/text/token_alignment.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(TokenAlignment, IsByPlaceOrByTheirEnds) {
  const TokenAlignment same = align_tokens({"a", "b", "c"}, {"a", "x", "c"});
  EXPECT_EQ(same.pairs, (Pairs{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(same.changed, (std::vector<std::pair<std::string, std::string>>{{"b", "x"}}));
  const TokenAlignment longer = align_tokens({"a", "b", "c"}, {"a", "x", "y", "c"});
  EXPECT_EQ(longer.pairs, (Pairs{{0, 0}, {2, 3}}));
  EXPECT_EQ(longer.changed, (std::vector<std::pair<std::string, std::string>>{{"b", "x"}, {"", "y"}}));
  // A token is not counted at both ends.
  const TokenAlignment repeated = align_tokens({"a", "a"}, {"a", "a", "a"});
  EXPECT_EQ(repeated.pairs, (Pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(repeated.changed.size(), 1U);
  EXPECT_TRUE(align_tokens({"a"}, {"b", "c"}).pairs.empty());
}

}  // namespace
}  // namespace headscope
