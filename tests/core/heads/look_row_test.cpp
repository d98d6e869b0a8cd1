#include "core/heads/look_row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/core/heads/one_head.h"

namespace headscope {
namespace {

// Row 1 of a head: .1 .4 .05 .4 .05, the last two hidden where `hides`.
LookRow row_of(std::int64_t most, bool hides = false) {
  const double row[] = {0.1, 0.4, 0.05, 0.4, 0.05};
  const Trace trace = head_of(
      2, 5, [&](std::int64_t i, std::int64_t j) { return i == 1 && !(hides && j > 2) ? row[j] : 0; },
      [=](std::int64_t, std::int64_t j) { return hides && j > 2; });
  return look_row(trace, 0, 0, 1, most);
}

std::vector<std::int64_t> keys_of(const LookRow& row) {
  std::vector<std::int64_t> keys;
  for (const LookedAt& each : row.largest) keys.push_back(each.key);
  return keys;
}

TEST(LookRow, ListsTheLargestAndSumsTheRest) {
  const LookRow row = row_of(3);
  EXPECT_EQ(keys_of(row), (std::vector<std::int64_t>{1, 3, 0})) << "equal ones by their place";
  EXPECT_EQ(row.others, 2);
  EXPECT_TRUE(std::abs(row.others_sum - 0.1) < 1e-6) << row.others_sum;
  EXPECT_TRUE(std::abs(row.largest[0].weight - 0.4) < 1e-6);
}

TEST(LookRow, OfAShortRowNothingIsLeft) {
  const LookRow row = row_of(9);
  EXPECT_EQ(row.largest.size(), 5u);
  EXPECT_EQ(row.others, 0);
  EXPECT_EQ(row.others_sum, 0);
}

TEST(LookRow, HiddenKeysAreNotLookedAt) {
  const LookRow row = row_of(9, true);
  EXPECT_EQ(keys_of(row), (std::vector<std::int64_t>{1, 0, 2}));
}

TEST(LookRow, HiddenKeysThatWeighSomethingAreListed) {
  const Trace trace = head_of(
      1, 2, [](std::int64_t, std::int64_t) { return 0.5; }, [](std::int64_t, std::int64_t j) { return j == 1; });
  EXPECT_EQ(look_row(trace, 0, 0, 0, 9).largest.size(), 2u) << "a finite fill leaves them their share";
}

TEST(LookRow, OfWeightsThatAreNoNumbersNothingIsListed) {
  const Trace trace = head_of(1, 3, [](std::int64_t, std::int64_t j) { return j == 2 ? NAN : 0.5; });
  const LookRow row = look_row(trace, 0, 0, 0, 9);
  EXPECT_FALSE(row.finite);
  EXPECT_TRUE(row.largest.empty());
}

}  // namespace
}  // namespace headscope
