// The tree that the view asks for: of which heads, its clusters, the places of its nodes.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/session/corpus_heads.h"
#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "core/corpus/tree_layout.h"

namespace headscope::ui {
namespace {

// The heads that a tree is asked of; none where `problem` says why.
std::vector<std::size_t> tree_heads(const CorpusView& view, const CorpusShown& shown, std::string& problem) {
  std::vector<std::size_t> heads = clustered_of(view, *shown.table);
  if (heads.size() > kMostClustered) {
    problem = fmt::format("{} heads are more than the {} that are put into one tree: take the chosen ones, or a layer.",
                          heads.size(), kMostClustered);
    heads.clear();
  } else if (heads.size() < 2) {
    problem = "A tree needs two heads: choose some by a line around points, in the field above, or with Space.";
    heads.clear();
  }
  return heads;
}

ShownTree shown_tree(const std::shared_ptr<const HeadTrees::Result>& result, double cut) {
  const HeadTree& tree = *result->answer;
  const TreeLayout layout = tree_layout(tree, cut);
  ShownTree made{result, cut, layout.clusters, {}, {}, {}, {}};
  made.of_head.assign(result->question.table->heads.size(), -1);
  for (std::size_t node = 0; node < layout.place.size(); ++node) {
    made.place.push_back(static_cast<float>(layout.place[node]));
    const std::int64_t cluster = layout.cluster[node];
    made.node_cluster.push_back(cluster < 0 ? made.clusters : static_cast<std::size_t>(cluster));
    if (node >= tree.heads.size()) continue;
    made.of_head[tree.heads[node]] = cluster;
    made.cluster.push_back(static_cast<std::size_t>(cluster));
  }
  return made;
}

}  // namespace

void find_tree(Ui& ui, CorpusShown& shown) {
  const CorpusView& view = ui.session.view.corpus;
  std::vector<std::size_t> heads = tree_heads(view, shown, shown.tree_problem);
  if (heads.empty()) return;
  const auto result = ui.session.background.head_trees.want({shown.table, std::move(heads)});
  if (result == nullptr || result->question.table != shown.table) return;
  shown.tree_problem = result->failure;
  if (!result->answer) return;
  ShownTree& made = ui.state.panels.get<CorpusPanelState>().tree;
  if (made.of != result || made.cut != view.cut) made = shown_tree(result, view.cut);
  shown.tree = &made;
}

std::string cluster_of(const CorpusShown& shown, std::size_t head) {
  const bool known = shown.tree != nullptr && shown.tree->of_head[head] >= 0;
  return known ? std::to_string(shown.tree->of_head[head] + 1) : "";
}

Rgba cluster_color(const CorpusShown& shown, std::size_t head) {
  return head_color(shown.tree->of_head[head]);
}

// One cluster more or less: the cut goes between two merges.
double next_cut(const HeadTree& tree, double cut, bool more) {
  const auto above = std::find_if(tree.merges.begin(), tree.merges.end(),
                                  [&](const HeadMerge& merge) { return merge.distance > cut; });
  const auto joined = above - tree.merges.begin(), to = joined + (more ? -1 : 1);
  const auto count = static_cast<std::ptrdiff_t>(tree.merges.size());
  if (to <= 0) return tree.merges.front().distance / 2;
  if (to >= count) return std::min(2.0, tree.merges.back().distance + 0.01);
  const double low = tree.merges[static_cast<std::size_t>(to - 1)].distance;
  const double high = tree.merges[static_cast<std::size_t>(to)].distance;
  return low + (high - low) / 2;
}

}  // namespace headscope::ui
