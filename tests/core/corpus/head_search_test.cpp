// What a line of text asks for among heads.
#include "core/corpus/head_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

using Indices = std::vector<std::size_t>;

// Layers 0, 1 and 2 of three heads; "up" is 0, 1, 2 ..., "max_weight" has no value at the last head.
HeadTable small_table() {
  std::vector<LayerHead> heads;
  HeadColumn up{"up", {}}, weight{"max_weight", {}};
  for (std::int64_t k = 0; k < 9; ++k) {
    heads.push_back({k / 3, k % 3});
    up.values.push_back(static_cast<double>(k));
    weight.values.push_back(k < 8 ? 1 - static_cast<double>(k) / 10 : NAN);
  }
  return head_table(heads, {up, weight});
}

Indices found(const std::string& text) {
  const HeadSearch search = search_heads(small_table(), text);
  EXPECT_EQ(search.problem, "") << text;
  return search.heads;
}

TEST(HeadSearch, NamesHeadsLayersAndColumns) {
  EXPECT_EQ(found("1.2"), (Indices{5}));
  EXPECT_EQ(found("1.*"), (Indices{3, 4, 5}));
  EXPECT_EQ(found("*.1"), (Indices{1, 4, 7}));
  EXPECT_EQ(found(" 2.2 , 0.0"), (Indices{0, 8})) << "any of them";
  EXPECT_TRUE(found("").empty());
  EXPECT_TRUE(found("  ,").empty());
}

TEST(HeadSearch, ConditionsHoldTogether) {
  EXPECT_EQ(found("up<2"), (Indices{0, 1}));
  EXPECT_EQ(found("up <= 2"), (Indices{0, 1, 2}));
  EXPECT_EQ(found("up>6"), (Indices{7, 8}));
  EXPECT_EQ(found("up >= 3, max weight > .45"), (Indices{3, 4, 5}));
  EXPECT_EQ(found("max_weight<.3"), (Indices{})) << "0.3 itself is not below, and no value meets nothing";
  EXPECT_EQ(found("1.*, up > 3"), (Indices{4, 5})) << "of the heads that are named";
}

TEST(HeadSearch, LikeIsTheHeadWithThoseMostLikeIt) {
  const HeadTable table = small_table();
  EXPECT_EQ(found("like 0.0").size(), kMostAlike + 1);
  Indices expected{4};
  for (const SimilarHead& alike : heads_like(table, 4, kMostAlike)) expected.push_back(alike.head);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found("like 1.1"), expected);
}

TEST(HeadSearch, LikeByPatternComparesPatterns) {
  const HeadTable table = head_table(test::made_record(9, 40, {0, 40}));
  Indices expected{10};
  for (const SimilarHead& alike : heads_like(table, 10, kMostAlike, AlikeBy::pattern)) expected.push_back(alike.head);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(search_heads(table, "like 1.1 by pattern").heads, expected);
  EXPECT_NE(search_heads(table, "like 1.1").heads, expected);
  EXPECT_NE(search_heads(small_table(), "like 1.1 by pattern").problem.find("no mean patterns"), std::string::npos);
}

TEST(HeadSearch, SaysWhatCannotBeRead) {
  for (const auto& [text, words] : {std::pair{"entropy<1", "entropy: there is no mean of that name"},
                                    {"up<", "expected a number"},
                                    {"up<nan", "expected a number"},
                                    {"<1", "there is no mean of that name"},
                                    {"7.1", "there is no such head"},
                                    {"like 7.1", "there is no such head"},
                                    {"like 1.*", "expected a head"},
                                    {"five", "expected a head"},
                                    {"1.-2", "expected a head"},
                                    {"1.1, what", "expected a head"}}) {
    const HeadSearch search = search_heads(small_table(), text);
    EXPECT_NE(search.problem.find(words), std::string::npos) << text << ": " << search.problem;
    EXPECT_TRUE(search.heads.empty()) << text;
  }
}

}  // namespace
}  // namespace headscope
