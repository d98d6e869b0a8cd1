#include "core/backend/kernels/row_updates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/core/backend/every_target.h"

namespace headscope {
namespace {

std::vector<float> drawn(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

const std::int64_t kSizes[] = {1, 2, 3, 15, 17, 63, 65};

// Rows whose neighbours are NaN: what lies between two rows must not be read as part of them.
struct MadeRows {
  MadeRows(std::int64_t count, std::int64_t features) : values(drawn(count * (features + 3), 1)) {
    rows = {values.data(), features + 3, count, features};
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t d = features; d < features + 3; ++d) {
        values[static_cast<std::size_t>(i * (features + 3) + d)] = std::numeric_limits<float>::quiet_NaN();
      }
    }
  }
  double at(std::int64_t i, std::int64_t d) const { return rows.rows[i * rows.stride + d]; }
  std::vector<float> values;
  StridedRows rows;
};

TEST(RowUpdates, RowsTimesOneAndTwoVectors) {
  on_every_target([](bool) {
    for (const std::int64_t count : kSizes) {
      for (const std::int64_t features : kSizes) {
        const MadeRows made(count, features);
        const std::vector<float> a = drawn(features, 2), b = drawn(features, 3);
        std::vector<float> first(static_cast<std::size_t>(count)), second = first, alone = first;
        multiply_rows_by_vectors(made.rows, a.data(), b.data(), first.data(), second.data());
        multiply_rows_by_vectors(made.rows, a.data(), nullptr, alone.data(), nullptr);
        for (std::int64_t i = 0; i < count; ++i) {
          const auto at = static_cast<std::size_t>(i);
          double x = 0, y = 0;
          for (std::int64_t d = 0; d < features; ++d) {
            x += made.at(i, d) * a[static_cast<std::size_t>(d)];
            y += made.at(i, d) * b[static_cast<std::size_t>(d)];
          }
          ASSERT_NEAR(first[at], x, 1e-5) << count << " x " << features;
          ASSERT_NEAR(second[at], y, 1e-5) << count << " x " << features;
          ASSERT_EQ(alone[at], first[at]) << "the same sum alone";
        }
      }
    }
  });
}

TEST(RowUpdates, WeightedSumOfRows) {
  on_every_target([](bool) {
    for (const std::int64_t count : kSizes) {
      for (const std::int64_t features : kSizes) {
        const MadeRows made(count, features);
        const std::vector<float> weights = drawn(count, 2), before = drawn(features, 3);
        std::vector<float> out = before;
        add_weighted_rows(made.rows, weights.data(), out.data());
        for (std::int64_t d = 0; d < features; ++d) {
          double sum = before[static_cast<std::size_t>(d)];
          for (std::int64_t j = 0; j < count; ++j) sum += weights[static_cast<std::size_t>(j)] * made.at(j, d);
          ASSERT_NEAR(out[static_cast<std::size_t>(d)], sum, 1e-5) << count << " x " << features;
        }
      }
    }
  });
}

}  // namespace
}  // namespace headscope
