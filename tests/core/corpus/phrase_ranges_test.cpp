#include "core/corpus/phrase_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headscope {
namespace {

TEST(PhraseRanges, OfOneSetAreTheSameHoweverItCameAbout) {
  std::vector<std::int64_t> order = {0, 1, 2, 4, 5, 9, 10, 11, 12};
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    PhraseRanges ranges;
    for (const std::int64_t k : order) ranges.add({k, k + 1});
    EXPECT_EQ(ranges.text(), "0:3,4:6,9:13");
    EXPECT_EQ(ranges.count(), 9);
    EXPECT_EQ(ranges.missing(15).text(), "3:4,6:9,13:15");
  }
  EXPECT_EQ(PhraseRanges().missing(3).text(), "0:3");
  EXPECT_TRUE(PhraseRanges().missing(0).empty());
}

TEST(PhraseRanges, FindWhatTwoShare) {
  PhraseRanges a, b;
  a.add({0, 4});
  a.add({10, 20});
  b.add({4, 10});
  EXPECT_FALSE(a.shared_with(b).has_value());
  b.add({19, 30});
  EXPECT_EQ(a.shared_with(b), (Range{19, 20}));
  EXPECT_EQ(b.shared_with(a), (Range{19, 20}));
}

TEST(PhraseRanges, AreReadBackFromTheirTextAlone) {
  for (const char* text : {"", "0:1", "0:3,4:6,9:13"}) {
    const auto ranges = PhraseRanges::of_text(text, 13);
    ASSERT_TRUE(ranges.has_value()) << text;
    EXPECT_EQ(ranges->text(), text);
  }
  for (const char* text : {"0", "0:", ":1", "1:1", "2:1", "0:1,", ",0:1", "0:2,1:3", "0:2,2:3", "3:4,0:1", "-1:2",
                           "0:14", "00:1", " 0:1", "0:1 ", "0:1,,2:3", "0:1;2:3", "0:9999999999999999999999"}) {
    EXPECT_FALSE(PhraseRanges::of_text(text, 13).has_value()) << text;
  }
}

}  // namespace
}  // namespace headscope
