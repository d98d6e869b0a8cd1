#include "core/corpus/token_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace headscope {
namespace {

TEST(TokenCounts, AreThoseOfAMapInAnyOrderAndGrouping) {
  std::mt19937 draw(5);
  std::map<std::uint64_t, std::uint64_t> wanted;
  std::vector<TokenCounts> parts(9);
  for (int k = 0; k < 3000; ++k) {
    const std::uint64_t token = draw() % 400 * (draw() % 3);
    ++wanted[token];
    // Parts of very different sizes, so that both ways to add are gone.
    parts[std::min<std::size_t>(8, draw() % 40)].add(token);
  }
  for (int order = 0; order < 20; ++order) {
    std::vector<TokenCounts> left = parts;
    while (left.size() > 1) {
      std::swap(left[draw() % left.size()], left.back());
      const TokenCounts last = left.back();
      left.pop_back();
      left[draw() % left.size()].add(last);
    }
    ASSERT_EQ(left[0].all().size(), wanted.size());
    std::size_t at = 0;
    for (const auto& [token, rows] : wanted) EXPECT_EQ(left[0].all()[at++], (TokenCount{token, rows}));
  }
}

TEST(TokenCounts, KeepsTheMostFrequentAndOfEqualOnesTheFirst) {
  TokenCounts counts;
  counts.add(9, 2);
  counts.add(1, 5);
  counts.add(4, 2);
  counts.add(7, 1);
  EXPECT_EQ(counts.top(2), (std::vector<TokenCount>{{1, 5}, {4, 2}}));
  EXPECT_TRUE(counts.contains(7));
  EXPECT_FALSE(counts.contains(8));
  counts.keep(3);
  EXPECT_EQ(counts.all(), (std::vector<TokenCount>{{1, 5}, {4, 2}, {9, 2}}));
  counts.keep(3);
  EXPECT_EQ(counts.top(9).size(), 3u);
}

}  // namespace
}  // namespace headscope
