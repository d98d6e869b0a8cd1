// The tree of heads that are alike, cut into clusters, in a figure of heads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "core/base/grouped_digits.h"
#include "core/corpus/tree_layout.h"
#include "core/picture/figure/corpus_page.h"
#include "core/picture/text/text.h"

namespace headscope {
namespace {

constexpr double kTreeHeight = 640, kLeast = 2, kMost = 18, kNamed = 10, kLeafRoom = 64, kBelowTree = 40;

// Where distances and nodes lie in pixels.
struct TreePlan {
  Box4 box;
  double leaf = 0, farthest = 1;
  TreeLayout layout;

  int x(double distance) const { return box.right() - static_cast<int>(std::lround(distance / farthest * box.width)); }
  int y(std::size_t node) const { return box.y + static_cast<int>(std::lround(layout.place[node] * leaf)); }
};

void add_branches(CorpusPage& page, const HeadTree& tree, const TreePlan& plan) {
  const int thick = page.px(1.2);
  const std::size_t count = tree.heads.size();
  const auto color = [&](std::size_t node) {
    return plan.layout.cluster[node] < 0 ? page.colors.text3 : head_color(plan.layout.cluster[node]);
  };
  for (std::size_t k = 0; k < tree.merges.size(); ++k) {
    const HeadMerge& merge = tree.merges[k];
    const int x = plan.x(merge.distance), top = plan.y(merge.left), bottom = plan.y(merge.right);
    page.rect({x, std::min(top, bottom), thick, std::abs(bottom - top) + thick}, color(count + k));
    for (const std::size_t node : {merge.left, merge.right}) {
      const int end = node < count ? plan.box.right() : plan.x(tree.merges[node - count].distance);
      page.rect({x, plan.y(node), end - x, thick}, color(node));
    }
  }
}

void add_leaves(CorpusPage& page, const HeadTree& tree, const TreePlan& plan) {
  const bool named = plan.leaf >= page.font(kNamed);
  const int band = page.px(4);
  for (std::size_t k = 0; k < tree.order.size(); ++k) {
    const std::size_t node = tree.order[k], head = tree.heads[node];
    const int top = plan.box.y + static_cast<int>(std::lround(static_cast<double>(k) * plan.leaf));
    const int end = plan.box.y + static_cast<int>(std::lround(static_cast<double>(k + 1) * plan.leaf));
    const int x = plan.box.right() + page.px(kLeafRoom) - page.px(24);
    page.rect({x, top, band, end - top}, head_color(plan.layout.cluster[node]));
    const bool picked = head == page.figure.head;
    if (!named && !picked) continue;
    page.text(plan.box.right() + page.font(5), (top + end) / 2.0, page.name_of(head),
              {picked ? FontRole::numbers_bold : FontRole::numbers, 10, picked ? page.colors.text : page.colors.text2});
  }
  // A cluster's number in the middle of its leaves.
  for (std::size_t begin = 0, end = 0; begin < tree.order.size(); begin = end) {
    const std::int64_t cluster = plan.layout.cluster[tree.order[begin]];
    while (end < tree.order.size() && plan.layout.cluster[tree.order[end]] == cluster) ++end;
    const double high = static_cast<double>(end - begin) * plan.leaf;
    if (high < page.font(10)) continue;
    page.text(plan.box.right() + page.px(kLeafRoom), plan.box.y + static_cast<double>(begin) * plan.leaf + high / 2,
              std::to_string(cluster + 1), {FontRole::numbers, 10, page.colors.text, 1});
  }
}

void add_cut(CorpusPage& page, const TreePlan& plan, double cut) {
  if (cut > plan.farthest) return;
  const int thick = page.px(1.5), x = plan.x(cut), dash = page.px(5), step = page.px(9);
  for (int y = plan.box.y; y < plan.box.bottom(); y += step) {
    page.rect({x, y, thick, std::min(dash, plan.box.bottom() - y)}, page.colors.accent);
  }
}

}  // namespace

int add_tree(CorpusPage& page, int x, int y, int width) {
  const CorpusTreeFigure& asked = *page.figure.tree;
  const HeadTree& tree = *asked.tree;
  const auto leaves = static_cast<double>(tree.heads.size());
  const double leaf = std::clamp(page.font(kTreeHeight) / leaves, page.font(kLeast), page.font(kMost));
  const Box4 box{x, y + page.px(18), width - page.px(kLeafRoom), static_cast<int>(std::lround(leaf * leaves))};
  const double farthest = std::max(1e-9, tree.merges.back().distance * 1.04);
  const TreePlan plan{box, leaf, farthest, tree_layout(tree, asked.cut)};
  page.text(x, y + page.font(4),
            fmt::format("{} of {}, cut at {:.3f}; 1 \u2212 cosine of {} standardised means",
                        grouped_count(static_cast<std::int64_t>(plan.layout.clusters), "cluster"),
                        grouped_count(std::ssize(tree.heads), "head"), asked.cut, page.table.compared),
            {FontRole::words, 11, page.colors.text2});
  const PlotAxis axis = plot_axis(0, plan.farthest, 5);
  for (const double tick : axis.ticks) {
    if (tick > plan.farthest) continue;
    page.rect({plan.x(tick), box.y, page.px(1), box.height}, page.colors.line);
    page.text(plan.x(tick), box.bottom() + page.font(12), tick_text(tick, plan.farthest),
              {FontRole::numbers, 11, page.colors.text2, 0.5});
  }
  add_branches(page, tree, plan);
  add_leaves(page, tree, plan);
  add_cut(page, plan, asked.cut);
  return box.bottom() + page.px(kBelowTree);
}

}  // namespace headscope
