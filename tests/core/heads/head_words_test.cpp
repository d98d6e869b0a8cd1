#include "core/heads/head_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "core/attention/hidden_weight.h"
#include "tests/core/heads/one_head.h"

namespace headscope {
namespace {

HeadWords words_of(const Trace& trace) {
  return head_words(trace, 0, 0);
}

// Entropy of the weights in bits, as a sentence ends with it.
std::string ending(std::initializer_list<double> weights) {
  double bits = 0;
  for (const double w : weights) bits -= w > 0 ? w * std::log2(w) : 0;
  char text[40];
  std::snprintf(text, sizeof text, "; entropy %.2f bit", bits);
  return text;
}

TEST(HeadWords, ARowNamesItsLargestWeightsUntilNineTenthsAreNamed) {
  const double rows[3][4] = {{0.05, 0.88, 0.07, 0.0}, {0.4, 0.3, 0.1, 0.2}, {0.0, 0.0, 0.95, 0.05}};
  const Trace trace = head_of(3, 4, [&](std::int64_t i, std::int64_t j) { return rows[i][j]; });
  const HeadWords words = words_of(trace);
  ASSERT_EQ(words.rows.size(), 3u);
  EXPECT_EQ(words.rows[0], "q0 attends to k1 0.88, k2 0.07" + ending({0.05, 0.88, 0.07}));
  EXPECT_EQ(words.rows[1], "q1 attends to k0 0.40, k1 0.30, k3 0.20, 1 other 0.10" + ending({0.4, 0.3, 0.1, 0.2}));
  EXPECT_EQ(words.rows[2], "q2 attends to k2 0.95" + ending({0.95, 0.05}));
}

TEST(HeadWords, WhatOthersHoldIsSaid) {
  const double row[6] = {0.3, 0.2, 0.2, 0.1, 0.1, 0.1};
  const Trace trace = head_of(1, 6, [&](std::int64_t, std::int64_t j) { return row[j]; });
  EXPECT_EQ(words_of(trace).rows[0],
            "q0 attends to k0 0.30, k1 0.20, k2 0.20, 3 others 0.30" + ending({0.3, 0.2, 0.2, 0.1, 0.1, 0.1}));
}

TEST(HeadWords, EvenRowsSayHowMuchEachKeyGets) {
  const Trace trace = head_of(1, 8, [](std::int64_t, std::int64_t) { return 0.125; });
  EXPECT_EQ(words_of(trace).rows[0], "q0 attends evenly to 8 keys, 0.12 each; entropy 3.00 bit");
}

TEST(HeadWords, RowsWithWeightOnHiddenKeysSaySo) {
  Trace trace = head_of(
      2, 4, [](std::int64_t i, std::int64_t j) { return i == 0   ? (j < 2 ? 0.5 : 0.0)
                                                        : j == 3 ? 1.0
                                                                 : 0.0; },
      [](std::int64_t i, std::int64_t j) { return j != (i == 0 ? 0 : 1); });
  trace.request.mask_fill = -1e5;
  trace.hidden_weight = hidden_weight_of(trace);
  const HeadWords words = words_of(trace);
  EXPECT_EQ(words.rows[0], "q0 attends to k0 0.50, k1 0.50; entropy 1.00 bit; hidden keys hold 0.50 of it");
  EXPECT_EQ(words.rows[1], "q1 attends to k3 1.00; entropy 0.00 bit; hidden keys hold 1.00 of it");
}

TEST(HeadWords, RowsWithoutKeysOrNumbersSaySo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Trace trace = head_of(
      3, 2, [&](std::int64_t i, std::int64_t j) { return i == 2   ? nan
                                                         : i == 1 ? (j == 0 ? 1.0 : 0.0)
                                                                  : 0.0; },
      [](std::int64_t i, std::int64_t j) { return i == 0 || (i == 1 && j == 1); });
  const HeadWords words = words_of(trace);
  EXPECT_EQ(words.rows[0], "q0 sees no key");
  EXPECT_EQ(words.rows[1], "q1 attends to k0 1.00, the only key it sees");
  EXPECT_EQ(words.rows[2], "q2 has weights that are no numbers");
}

TEST(HeadWords, ATokenThatStandsTwiceIsNamedWithItsPosition) {
  Trace trace = head_of(2, 2, [](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : 0.0; });
  auto inputs = std::make_shared<Inputs>(*trace.inputs);
  inputs->tokens = inputs->key_tokens = {"the", "the"};
  trace.inputs = inputs;
  const HeadWords words = words_of(trace);
  EXPECT_EQ(words.rows[1], "the (1) attends to the (1) 1.00; entropy 0.00 bit");
  EXPECT_EQ(words.head, "head 0: self 1.00; mean entropy 0.00 bit");
}

TEST(HeadWords, SmallWeightsKeepADigit) {
  const double row[3] = {0.004, 0.003, 0.0};
  const Trace trace = head_of(1, 3, [&](std::int64_t, std::int64_t j) { return row[j]; });
  EXPECT_TRUE(words_of(trace).rows[0].starts_with("q0 attends to k0 0.004, k1 0.003;")) << words_of(trace).rows[0];
}

}  // namespace
}  // namespace headscope
