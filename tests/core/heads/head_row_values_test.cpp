#include "core/heads/head_row_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Trace trace_of(const std::vector<std::string>& tokens) {
  auto inputs = std::make_shared<Inputs>();
  inputs->query_len = inputs->key_len = static_cast<std::int64_t>(tokens.size());
  inputs->tokens = inputs->key_tokens = tokens;
  Trace trace;
  trace.inputs = inputs;
  return trace;
}

TEST(HeadRowValues, HasWhatTheRowIsDefinedOn) {
  const Trace trace = trace_of({"a", "b", "a", "c"});
  const TokenPlaces places(trace);
  const std::vector<float> w = {0.25F, 0.5F, 0.25F, 0};
  const HeadRowValues row = head_row_values(2, w, 3, places);
  EXPECT_TRUE(row.has_choice);
  EXPECT_EQ(row.largest, 0.5F);
  EXPECT_TRUE(std::fabs(row[HeadMetric::entropy] - 1.5) <= 1e-6);
  EXPECT_EQ(row[HeadMetric::previous_token], 0.5);
  EXPECT_EQ(row[HeadMetric::self], 0.25);
  EXPECT_EQ(row[HeadMetric::first_token], 0.25);
  EXPECT_EQ(row[HeadMetric::mean_distance], 0.25 * 2 + 0.5);
  EXPECT_EQ(row[HeadMetric::induction], 0.5) << "after the first a stands b";
  EXPECT_FALSE(row.has(HeadMetric::special_tokens) || row.has(HeadMetric::uniform) || row.has(HeadMetric::local));
}

TEST(HeadRowValues, OfOneKeyIsTheEntropyAlone) {
  const Trace trace = trace_of({"a", "b"});
  const HeadRowValues row = head_row_values(0, std::vector<float>{1, 0}, 1, TokenPlaces(trace));
  EXPECT_EQ(row[HeadMetric::entropy], 0);
  for (const HeadMetric metric : all_head_metrics()) EXPECT_EQ(row.has(metric), metric == HeadMetric::entropy);
  EXPECT_FALSE(row.has_choice);
}

TEST(HeadRowValues, OfNaNIsNothing) {
  const Trace trace = trace_of({"a", "b"});
  const HeadRowValues row = head_row_values(1, std::vector<float>{0.5F, NAN}, 2, TokenPlaces(trace));
  EXPECT_TRUE(row.has_nan);
  for (const HeadMetric metric : all_head_metrics()) EXPECT_FALSE(row.has(metric));
}

TEST(TokenPlaces, KnowWhereATokenStands) {
  const Trace trace = trace_of({"a", "b", "a", "c", "a"});
  const TokenPlaces places(trace);
  const auto same = places.same_as(2);
  EXPECT_EQ(std::vector<std::int64_t>(same.begin(), same.end()), (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(places.same_as(3).size(), 1u);
  EXPECT_TRUE(places.same_as(5).empty());
}

}  // namespace
}  // namespace headscope
