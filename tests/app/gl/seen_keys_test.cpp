// Which keys a block of queries needs, by the mask; no device.
#include "app/gl/seen_keys.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "core/request/request_text.h"

namespace headscope {
namespace {

constexpr std::int64_t kTokens = 1000;

ScoreRule rule_of(const std::string& mask) {
  Request request;
  find_request_option("mask")->set(request, mask);
  ScoreRule rule;
  rule.mask = std::make_shared<const Mask>(
      build_mask(request, {}, {.batch = 1, .heads = 2, .query_len = kTokens, .key_len = kTokens}));
  return rule;
}

Range seen(const ScoreRule& rule, Range queries) {
  return seen_keys(rule, {{0, 1}, {0, 2}, queries}, kTokens);
}

TEST(SeenKeys, ACausalMaskEndsAtTheLastQuery) {
  EXPECT_EQ(seen(rule_of("causal"), {256, 512}), (Range{0, 512}));
  EXPECT_EQ(seen(rule_of("causal"), {0, 1}), (Range{0, 1}));
}

TEST(SeenKeys, AWindowBeginsWhereSumsKeepTheirBits) {
  const Range keys = seen(rule_of("causal,window:10"), {512, 600});
  EXPECT_EQ(keys.begin % 128, 0);
  EXPECT_LE(keys.begin, 503);
  EXPECT_GT(keys.begin, 503 - 128);
  EXPECT_EQ(keys.end, 600);
}

TEST(SeenKeys, AllKeysWhereOthersDoNotWeighNothing) {
  const Range all{0, kTokens};
  EXPECT_EQ(seen(rule_of("none"), {256, 512}), all);
  ScoreRule rule = rule_of("causal");
  rule.mask_fill = -1e20;
  EXPECT_EQ(seen(rule, {256, 512}), all) << "a finite fill weighs something";
  rule = rule_of("causal");
  rule.mask_after_softmax = true;
  EXPECT_EQ(seen(rule, {256, 512}), all) << "hidden scores are part of the sum";
  EXPECT_EQ(seen(rule_of("padding:" + std::to_string(kTokens)), {256, 512}), all) << "nothing is visible";
}

TEST(QueriesAtOnce, OnlyAMaskOfRunsCutsThem) {
  EXPECT_EQ(queries_at_once(rule_of("none"), kTokens), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(queries_at_once(rule_of("causal"), kTokens), 256);
  EXPECT_EQ(queries_at_once(rule_of("causal"), 32768), 2048);
}

}  // namespace
}  // namespace headscope
