#include "core/corpus/head_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/error.h"

namespace headscope {
namespace {

// A merge as the chain finds it: slots of clusters, which keep the smaller one's.
struct FoundMerge {
  std::size_t a = 0, b = 0;
  double distance = 0;
};

class ChainOfNeighbours {
 public:
  ChainOfNeighbours(const HeadTable& table, std::span<const std::size_t> heads)
      : count_(heads.size()), distances_(count_ * count_), sizes_(count_, 1), heights_(count_, 0) {
    for (std::size_t a = 0; a < count_; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const double cosine = cosine_of(standardised_of(table, heads[a]), standardised_of(table, heads[b]));
        set(a, b, 1 - cosine);
      }
    }
  }

  std::vector<FoundMerge> merges(const CancelToken& cancel) {
    std::vector<FoundMerge> found;
    std::vector<std::size_t> chain;
    while (found.size() + 1 < count_) {
      cancel.check();
      if (chain.empty()) chain.push_back(first_left());
      const std::size_t top = chain.back();
      const std::size_t nearest = nearest_of(top, chain.size() > 1 ? chain[chain.size() - 2] : count_);
      if (chain.size() < 2 || nearest != chain[chain.size() - 2]) {
        chain.push_back(nearest);
        continue;
      }
      chain.resize(chain.size() - 2);
      found.push_back(merged(std::min(top, nearest), std::max(top, nearest)));
    }
    return found;
  }

 private:
  double at(std::size_t a, std::size_t b) const { return distances_[a * count_ + b]; }
  void set(std::size_t a, std::size_t b, double distance) {
    distances_[a * count_ + b] = distances_[b * count_ + a] = distance;
  }

  std::size_t first_left() const {
    return static_cast<std::size_t>(
        std::find_if(sizes_.begin(), sizes_.end(), [](std::size_t size) { return size > 0; }) - sizes_.begin());
  }

  // Of equally near ones the one before it in the chain, so that chains end; else the first.
  std::size_t nearest_of(std::size_t node, std::size_t before) const {
    std::size_t nearest = before;
    double least = before < count_ ? at(node, before) : std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < count_; ++other) {
      if (other == node || sizes_[other] == 0 || !(at(node, other) < least)) continue;
      least = at(node, other);
      nearest = other;
    }
    return nearest;
  }

  FoundMerge merged(std::size_t a, std::size_t b) {
    const auto of_a = static_cast<double>(sizes_[a]), of_b = static_cast<double>(sizes_[b]);
    // Rounding must not put a merge below those that it is made of.
    const double height = std::max({at(a, b), heights_[a], heights_[b]});
    for (std::size_t other = 0; other < count_; ++other) {
      if (other == a || other == b || sizes_[other] == 0) continue;
      set(a, other, (of_a * at(a, other) + of_b * at(b, other)) / (of_a + of_b));
    }
    sizes_[a] += sizes_[b];
    sizes_[b] = 0;
    heights_[a] = height;
    return {a, b, height};
  }

  std::size_t count_;
  std::vector<double> distances_;
  std::vector<std::size_t> sizes_;  // heads of the cluster in each slot; 0: it went into another one
  std::vector<double> heights_;     // of the cluster's merge
};

// The nearest merges first, with nodes in place of slots.
std::vector<HeadMerge> named_merges(std::vector<FoundMerge> found, std::size_t count) {
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundMerge& a, const FoundMerge& b) { return a.distance < b.distance; });
  std::vector<std::size_t> node(count), size(count, 1);
  std::iota(node.begin(), node.end(), std::size_t{0});
  std::vector<HeadMerge> merges;
  for (const FoundMerge& each : found) {
    size[each.a] += size[each.b];
    merges.push_back({node[each.a], node[each.b], each.distance, size[each.a]});
    node[each.a] = count + merges.size() - 1;
  }
  return merges;
}

std::vector<std::size_t> leaves_in_order(const HeadTree& tree) {
  const std::size_t count = tree.heads.size();
  std::vector<std::size_t> order, open;
  const std::size_t root = tree.merges.empty() ? 0 : count + tree.merges.size() - 1;
  if (count > 0) open.push_back(root);
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (node < count) {
      order.push_back(node);
      continue;
    }
    open.push_back(tree.merges[node - count].right);
    open.push_back(tree.merges[node - count].left);
  }
  return order;
}

}  // namespace

HeadTree head_tree(const HeadTable& table, std::span<const std::size_t> heads, const CancelToken& cancel) {
  if (heads.size() > kMostClustered) {
    throw UsageError(
        fmt::format("a tree of {} heads was asked for, at most {} are put into one", heads.size(), kMostClustered));
  }
  HeadTree tree;
  tree.heads.assign(heads.begin(), heads.end());
  if (heads.size() > 1) tree.merges = named_merges(ChainOfNeighbours(table, heads).merges(cancel), heads.size());
  tree.order = leaves_in_order(tree);
  return tree;
}

std::vector<std::size_t> clusters_at(const HeadTree& tree, double cut) {
  const std::size_t count = tree.heads.size();
  // Of each node the topmost one that a cut leaves whole.
  std::vector<std::size_t> top(count + tree.merges.size());
  std::iota(top.begin(), top.end(), std::size_t{0});
  for (std::size_t k = tree.merges.size(); k-- > 0;) {
    if (!(tree.merges[k].distance <= cut)) continue;
    top[tree.merges[k].left] = top[tree.merges[k].right] = top[count + k];
  }
  std::vector<std::size_t> number(top.size(), top.size()), clusters(count);
  std::size_t next = 0;
  for (const std::size_t leaf : tree.order) {
    std::size_t& cluster = number[top[leaf]];
    if (cluster == top.size()) cluster = next++;
    clusters[leaf] = cluster;
  }
  return clusters;
}

}  // namespace headscope
