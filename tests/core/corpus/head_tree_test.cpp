// The tree of heads, against linkage by brute force in float64.
#include "core/corpus/head_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "core/base/error.h"

namespace headscope {
namespace {

constexpr double kNear = 1e-6;  // standardised values are float32

HeadTable random_table(std::size_t heads, std::size_t metrics, std::uint32_t seed) {
  std::mt19937 draw(seed);
  std::vector<LayerHead> names;
  for (std::size_t k = 0; k < heads; ++k) names.push_back({static_cast<std::int64_t>(k), 0});
  std::vector<HeadColumn> columns;
  for (std::size_t m = 0; m < metrics; ++m) {
    HeadColumn column{"m" + std::to_string(m), {}};
    for (std::size_t k = 0; k < heads; ++k) column.values.push_back(static_cast<double>(draw() % 100'000) / 1000);
    columns.push_back(column);
  }
  return head_table(names, columns);
}

// 1 - a . b / (|a| |b|) of (x - mean) / deviation, in doubles from the table's means.
std::vector<std::vector<double>> distances_of(const HeadTable& table) {
  const std::size_t heads = table.heads.size(), metrics = table.keys.size();
  std::vector<std::vector<double>> vectors(heads, std::vector<double>(metrics));
  for (std::size_t m = 0; m < metrics; ++m) {
    const auto values = table.of(m);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(heads);
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    for (std::size_t k = 0; k < heads; ++k) {
      vectors[k][m] = (values[k] - mean) / std::sqrt(squares / static_cast<double>(heads));
    }
  }
  const auto dot = [&](std::size_t a, std::size_t b) {
    return std::inner_product(vectors[a].begin(), vectors[a].end(), vectors[b].begin(), 0.0);
  };
  std::vector<std::vector<double>> distances(heads, std::vector<double>(heads));
  for (std::size_t a = 0; a < heads; ++a) {
    for (std::size_t b = 0; b < heads; ++b) distances[a][b] = 1 - dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
  }
  return distances;
}

struct Expected {
  std::set<std::size_t> left, right;
  double distance = 0;
};

// Merges the two nearest sets of leaves, whose distance is the mean over all pairs, until one is left.
std::vector<Expected> merges_by_brute_force(const HeadTable& table) {
  const auto distances = distances_of(table);
  std::vector<std::set<std::size_t>> sets;
  for (std::size_t k = 0; k < distances.size(); ++k) sets.push_back({k});
  std::vector<Expected> merges;
  while (sets.size() > 1) {
    Expected best{{}, {}, INFINITY};
    for (std::size_t a = 0; a < sets.size(); ++a) {
      for (std::size_t b = a + 1; b < sets.size(); ++b) {
        double sum = 0;
        for (const std::size_t i : sets[a]) {
          for (const std::size_t j : sets[b]) sum += distances[i][j];
        }
        const double mean = sum / static_cast<double>(sets[a].size() * sets[b].size());
        if (mean < best.distance) best = {sets[a], sets[b], mean};
      }
    }
    merges.push_back(best);
    std::erase_if(sets, [&](const auto& each) { return each == best.left || each == best.right; });
    best.left.insert(best.right.begin(), best.right.end());
    sets.push_back(best.left);
  }
  return merges;
}

// The leaves below every node.
std::vector<std::set<std::size_t>> leaves_of(const HeadTree& tree) {
  std::vector<std::set<std::size_t>> leaves;
  for (std::size_t k = 0; k < tree.heads.size(); ++k) leaves.push_back({k});
  for (const HeadMerge& merge : tree.merges) {
    std::set<std::size_t> both = leaves[merge.left];
    both.insert(leaves[merge.right].begin(), leaves[merge.right].end());
    leaves.push_back(both);
  }
  return leaves;
}

std::vector<std::size_t> all_of(const HeadTable& table) {
  std::vector<std::size_t> heads(table.heads.size());
  std::iota(heads.begin(), heads.end(), std::size_t{0});
  return heads;
}

TEST(HeadTree, MergesAsBruteForceDoes) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const HeadTable table = random_table(40, 5, seed);
    const HeadTree tree = head_tree(table, all_of(table));
    const std::vector<Expected> expected = merges_by_brute_force(table);
    const auto leaves = leaves_of(tree);
    ASSERT_EQ(tree.merges.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(tree.merges[k].distance, expected[k].distance, kNear) << k;
      const auto &left = leaves[tree.merges[k].left], &right = leaves[tree.merges[k].right];
      EXPECT_TRUE((left == expected[k].left && right == expected[k].right) ||
                  (left == expected[k].right && right == expected[k].left))
          << k;
      EXPECT_EQ(tree.merges[k].size, left.size() + right.size());
      EXPECT_LT(*left.begin(), *right.begin()) << "the first head's is the left one";
    }
  }
}

TEST(HeadTree, NoTwoBranchesCross) {
  const HeadTable table = random_table(30, 4, 9);
  const HeadTree tree = head_tree(table, all_of(table));
  std::vector<std::size_t> place(tree.order.size());
  for (std::size_t k = 0; k < tree.order.size(); ++k) place[tree.order[k]] = k;
  EXPECT_EQ(std::set<std::size_t>(tree.order.begin(), tree.order.end()).size(), 30U);
  for (const auto& leaves : leaves_of(tree)) {
    std::set<std::size_t> places;
    for (const std::size_t leaf : leaves) places.insert(place[leaf]);
    EXPECT_EQ(*places.rbegin() - *places.begin() + 1, places.size()) << "leaves of a node lie side by side";
  }
}

TEST(HeadTree, ACutLeavesTheClustersBelowIt) {
  const HeadTable table = random_table(25, 4, 5);
  const HeadTree tree = head_tree(table, all_of(table));
  const auto expected = merges_by_brute_force(table);
  for (const double cut : {-1.0, 0.1, 0.4, 0.8, 2.0}) {
    // Sets of leaves that are joined by merges up to the cut.
    std::vector<std::set<std::size_t>> sets;
    for (std::size_t k = 0; k < 25; ++k) sets.push_back({k});
    for (const Expected& merge : expected) {
      if (merge.distance > cut) break;
      std::erase_if(sets, [&](const auto& each) { return each == merge.left || each == merge.right; });
      sets.push_back(merge.left);
      sets.back().insert(merge.right.begin(), merge.right.end());
    }
    const std::vector<std::size_t> clusters = clusters_at(tree, cut);
    EXPECT_EQ(std::set<std::size_t>(clusters.begin(), clusters.end()).size(), sets.size()) << cut;
    for (const auto& each : sets) {
      for (const std::size_t leaf : each) EXPECT_EQ(clusters[leaf], clusters[*each.begin()]) << cut;
    }
    EXPECT_EQ(clusters[tree.order.front()], 0U) << "numbered in the tree's order";
  }
}

TEST(HeadTree, TakesPartsOfATableAndRefusesTooMany) {
  const HeadTable table = random_table(kMostClustered + 1, 3, 4);
  const std::vector<std::size_t> three = {7, 2, 9};
  const HeadTree tree = head_tree(table, three);
  EXPECT_EQ(tree.heads, three);
  EXPECT_EQ(tree.merges.size(), 2U);
  const std::vector<std::size_t> one = {5};
  EXPECT_EQ(head_tree(table, one).order, (std::vector<std::size_t>{0}));
  EXPECT_TRUE(head_tree(table, {}).order.empty());
  EXPECT_THROW(head_tree(table, all_of(table)), UsageError);
  std::vector<std::size_t> most = all_of(table);
  most.pop_back();
  EXPECT_EQ(head_tree(table, most).merges.size(), kMostClustered - 1);
}

TEST(HeadTree, HeadsWithoutMeansAreAtDistanceOne) {
  const HeadTable table = head_table({{0, 0}, {0, 1}, {0, 2}}, {{"flat", {NAN, NAN, NAN}}});
  const HeadTree tree = head_tree(table, all_of(table));
  EXPECT_EQ(tree.merges[0], (HeadMerge{0, 1, 1, 2})) << "of equal ones the first";
  EXPECT_EQ(tree.merges[1].distance, 1);
}

}  // namespace
}  // namespace headscope
