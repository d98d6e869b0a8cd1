#include "core/tensor/scattered_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "core/tensor/statistics.h"

namespace headscope {
namespace {

std::vector<float> made_values(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::normal_distribution<float> normal(3.0F, 2.0F);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  for (std::size_t k = 100; k < count; k += 997) values[k] = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t k = 500; k < count; k += 1999) values[k] = -std::numeric_limits<float>::infinity();
  return values;
}

Statistics in_order(const std::vector<float>& values) {
  StatisticsSum sum;
  sum.add(values);
  return sum.result();
}

void expect_same(const Statistics& a, const Statistics& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.nan_count, b.nan_count);
  EXPECT_EQ(a.inf_count, b.inf_count);
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.std, b.std);
  EXPECT_EQ(a.l2_norm, b.l2_norm);
}

struct Part {
  std::int64_t first = 0, count = 0;
};

// Parts of the places first ... end - 1, of random lengths or of one length.
std::vector<Part> parts_of(std::int64_t first, std::int64_t end, std::int64_t most, std::mt19937& random) {
  std::vector<Part> parts;
  while (first < end) {
    const auto drawn = static_cast<std::int64_t>(random() % static_cast<unsigned>(most)) + 1;
    parts.push_back({first, std::min(drawn, end - first)});
    first += parts.back().count;
  }
  return parts;
}

std::span<const float> values_of(const std::vector<float>& values, const Part& part) {
  return std::span<const float>(values).subspan(static_cast<std::size_t>(part.first),
                                                static_cast<std::size_t>(part.count));
}

TEST(ScatteredStatistics, HaveTheBitsOfTheOrderedSumInAnyOrderAndCut) {
  std::mt19937 random(1);
  const std::vector<float> values = made_values(3 * kStatisticsBlock + 1234);
  const auto end = static_cast<std::int64_t>(values.size());
  const Statistics wanted = in_order(values);
  for (const std::int64_t most : {7, 300, 4095, 4096, 4097, 9000, 20000}) {
    for (int order = 0; order < 4; ++order) {
      std::vector<Part> parts = parts_of(0, end, most, random);
      if (order == 1) std::reverse(parts.begin(), parts.end());
      if (order > 1) std::shuffle(parts.begin(), parts.end(), random);
      StatisticsSum sum;
      ScatteredStatistics scattered(sum, 0);
      for (const Part& part : parts) scattered.add(part.first, values_of(values, part));
      SCOPED_TRACE(testing::Message() << "parts of at most " << most << ", order " << order);
      EXPECT_EQ(scattered.summed(), end);
      expect_same(sum.result(), wanted);
    }
  }
}

TEST(ScatteredStatistics, RowsOfEveryLengthMeetTheBlocksAsTheyLie) {
  for (const std::int64_t row : {1, 2, 64, 1000, 2048, 4096, 4100, 8192}) {
    const std::int64_t rows = 20000 / row + 1;
    const std::vector<float> values = made_values(static_cast<std::size_t>(row * rows));
    StatisticsSum sum;
    ScatteredStatistics scattered(sum, 0);
    // Every other row from the end, then the rest.
    for (const std::int64_t parity : {1, 0}) {
      for (std::int64_t k = rows; k-- > 0;) {
        if (k % 2 == parity) scattered.add(k * row, values_of(values, {k * row, row}));
      }
    }
    EXPECT_EQ(scattered.summed(), row * rows);
    expect_same(sum.result(), in_order(values));
  }
}

TEST(ScatteredStatistics, GoOnWhereTheSumStands) {
  std::mt19937 random(2);
  const std::vector<float> values = made_values(30000);
  StatisticsSum sum;
  for (const auto& [begin, end] : {std::pair{0, 5000}, {5000, 5001}, {5001, 12288}, {12288, 30000}}) {
    ScatteredStatistics scattered(sum, begin);
    std::vector<Part> parts = parts_of(begin, end, 3000, random);
    std::shuffle(parts.begin(), parts.end(), random);
    for (const Part& part : parts) scattered.add(part.first, values_of(values, part));
    EXPECT_EQ(scattered.summed(), end);
  }
  expect_same(sum.result(), in_order(values));
}

TEST(ScatteredStatistics, WhatIsMissingIsNotSummed) {
  const std::vector<float> values = made_values(10000);
  StatisticsSum sum;
  ScatteredStatistics scattered(sum, 0);
  scattered.add(0, values_of(values, {0, 10}));
  scattered.add(5000, values_of(values, {5000, 5000}));
  scattered.add(10, {});
  EXPECT_EQ(scattered.summed(), 10);
  EXPECT_EQ(sum.result().count, 10);
}

TEST(ScatteredStatistics, ComeFromSeveralThreads) {
  const std::vector<float> values = made_values(200000);
  constexpr std::int64_t kRow = 1111;
  StatisticsSum sum;
  ScatteredStatistics scattered(sum, 0);
  std::vector<std::thread> threads;
  for (std::int64_t thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::int64_t first = thread * kRow; first < 200000; first += 3 * kRow) {
        scattered.add(first, values_of(values, {first, std::min(kRow, 200000 - first)}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(scattered.summed(), 200000);
  expect_same(sum.result(), in_order(values));
}

}  // namespace
}  // namespace headscope
