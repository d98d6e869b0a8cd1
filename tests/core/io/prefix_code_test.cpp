#include "core/io/prefix_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace headscope {
namespace {

// The share of all bit strings that begin with one of the codes: 1 when none is left without a meaning.
double taken(const std::vector<std::uint8_t>& lengths) {
  double sum = 0;
  for (const std::uint8_t length : lengths) sum += length > 0 ? std::ldexp(1.0, -length) : 0;
  return sum;
}

TEST(PrefixCode, frequent_symbols_get_short_codes) {
  EXPECT_EQ(code_lengths(std::vector<std::uint32_t>{1, 1, 2, 4, 0, 8}, 15),
            (std::vector<std::uint8_t>{4, 4, 3, 2, 0, 1}));
  EXPECT_EQ(code_lengths(std::vector<std::uint32_t>{5, 5, 5, 5}, 15), (std::vector<std::uint8_t>{2, 2, 2, 2}));
}

TEST(PrefixCode, at_least_two_symbols_have_a_code) {
  EXPECT_EQ(code_lengths(std::vector<std::uint32_t>{0, 0, 9}, 15), (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(code_lengths(std::vector<std::uint32_t>{0, 0, 0}, 15), (std::vector<std::uint8_t>{1, 1, 0}));
}

TEST(PrefixCode, codes_are_complete_and_within_the_limit_and_close_to_the_entropy) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const int longest = round % 3 == 0 ? 7 : 15;
    std::vector<std::uint32_t> counts(longest == 7 ? 19 : 286);
    for (std::uint32_t& count : counts) {
      count = random() % 3 == 0
                  ? 0
                  : static_cast<std::uint32_t>(std::exp2(random() % 22)) + static_cast<std::uint32_t>(random() % 5);
    }
    const std::vector<std::uint8_t> lengths = code_lengths(counts, longest);
    EXPECT_EQ(taken(lengths), 1);
    double total = 0, bits = 0, entropy = 0;
    for (const std::uint32_t count : counts) total += count;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      EXPECT_LE(lengths[k], longest);
      EXPECT_EQ(lengths[k] == 0, counts[k] == 0);
      bits += double(counts[k]) * lengths[k];
      if (counts[k] > 0) entropy -= counts[k] * std::log2(counts[k] / total);
    }
    EXPECT_LT(bits, entropy + (longest == 15 ? 1.0 : 1.3) * total);
  }
}

TEST(PrefixCode, counts_that_grow_like_fibonacci_keep_to_the_limit) {
  std::vector<std::uint32_t> counts = {1, 1};
  while (counts.size() < 40) counts.push_back(counts.back() + counts[counts.size() - 2]);
  for (const int longest : {6, 7, 15}) {
    const std::vector<std::uint8_t> lengths = code_lengths(counts, longest);
    EXPECT_EQ(taken(lengths), 1);
    EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), longest);
    EXPECT_TRUE(std::is_sorted(lengths.rbegin(), lengths.rend()));
  }
}

TEST(PrefixCode, canonical_codes_are_those_of_the_standard) {
  // RFC 1951, section 3.2.2: lengths (3, 3, 3, 3, 3, 2, 4, 4) give 010 011 100 101 110 00 1110 1111.
  const std::vector<std::uint8_t> lengths = {3, 3, 3, 3, 3, 2, 4, 4};
  const std::vector<std::string> expected = {"010", "011", "100", "101", "110", "00", "1110", "1111"};
  const std::vector<std::uint16_t> codes = canonical_codes(lengths);
  for (std::size_t k = 0; k < codes.size(); ++k) {
    std::string bits;
    for (int bit = 0; bit < lengths[k]; ++bit) bits += (codes[k] >> bit) & 1 ? '1' : '0';
    EXPECT_EQ(bits, expected[k]);
  }
}

}  // namespace
}  // namespace headscope
