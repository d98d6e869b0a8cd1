// Which heads are alike, as a tree: average linkage over the cosine distances of their standardised means.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/cancel.h"
#include "core/corpus/head_table.h"

namespace headscope {

// Of so many heads a tree is made at most: its distances take 8 bytes a pair.
constexpr std::size_t kMostClustered = 1024;

// Two nodes become one. Nodes 0 to n - 1 are HeadTree::heads, node n + k is what merge k makes.
struct HeadMerge {
  std::size_t left = 0, right = 0;  // nodes; `left` has the head that comes first in HeadTree::heads
  double distance = 0;              // in [0, 2]
  std::size_t size = 0;             // heads below
  friend bool operator==(const HeadMerge&, const HeadMerge&) = default;
};

struct HeadTree {
  std::vector<std::size_t> heads;  // indices in the table
  std::vector<HeadMerge> merges;   // n - 1 of them, the nearest first; a node's merge comes after those below it
  std::vector<std::size_t> order;  // indices in `heads`, from left to right: no two branches of the tree cross
};

// The distance of two heads is 1 - cosine_of() of their standardised means, that of two nodes the mean over all pairs
// of their heads (UPGMA; Sokal and Michener, 1958), by chains of nearest neighbours in O(n^2) (Murtagh, 1983). Equal
// distances: the node with the smaller head first. UsageError for more than kMostClustered heads; Cancelled.
HeadTree head_tree(const HeadTable& table, std::span<const std::size_t> heads, const CancelToken& cancel = {});

// The clusters that are left when all merges farther than `cut` are undone: one number a head of HeadTree::heads, from
// 0 in the tree's order.
std::vector<std::size_t> clusters_at(const HeadTree& tree, double cut);

}  // namespace headscope
