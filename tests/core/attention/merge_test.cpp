#include <gtest/gtest.h>

#include "core/attention/operation_text.h"
#include "core/base/assert.h"
#include "core/request/request_text.h"
#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

Request merged(Merge merge, const std::string& mask = "none") {
  Request request = alone_request();
  request.merge = merge;
  find_request_option("mask")->set(request, mask);
  return request;
}

TEST(Merge, ProvenanceNamesTheCellOfContextForBothMerges) {
  for (const Merge merge : {Merge::transpose, Merge::direct}) {
    for (const MadeSizes& sizes : {MadeSizes{2, 5, 5, 2, 2, 3, 4}, MadeSizes{1, 1, 4, 3, 3, 2, 2},
                                   MadeSizes{1, 7, 2, 1, 1, 2, 3}, MadeSizes{1, 2, 2, 6, 3, 2, 1}}) {
      const auto trace = traced(merged(merge), alone_inputs(sizes));
      const Tensor& concat = trace->tensor(StageId::concat);
      for (std::int64_t i = 0; i < sizes.query_len; ++i) {
        for (std::int64_t d = 0; d < sizes.heads * sizes.value_head_dim; ++d) {
          const Provenance from = provenance_of(merge, sizes.heads, sizes.query_len, sizes.value_head_dim, i, d);
          EXPECT_EQ(concat.at({sizes.batch - 1, i, d}),
                    trace->tensor(StageId::context).at({sizes.batch - 1, from.head, from.position, from.feature}));
          if (merge == Merge::transpose) {
            EXPECT_EQ(from.position, i);
          }
        }
      }
    }
  }
  EXPECT_THROW(provenance_of(Merge::direct, 2, 3, 4, 3, 0), Bug);
  EXPECT_THROW(provenance_of(Merge::direct, 2, 3, 4, 0, 8), Bug);
}

TEST(Merge, DirectIsTheMemoryOfContextInTheNewShape) {
  const auto trace = traced(merged(Merge::direct), alone_inputs({2, 5, 5, 2, 2, 3, 4}));
  EXPECT_EQ(trace->tensor(StageId::concat).values(), trace->tensor(StageId::context).values());
}

TEST(MergeReport, TransposeMixesNoTokens) {
  const MergeReport report = merge_report(merged(Merge::transpose, "causal"), 8, 5, 64);
  EXPECT_EQ(report.tokens_per_row, 1);
  EXPECT_EQ(report.heads_per_row, 8);
  EXPECT_FALSE(report.future_leaks);
}

TEST(MergeReport, DirectMixesAsManyTokensAsHeadsAndLeaksTheFuture) {
  // Tutorial 003: two heads, three tokens; row 0 holds head 0 of tokens 0 and 1.
  const MergeReport report = merge_report(merged(Merge::direct, "causal"), 2, 3, 3);
  EXPECT_EQ(report.tokens_per_row, 2);
  EXPECT_EQ(report.heads_per_row, 2) << "row 1: the last token of head 0 and the first of head 1";
  EXPECT_TRUE(report.future_leaks);
  EXPECT_EQ(report.first_leaking_row, 0);
  EXPECT_EQ(report.leaked_token, 1);
  EXPECT_EQ(merge_report(merged(Merge::direct), 8, 5, 64).tokens_per_row, 5);
}

TEST(MergeReport, SaysNothingOfTheFutureWithoutAnOrder) {
  EXPECT_FALSE(merge_report(merged(Merge::direct), 2, 3, 3).future_leaks);
  EXPECT_FALSE(merge_report(merged(Merge::direct, "window:1,padding:1"), 2, 3, 3).future_leaks);
  EXPECT_FALSE(merge_report(merged(Merge::direct, "causal"), 1, 3, 3).future_leaks) << "one head: nothing is mixed";
  EXPECT_FALSE(merge_report(merged(Merge::direct, "causal"), 4, 1, 3).future_leaks) << "one token";
}

TEST(MergeReport, InsideAnOpenPrefixNothingLeaks) {
  // Row 0 holds tokens 0 and 1, row 1 token 2 of head 0 and token 0 of head 1.
  EXPECT_FALSE(merge_report(merged(Merge::direct, "prefix:3"), 2, 3, 3).future_leaks);
  const MergeReport report = merge_report(merged(Merge::direct, "prefix:2"), 2, 3, 3);
  EXPECT_TRUE(report.future_leaks);
  EXPECT_EQ(report.first_leaking_row, 1);
  EXPECT_EQ(report.leaked_token, 2);
  EXPECT_EQ(merge_report(merged(Merge::direct, "prefix:2,causal"), 2, 3, 3).first_leaking_row, 0);
}

TEST(MergeReport, AMaskOfTheModelsOwnOrdersTokensLikeTheRequests) {
  Inputs inputs = fused_inputs(QkvLayout::blocked);
  EXPECT_FALSE(merge_report(with_own_mask(merged(Merge::direct), inputs), 2, 3, 3).future_leaks);
  inputs.own_mask = {{MaskTerm::Kind::causal, 0, ""}};
  EXPECT_TRUE(merge_report(with_own_mask(merged(Merge::direct), inputs), 2, 3, 3).future_leaks);
  EXPECT_EQ(with_own_mask(merged(Merge::direct, "causal,padding:1"), inputs).mask.size(), 2u);
}

}  // namespace
}  // namespace headscope
