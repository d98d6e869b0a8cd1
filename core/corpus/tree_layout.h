// Where the nodes of a tree of heads lie, and which clusters they are of: for the window and for pictures alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/corpus/head_tree.h"

namespace headscope {

struct TreeLayout {
  std::size_t clusters = 0;
  std::vector<double> place;          // one a node: across the tree, in leaves; a leaf's middle, else between its two
  std::vector<std::int64_t> cluster;  // one a node, from 0; -1 where clusters meet
};

// Of a tree that is cut at a distance, as clusters_at() cuts it.
inline TreeLayout tree_layout(const HeadTree& tree, double cut) {
  TreeLayout layout;
  layout.place.resize(tree.heads.size());
  for (std::size_t k = 0; k < tree.order.size(); ++k) layout.place[tree.order[k]] = static_cast<double>(k) + 0.5;
  for (const std::size_t cluster : clusters_at(tree, cut)) {
    layout.cluster.push_back(static_cast<std::int64_t>(cluster));
    layout.clusters = std::max(layout.clusters, cluster + 1);
  }
  for (const HeadMerge& merge : tree.merges) {
    layout.place.push_back((layout.place[merge.left] + layout.place[merge.right]) / 2);
    layout.cluster.push_back(merge.distance <= cut ? layout.cluster[merge.left] : -1);
  }
  return layout;
}

}  // namespace headscope
