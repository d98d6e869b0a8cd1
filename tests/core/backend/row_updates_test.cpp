#include "core/backend/kernels/row_updates.h"

#include <gtest/gtest.h>

#include <algorithm>
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

const std::int64_t kUpdatesSizes[] = {1, 2, 3, 15, 17, 63, 65};

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
    for (const std::int64_t count : kUpdatesSizes) {
      for (const std::int64_t features : kUpdatesSizes) {
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
    for (const std::int64_t count : kUpdatesSizes) {
      for (const std::int64_t features : kUpdatesSizes) {
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

constexpr float kUpdatesInfinity = std::numeric_limits<float>::infinity();

TEST(RowUpdates, LargerCellsAndDifferencesOfVisibleOnes) {
  on_every_target([](bool) {
    for (const std::int64_t count : kUpdatesSizes) {
      std::vector<float> cells = drawn(count, 1), max = drawn(count, 2);
      for (std::size_t i = 0; i < cells.size(); i += 3) cells[i] = -kUpdatesInfinity;
      if (count > 4) max[3] = -kUpdatesInfinity;  // a row that saw nothing, and a cell that is hidden in it
      const std::vector<float> before = max, hidden = cells;
      raise_to_cells(cells.data(), count, max.data());
      subtract_where_visible(max.data(), count, cells.data());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        ASSERT_EQ(max[i], std::max(before[i], hidden[i])) << i << " of " << count;
        ASSERT_EQ(cells[i], std::isinf(hidden[i]) ? -kUpdatesInfinity : hidden[i] - max[i]) << i << " of " << count;
      }
    }
  });
}

TEST(RowUpdates, SumsAndWhatMultipliesTheRest) {
  on_every_target([](bool) {
    for (const std::int64_t rows : kUpdatesSizes) {
      for (const std::int64_t keys : {1, 3}) {
        const std::int64_t from = rows + 5, to = rows + 2;
        std::vector<float> before = drawn(keys * from, 1), after = drawn(keys * from, 2), scale = drawn(rows, 3),
                           sums = drawn(rows, 4);
        for (std::vector<float>* list : {&before, &after, &scale, &sums}) {
          for (float& value : *list) value = std::exp(-std::fabs(value));
        }
        for (float& sum : sums) sum += 20;  // nothing of it is a fourth
        const std::int64_t untouched = rows / 2;
        for (std::int64_t n = 0; n < keys; ++n) {
          before[static_cast<std::size_t>(n * from + untouched)] = 0;
          after[static_cast<std::size_t>(n * from + untouched)] = 0;
        }
        std::vector<float> sum(static_cast<std::size_t>(rows)), factor = sum;
        std::vector<float> columns(static_cast<std::size_t>(keys * to), 9.0F), removed = columns;
        const ReplacedTerms terms{rows, keys, before.data(), after.data(), from, scale.data(), sums.data()};
        const UpdatedSums updated{sum.data(), factor.data(), columns.data(), removed.data(), to};
        ASSERT_FALSE(update_sums(terms, 0.25F, updated));
        for (std::int64_t i = 0; i < rows; ++i) {
          const auto row = static_cast<std::size_t>(i);
          double left = sums[row], added = 0;
          for (std::int64_t n = 0; n < keys; ++n) {
            left -= before[static_cast<std::size_t>(n * from + i)];
            added += after[static_cast<std::size_t>(n * from + i)];
          }
          const bool same = i == untouched;
          const double total = same ? sums[row] : left * scale[row] + added;
          ASSERT_NEAR(sum[row], total, 1e-5) << i << " of " << rows;
          ASSERT_NEAR(factor[row], same ? 1 : sums[row] * scale[row] / total, 1e-6) << i << " of " << rows;
          for (std::int64_t n = 0; n < keys; ++n) {
            const auto cell = static_cast<std::size_t>(n * to + i), term = static_cast<std::size_t>(n * from + i);
            ASSERT_NEAR(columns[cell], same ? 0 : after[term] / total, 1e-6) << i << " of " << rows;
            ASSERT_NEAR(removed[cell], same ? 0 : -before[term] * scale[row] / total, 1e-6) << i << " of " << rows;
          }
        }
        for (std::int64_t i = rows; i < to; ++i) EXPECT_EQ(columns[static_cast<std::size_t>(i)], 9.0F) << "beyond";
        // One row loses more than a fourth.
        for (const std::int64_t i : {std::int64_t{0}, rows - 1}) {
          std::vector<float> more = before;
          more[static_cast<std::size_t>(i)] = 0.3F * sums[static_cast<std::size_t>(i)];
          ReplacedTerms much = terms;
          much.before = more.data();
          ASSERT_TRUE(update_sums(much, 0.25F, updated)) << i << " of " << rows;
        }
      }
    }
  });
}

}  // namespace
}  // namespace headscope
