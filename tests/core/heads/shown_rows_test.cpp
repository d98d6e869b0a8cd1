// Against plain loops in double, one cell at a time.
#include "core/heads/shown_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/core/attention/made_inputs.h"

namespace headscope {
namespace {

using Positions = std::vector<std::vector<std::int64_t>>;

std::shared_ptr<const TokenGroups> groups_of(Positions rows, Positions columns) {
  auto groups = std::make_shared<TokenGroups>();
  groups->row_labels.resize(rows.size());
  groups->column_labels.resize(columns.size());
  groups->rows = std::move(rows);
  groups->columns = std::move(columns);
  return groups;
}

// Every position by itself, or in groups of 1, 2, 3, 1, 2, 3 ...
Positions positions(std::int64_t count, bool merged) {
  Positions result;
  for (std::int64_t at = 0; at < count;) {
    const std::int64_t size = merged ? 1 + std::ssize(result) % 3 : 1;
    result.emplace_back();
    for (const std::int64_t end = std::min(count, at + size); at < end; ++at) result.back().push_back(at);
  }
  return result;
}

// Rows that sum to 1.
Tensor weights_of(std::int64_t queries, std::int64_t keys, std::uint32_t seed) {
  std::vector<float> values = random_values(queries * keys, seed);
  for (std::int64_t i = 0; i < queries; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      float& value = values[static_cast<std::size_t>(i * keys + j)];
      value = std::exp(3 * value);
      sum += static_cast<double>(value);
    }
    for (std::int64_t j = 0; j < keys; ++j) {
      float& value = values[static_cast<std::size_t>(i * keys + j)];
      value = static_cast<float>(static_cast<double>(value) / sum);
    }
  }
  return tensor_of({queries, keys}, std::move(values));
}

// The largest, then the next, until there is enough.
void plain_top_p(std::vector<double>& row, double share) {
  double mass = 0, kept = 0;
  for (const double value : row) mass += value;
  std::vector<bool> stays(row.size(), false);
  while (kept < share * mass * (1 - 1e-12)) {
    std::size_t best = row.size();
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!stays[c] && (best == row.size() || row[c] > row[best])) best = c;
    }
    stays[best] = true;
    kept += row[best];
  }
  for (std::size_t c = 0; c < row.size(); ++c) row[c] = stays[c] ? row[c] : 0;
}

std::vector<double> plain(const ShownRows& shown, const Tensor& matrix, const std::vector<double>& norms) {
  std::vector<double> result;
  for (const auto& members : shown.groups->rows) {
    std::vector<double> row;
    for (const auto& keys : shown.groups->columns) {
      double sum = 0;
      for (const std::int64_t i : members) {
        for (const std::int64_t j : keys) {
          sum += static_cast<double>(matrix.at({i, j})) * (norms.empty() ? 1 : norms[static_cast<std::size_t>(j)]);
        }
      }
      row.push_back(sum / static_cast<double>(members.size()));
    }
    if (shown.view.top_p < 1) plain_top_p(row, shown.view.top_p);
    double sum = 0;
    for (const double value : row) sum += value;
    for (const double value : row) result.push_back(shown.view.renormalise && sum != 0 ? value / sum : value);
  }
  return result;
}

std::vector<float> read_all(const ShownRows& shown, const Tensor& matrix, const std::vector<double>& norms = {}) {
  std::vector<float> values(static_cast<std::size_t>(shown.rows() * shown.columns()));
  shown.read(matrix, norms, {0, shown.rows()}, {0, shown.columns()}, values);
  return values;
}

TEST(ShownRows, AreWhatPlainLoopsGive) {
  for (const std::int64_t tokens : {1, 2, 40}) {
    const Tensor matrix = weights_of(tokens, tokens, 7);
    std::vector<double> norms;
    for (const float value : random_values(tokens, 8)) norms.push_back(1 + static_cast<double>(value));
    for (int choice = 0; choice < 16; ++choice) {
      const bool merged = (choice & 1) != 0, weighed = (choice & 8) != 0;
      Positions columns = positions(tokens, merged);
      if ((choice & 2) != 0 && columns.size() > 1) columns.erase(columns.begin());  // hidden
      ShownRows shown{{}, groups_of(positions(tokens, merged), columns)};
      shown.view.renormalise = (choice & 4) != 0;
      shown.view.top_p = (choice & 4) == 0 ? 1 : 0.7;
      const std::vector<double> lengths = weighed ? norms : std::vector<double>();
      const std::vector<double> expected = plain(shown, matrix, lengths);
      const std::vector<float> found = read_all(shown, matrix, lengths);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_TRUE(std::abs(static_cast<double>(found[k]) - expected[k]) <= 1e-7 * (1 + std::abs(expected[k])))
            << tokens << " tokens, choice " << choice << ", cell " << k << ": " << found[k] << ", " << expected[k];
      }
    }
  }
}

TEST(ShownRows, APartHasTheSameBitsAsTheWhole) {
  const Tensor matrix = weights_of(40, 40, 3);
  ShownRows shown{{}, groups_of(positions(40, true), positions(40, true))};
  shown.view.top_p = 0.5;
  shown.view.renormalise = true;
  const std::vector<float> all = read_all(shown, matrix);
  const Range rows{3, 11}, columns{2, 5};
  std::vector<float> part(static_cast<std::size_t>(rows.size() * columns.size()));
  shown.read(matrix, {}, rows, columns, part);
  std::size_t k = 0;
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    for (std::int64_t c = columns.begin; c < columns.end; ++c) {
      EXPECT_EQ(part[k++], all[static_cast<std::size_t>(r * shown.columns() + c)]) << r << ", " << c;
    }
  }
}

// Of a row, with everything else at its default.
std::vector<float> row_of(std::vector<float> row, double top_p, bool renormalise) {
  const auto keys = static_cast<std::int64_t>(row.size());
  ShownRows shown{{}, groups_of({{0}}, positions(keys, false))};
  shown.view.top_p = top_p;
  shown.view.renormalise = renormalise;
  return read_all(shown, tensor_of({1, keys}, std::move(row)));
}

TEST(ShownRows, TopPKeepsTheSmallestSetAndOfEqualOnesTheFirst) {
  EXPECT_EQ(row_of({.25F, .25F, .25F, .25F}, 0.5, false), (std::vector<float>{.25F, .25F, 0, 0}));
  EXPECT_EQ(row_of({.25F, .25F, .25F, .25F}, 0.51, false), (std::vector<float>{.25F, .25F, .25F, 0}));
  EXPECT_EQ(row_of({.125F, .5F, .25F, .125F}, 0.75, false), (std::vector<float>{0, .5F, .25F, 0}));
  EXPECT_EQ(row_of({.125F, .5F, .25F, .125F}, 0.75, true), (std::vector<float>{0, .5F / .75F, .25F / .75F, 0}));
  EXPECT_EQ(row_of({.125F, .5F, .25F, .125F}, 1e-9, true), (std::vector<float>{0, 1, 0, 0}));
  EXPECT_EQ(row_of({.125F, .5F, .25F, .125F}, 1, false), (std::vector<float>{.125F, .5F, .25F, .125F}));
  EXPECT_EQ(row_of({.0625F, .0625F, .125F}, 0.5, false), (std::vector<float>{0, 0, .125F})) << "of the row's own sum";
}

TEST(ShownRows, RowsWithoutMassAndRowsOfNaNStayWhatTheyAre) {
  EXPECT_EQ(row_of({0, 0, 0}, 0.5, true), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(row_of({-1, .5F}, 0.5, false), (std::vector<float>{-1, .5F}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : row_of({nan, nan, nan}, 0.5, true)) EXPECT_TRUE(std::isnan(value));
  const std::vector<float> half = row_of({nan, .5F}, 0.5, false);
  EXPECT_TRUE(std::isnan(half[0]));
  EXPECT_EQ(half[1], .5F);
}

TEST(ShownRows, AWeightOf0StaysWhateverTheValueOfItsKeyHolds) {
  ShownRows shown{{}, groups_of({{0}}, {{0}, {1}, {2}})};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(read_all(shown, tensor_of({1, 3}, {.5F, .5F, 0}), {2, 4, nan}), (std::vector<float>{1, 2, 0}));
  EXPECT_TRUE(std::isnan(read_all(shown, tensor_of({1, 3}, {.5F, .25F, .25F}), {2, 4, nan})[2]));
}

TEST(ShownRows, AColumnOfNoPositionsIs0) {
  const ShownRows shown{{}, groups_of({{0, 1}}, {{}, {1}})};
  EXPECT_EQ(read_all(shown, tensor_of({2, 2}, {.5F, .25F, .5F, .75F})), (std::vector<float>{0, .5F}));
}

TEST(ShownRows, ByGroupsAppliesNoWeightingASecondTime) {
  Showing view;
  view.weighting = Weighting::value_norm;
  const TokenGroups groups = *groups_of({{0}}, {{0}, {1}});
  EXPECT_EQ(by_groups(tensor_of({1, 2}, {3, 4}), groups, view).values(), (std::vector<float>{3, 4}));
  EXPECT_TRUE(by_groups(tensor_of({1, 2}, {3, 4}), *groups_of({{0}}, {}), view).empty());
}

}  // namespace
}  // namespace headscope
