// The cpu backend against the oracle, at sizes around its tiles.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

constexpr float kCpuInfinity = std::numeric_limits<float>::infinity();
constexpr float kCpuNan = std::numeric_limits<float>::quiet_NaN();
const std::int64_t kOddSizes[] = {1, 2, 3, 5, 15, 17, 63, 65, 127};

class Cpu : public testing::Test {
 protected:
  std::shared_ptr<const Backend> reference = make_reference_backend();
  std::shared_ptr<const Backend> cpu = make_cpu_backend(2);
  CancelToken cancel;
};

TEST_F(Cpu, LinearAgreesAtOddSizes) {
  for (std::int64_t in : kOddSizes) {
    for (std::int64_t out : kOddSizes) {
      const Tensor x = random_tensor({2, (in * 7 + out) % 70 + 1, in}, 1);
      const Tensor weight = random_tensor({out, in}, 2);
      const Tensor bias = random_tensor({out}, 3);
      const double difference =
          largest_difference(cpu->linear(x, weight, bias, cancel), reference->linear(x, weight, bias, cancel));
      EXPECT_TRUE(difference <= 2e-5) << in << " -> " << out << ": " << difference;
      const Tensor transposed = random_tensor({in, out}, 2).permuted({1, 0});
      EXPECT_TRUE(largest_difference(cpu->linear(x, transposed, {}, cancel),
                                     reference->linear(x, transposed, {}, cancel)) <= 2e-5)
          << in << " -> " << out;
    }
  }
}

TEST_F(Cpu, LinearReadsSlicesOfAFusedProjectionInPlace) {
  const Tensor weight = random_tensor({30, 9}, 1).sliced(0, 10, 20);
  const Tensor x = random_tensor({3, 70, 12}, 2).sliced(2, 2, 11);
  EXPECT_TRUE(largest_difference(cpu->linear(x, weight, {}, cancel), reference->linear(x, weight, {}, cancel)) <= 1e-5);
  const Tensor sparse = random_tensor({10, 9, 2}, 1).sliced(2, 1, 2).reshaped({10, 9}, axes_of_rank(2));
  EXPECT_TRUE(largest_difference(cpu->linear(x, sparse, {}, cancel), reference->linear(x, sparse, {}, cancel)) <= 1e-5);
}

TEST_F(Cpu, ScoresAndContextAgreeAtOddSizesWithGroupsAndUnequalHeads) {
  for (std::int64_t query_len : kOddSizes) {
    for (std::int64_t key_len : {1L, 5L, 64L, 127L, 257L}) {
      const std::int64_t head_dim = query_len % 9 + 1;
      const std::int64_t value_dim = key_len % 7 + 2;
      // Views as a projection gives them: heads are slices of rows.
      const Tensor query =
          random_tensor({2, query_len, 6, head_dim + 1}, 1).permuted({0, 2, 1, 3}).sliced(3, 0, head_dim);
      const Tensor key = random_tensor({2, key_len, 3, head_dim}, 2).permuted({0, 2, 1, 3});
      const Tensor value = random_tensor({2, key_len, 3, value_dim}, 3).permuted({0, 2, 1, 3});
      const Region all = whole({2, 6, query_len, key_len});
      const Tensor scores = reference->query_key_products(query, key, all, cancel);
      EXPECT_TRUE(largest_difference(cpu->query_key_products(query, key, all, cancel), scores) <= 1e-5);
      RowStatistics expected_rows, rows;
      const Tensor weights = reference->softmax_rows(scores, &expected_rows, cancel);
      EXPECT_TRUE(largest_difference(cpu->softmax_rows(scores, &rows, cancel), weights) <= 1e-6);
      EXPECT_TRUE(largest_difference(rows.max, expected_rows.max) == 0);
      EXPECT_TRUE(largest_difference(rows.sum, expected_rows.sum) <= 1e-3);
      const HiddenCells none(1, 1, query_len, key_len);
      EXPECT_TRUE(largest_difference(cpu->weighted_values(weights, value, none, cancel),
                                     reference->weighted_values(weights, value, none, cancel)) <= 1e-5)
          << query_len << " x " << key_len;
    }
  }
}

TEST_F(Cpu, ARegionHoldsTheVeryBitsOfTheWhole) {
  const Tensor query = random_tensor({2, 4, 130, 17}, 1);
  const Tensor key = random_tensor({2, 2, 300, 17}, 2);
  const Tensor all = cpu->query_key_products(query, key, whole({2, 4, 130, 300}), cancel);
  for (const Region& region :
       {Region{{1, 2}, {2, 4}, {60, 70}, {250, 262}}, Region{{0, 2}, {3, 4}, {129, 130}, {0, 300}},
        Region{{0, 1}, {0, 1}, {0, 130}, {299, 300}}, Region{{0, 1}, {0, 4}, {5, 5}, {0, 9}}}) {
    const Tensor part = cpu->query_key_products(query, key, region, cancel);
    std::vector<float> expected(static_cast<std::size_t>(element_count(region)));
    all.read(region, expected);
    EXPECT_EQ(part.values(), expected);
  }
}

TEST_F(Cpu, NonFiniteValuesAgreeWithTheOracle) {
  const std::int64_t len = 70;
  Tensor value = random_tensor({1, 2, len, 5}, 4);
  float* v = value.mutable_data();
  v[3 * 5 + 2] = kCpuNan;
  v[40 * 5 + 1] = kCpuInfinity;
  v[66 * 5 + 1] = -kCpuInfinity;
  v[(len + 69) * 5 + 4] = kCpuNan;
  HiddenCells hidden(1, 2, len, len);
  for (std::int64_t h = 0; h < 2; ++h) {
    for (std::int64_t i = 0; i < len; ++i) {
      for (std::int64_t j = i + 1; j < len; ++j) hidden.mutable_row(0, h, i)[j] = 1;
    }
  }
  hidden.refresh_any();
  Tensor scores = random_tensor({1, 2, len, len}, 5);
  for (std::int64_t h = 0; h < 2; ++h) {
    for (std::int64_t i = 0; i < len; ++i) {
      for (std::int64_t j = i + 1; j < len; ++j) scores.mutable_data()[(h * len + i) * len + j] = -kCpuInfinity;
    }
  }
  const Tensor weights = reference->softmax_rows(scores, nullptr, cancel);
  const Tensor context = cpu->weighted_values(weights, value, hidden, cancel);
  EXPECT_TRUE(largest_difference(context, reference->weighted_values(weights, value, hidden, cancel)) <= 1e-5);
  EXPECT_TRUE(std::isfinite(context.at({0, 0, 2, 2})));
  EXPECT_TRUE(std::isnan(context.at({0, 0, 3, 2})));
  EXPECT_EQ(context.at({0, 0, 50, 1}), kCpuInfinity);
  EXPECT_TRUE(std::isnan(context.at({0, 0, 66, 1})));
}

TEST_F(Cpu, SoftmaxTakesAStridedViewForTheOtherAxis) {
  const Tensor scores = random_tensor({2, 3, 5, 4}, 6);
  const Tensor columns = scores.permuted({0, 1, 3, 2});
  EXPECT_TRUE(largest_difference(cpu->softmax_rows(columns, nullptr, cancel),
                                 reference->softmax_rows(columns, nullptr, cancel)) <= 1e-6);
}

TEST_F(Cpu, SaysHowManyThreadsItUses) {
  EXPECT_EQ(make_cpu_backend(1)->description(), "CPU, 1 thread");
  EXPECT_EQ(make_cpu_backend(7)->description(), "CPU, 7 threads");
  EXPECT_EQ(make_cpu_backend(2)->name(), "cpu");
}

}  // namespace
}  // namespace headscope
