#include "core/explain/neurons.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/core/picture/small_traces.h"

namespace headscope {
namespace {

TEST(Neurons, products_add_up_to_the_raw_scores) {
  for (const char* kv_heads : {"4", "2", "1"}) {
    const auto trace = small_trace(7, {{"kv-heads", kv_heads}, {"batch", "2"}});
    for (std::int64_t head = 0; head < 4; ++head) {
      ASSERT_TRUE(has_neurons(*trace));
      const Neurons neurons = neurons_of(*trace, 1, head, 5, {2, 7});
      EXPECT_EQ(neurons.kv_head, head * std::stoi(kv_heads) / 4);
      double largest_feature = 0, largest_product = 0, weight_sum = 0;
      for (std::int64_t j = 0; j < 7; ++j) {
        weight_sum += static_cast<double>(trace->tensor(StageId::weights).at({1, head, 5, j}));
      }
      for (std::int64_t j = 2; j < 7; ++j) {
        const auto at = static_cast<std::size_t>(j - 2);
        double sum = 0;
        for (std::int64_t d = 0; d < 4; ++d) {
          const float q = trace->tensor(StageId::query).at({1, head, 5, d});
          const float k = trace->tensor(StageId::key).at({1, neurons.kv_head, j, d});
          EXPECT_EQ(neurons.query_features.at({0, d}), q);
          EXPECT_EQ(neurons.key_features.at({j - 2, d}), k);
          EXPECT_EQ(neurons.products.at({j - 2, d}), q * k);
          sum += static_cast<double>(q) * static_cast<double>(k);
          largest_feature =
              std::max({largest_feature, std::fabs(static_cast<double>(q)), std::fabs(static_cast<double>(k))});
          largest_product = std::max(largest_product, std::fabs(static_cast<double>(q * k)));
        }
        EXPECT_NEAR(sum, static_cast<double>(neurons.raw_scores[at]), 1e-5);
        EXPECT_EQ(neurons.scores[at], trace->tensor(StageId::scores).at({1, head, 5, j}));
        EXPECT_EQ(neurons.weights[at], trace->tensor(StageId::weights).at({1, head, 5, j}));
        EXPECT_FALSE(neurons.hidden[at]);
      }
      EXPECT_EQ(neurons.largest_feature, largest_feature);
      EXPECT_EQ(neurons.largest_product, largest_product);
      EXPECT_NEAR(neurons.weight_sum, weight_sum, 1e-9);
      for (std::size_t at = 0; at < neurons.product_shares.size(); ++at) {
        EXPECT_LE(std::fabs(neurons.product_shares[at]), 1.0F);
        EXPECT_NEAR(static_cast<double>(neurons.product_shares[at]) * largest_product,
                    static_cast<double>(neurons.products.data()[at]), 1e-6);
      }
    }
  }
}

TEST(Neurons, hidden_keys_are_known_and_nan_has_no_share) {
  const auto causal = small_trace(5, {{"mask", "causal"}});
  const Neurons neurons = neurons_of(*causal, 0, 2, 1, {0, 5});
  EXPECT_EQ(neurons.hidden, (std::vector<bool>{false, false, true, true, true}));
  const auto masked = small_trace(3, {{"mask", "padding:3"}});
  EXPECT_TRUE(std::isnan(neurons_of(*masked, 0, 0, 0, {0, 3}).weight_sum));
}

}  // namespace
}  // namespace headscope
