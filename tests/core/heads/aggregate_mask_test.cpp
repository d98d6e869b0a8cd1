// Which cells of an aggregate no weight can reach.
#include "core/heads/aggregate_mask.h"

#include <gtest/gtest.h>

#include "core/attention/engine.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

// A layer over `tokens` words with this mask.
std::shared_ptr<const Trace> layer_with(const char* mask, int tokens) {
  Request request;
  for (int i = 0; i < tokens; ++i) request.phrase += (i == 0 ? "w" : " w") + std::to_string(i);
  request.d_model = 8;
  request.heads = 2;
  request.threads = 1;
  find_request_option("mask")->set(request, mask);
  return Engine().run(request, CancelToken());
}

TEST(AggregateMask, HidesInMeansWhatEveryLayerHides) {
  const auto window = layer_with("window:1", 7), causal = layer_with("causal", 7), open = layer_with("none", 7);
  EXPECT_EQ(hidden_in_aggregate(Aggregate::mean, {window.get(), open.get()}, 0), nullptr);
  const auto both = hidden_in_aggregate(Aggregate::max, {window.get(), causal.get()}, 0);
  ASSERT_NE(both, nullptr);
  for (std::int64_t i = 0; i < 7; ++i) {
    for (std::int64_t j = 0; j < 7; ++j) EXPECT_EQ(both->hidden.hidden(0, 0, i, j), j > i + 1) << i << ", " << j;
  }
}

TEST(AggregateMask, FollowsPathsThroughTheLayers) {
  const auto window = layer_with("window:1", 70), causal = layer_with("causal", 70);
  for (const Aggregate aggregate : {Aggregate::rollout, Aggregate::flow}) {
    const auto two = hidden_in_aggregate(aggregate, {window.get(), window.get()}, 0);
    const auto mixed = hidden_in_aggregate(aggregate, {causal.get(), window.get()}, 0);
    ASSERT_TRUE(two != nullptr && mixed != nullptr);
    for (std::int64_t i = 0; i < 70; ++i) {
      for (std::int64_t j = 0; j < 70; ++j) {
        EXPECT_EQ(two->hidden.hidden(0, 0, i, j), std::abs(i - j) > 2) << i << ", " << j;
        EXPECT_EQ(mixed->hidden.hidden(0, 0, i, j), j > i + 1) << i << ", " << j;
      }
    }
  }
}

}  // namespace
}  // namespace headscope
