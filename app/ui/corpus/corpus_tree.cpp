// Which heads are alike, as a tree: leaves below each other, a line that cuts it into clusters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kLeafName = 44, kNumber = 26, kAxis = 34, kLowestLeaf = 6, kHighestLeaf = 22, kNamedLeaf = 11;
constexpr float kGrip = 5;  // so near the mouse takes hold of the cut

// Where distances and leaves lie; what is scrolled away included.
struct TreePlaces {
  Rect plot;
  float top = 0, leaf = 0;
  double farthest = 1;
  PlotAxis axis;

  float x(double distance) const {
    return std::round(plot.max.x - static_cast<float>(distance / farthest) * plot.width());
  }
  float y(float place) const { return std::round(top + place * leaf); }
  double distance_at(float at) const {
    return std::clamp(static_cast<double>((plot.max.x - at) / plot.width()) * farthest, 0.0, 2.0);
  }
};

Rgba node_color(const Ui& ui, const ShownTree& shown, std::size_t node) {
  const std::size_t cluster = shown.node_cluster[node];
  return cluster == shown.clusters ? ui.colors.text3 : head_color(static_cast<std::int64_t>(cluster));
}

void draw_branches(Ui& ui, const ShownTree& shown, const TreePlaces& places) {
  const HeadTree& tree = *shown.of->answer;
  const std::size_t count = tree.heads.size();
  for (std::size_t k = 0; k < tree.merges.size(); ++k) {
    const HeadMerge& merge = tree.merges[k];
    const float from = places.y(shown.place[merge.left]), to = places.y(shown.place[merge.right]);
    if (std::max(from, to) < places.plot.min.y || std::min(from, to) > places.plot.max.y) continue;
    const float x = places.x(merge.distance);
    const auto end_of = [&](std::size_t node) {
      return node < count ? places.plot.max.x : places.x(tree.merges[node - count].distance);
    };
    vertical_line(ui, x, std::min(from, to), std::max(from, to) + 1, node_color(ui, shown, count + k));
    horizontal_line(ui, x, end_of(merge.left), from, node_color(ui, shown, merge.left));
    horizontal_line(ui, x, end_of(merge.right), to, node_color(ui, shown, merge.right));
  }
}

void draw_leaves(Ui& ui, const CorpusShown& shown, const TreePlaces& places, const Rect& list, const Interaction& it) {
  const ShownTree& tree = *shown.tree;
  const HeadTree& answer = *tree.of->answer;
  const bool named = places.leaf >= ui.px(kNamedLeaf);
  const float x = places.plot.max.x;
  for (std::size_t k = 0; k < answer.order.size(); ++k) {
    const float top = places.top + static_cast<float>(k) * places.leaf;
    if (top + places.leaf < list.min.y || top > list.max.y) continue;
    const std::size_t head = answer.heads[answer.order[k]];
    const Rect place{{x, top}, {list.max.x, top + places.leaf}};
    const Rect whole{{list.min.x, top}, place.max};
    if (ui.probe != nullptr) ui.mark("corpus/leaf/" + shown.name_of(head), whole);
    const bool hovered = it.hovered && whole.contains(ImGui::GetIO().MousePos);
    if (hovered) ui.state.panels.get<CorpusPanelState>().next_hovered = head;
    const bool picked = head == shown.head, on = picked || hovered;
    if (on) fill(place, picked ? ui.colors.tint : ui.colors.hover);
    const Rect band{{list.max.x - ui.px(kNumber), top}, {list.max.x - ui.px(kNumber) + ui.px(4), place.max.y}};
    fill(band, cluster_color(shown, head));
    if (!named && !on) continue;
    const float middle = place.center().y;
    const Rect name{{x + ui.px(6), middle - ui.px(8)}, {x + ui.px(kLeafName), middle + ui.px(8)}};
    if (!named) fill(name, ui.colors.panel);
    text_in(ui, name, on ? Type::mono_bold11 : Type::mono11, on ? ui.colors.text : ui.colors.text2,
            shown.name_of(head));
    if (shown.chosen->is[head])
      fill({{x + ui.px(1), middle - ui.px(2)}, {x + ui.px(5), middle + ui.px(2)}}, ui.colors.accent);
  }
}

// The number of a cluster in the middle of its leaves, where they have room for it.
void draw_numbers(Ui& ui, const CorpusShown& shown, const TreePlaces& places, const Rect& list) {
  const ShownTree& tree = *shown.tree;
  const HeadTree& answer = *tree.of->answer;
  for (std::size_t begin = 0, end = 0; begin < answer.order.size(); begin = end) {
    const std::size_t cluster = tree.cluster[answer.order[begin]];
    while (end < answer.order.size() && tree.cluster[answer.order[end]] == cluster) ++end;
    const float top = std::max(list.min.y, places.y(static_cast<float>(begin)));
    const float bottom = std::min(list.max.y, places.y(static_cast<float>(end)));
    if (begin > 0)
      horizontal_line(ui, places.plot.max.x, list.max.x, places.y(static_cast<float>(begin)), ui.colors.line);
    if (bottom - top < ui.px(10)) continue;
    const float middle = (top + bottom) / 2;
    text_in(ui, {{list.max.x - ui.px(kNumber - 5), middle - ui.px(8)}, {list.max.x, middle + ui.px(8)}},
            Type::mono_bold11, ui.colors.text, std::to_string(cluster + 1), 0.5f);
  }
}

void draw_cut(Ui& ui, const ShownTree& tree, const TreePlaces& places, const Rect& axis) {
  const float x = std::clamp(places.x(tree.cut), places.plot.min.x, places.plot.max.x);
  const float thick = std::max(1.0f, ui.px(2));
  for (float y = places.plot.min.y; y < places.plot.max.y; y += ui.px(9)) {
    fill({{x - thick / 2, y}, {x + thick / 2, std::min(y + ui.px(5), places.plot.max.y)}}, ui.colors.accent);
  }
  fill({{x - ui.px(4), axis.min.y}, {x + ui.px(4), axis.min.y + ui.px(6)}}, ui.colors.accent, ui.px(2));
  const std::string words = fmt::format("cut {:.3f}", tree.cut);
  const float width = std::ceil(text_width(ui, Type::mono_bold11, words)) + ui.px(8);
  const float left = std::round(std::clamp(x - width / 2, axis.min.x, axis.max.x - width));
  const Rect label{{left, axis.max.y - ui.px(15)}, {left + width, axis.max.y}};
  text_in(ui, label, Type::mono_bold11, ui.colors.accent, words, 0.5f);
  ui.mark("corpus/" + words, label);
}

void draw_axis(Ui& ui, const TreePlaces& places, const Rect& axis) {
  horizontal_line(ui, places.plot.min.x, places.plot.max.x, axis.min.y, ui.colors.line);
  for (const double tick : places.axis.ticks) {
    if (tick > places.farthest) continue;
    const float x = places.x(tick);
    text_in(ui, {{x - ui.px(20), axis.min.y + ui.px(4)}, {x + ui.px(20), axis.min.y + ui.px(18)}}, Type::mono11,
            ui.colors.text2, tick_label(tick, places.farthest), 0.5f);
  }
}

void choose_cluster(Ui& ui, const CorpusShown& shown) {
  const std::int64_t cluster = shown.tree->of_head[shown.head];
  if (cluster < 0) return;
  std::vector<std::size_t> heads;
  for (std::size_t head = 0; head < shown.tree->of_head.size(); ++head) {
    if (shown.tree->of_head[head] == cluster) heads.push_back(head);
  }
  ui.session.view.corpus.find.clear();
  choose_heads(ui, shown, std::move(heads), false);
}

void read_tree_keys(Ui& ui, const CorpusShown& shown) {
  const HeadTree& tree = *shown.tree->of->answer;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    if (step->column != 0) {
      ui.session.view.corpus.cut = next_cut(tree, shown.tree->cut, step->column > 0);
      return;
    }
    std::int64_t at = -step->row;  // an unpicked head: the first
    for (std::size_t k = 0; k < tree.order.size(); ++k) {
      if (tree.heads[tree.order[k]] == shown.head) at = static_cast<std::int64_t>(k);
    }
    const std::int64_t to = std::clamp<std::int64_t>(at + step->row, 0, std::ssize(tree.order) - 1);
    pick_head(ui, shown, tree.heads[tree.order[static_cast<std::size_t>(to)]]);
  } else if (ui.take_key(KeyName::space)) {
    toggle_head(ui, shown, shown.head);
  } else if (ui.take_key(KeyName::enter)) {
    choose_cluster(ui, shown);
  }
}

void read_tree_mouse(Ui& ui, const CorpusShown& shown, const TreePlaces& places, const Interaction& tree,
                     const Interaction& axis) {
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool at_cut = std::fabs(mouse.x - places.x(shown.tree->cut)) <= ui.px(kGrip);
  if (ImGui::GetIO().MouseClicked[0] && ((tree.held && at_cut) || axis.held)) state.moves_cut = true;
  if (state.moves_cut) {
    if (tree.held || axis.held) {
      ui.session.view.corpus.cut = places.distance_at(mouse.x);
    } else {
      state.moves_cut = false;
    }
    return;
  }
  if (!tree.clicked || !tree.hovered) return;
  const HeadTree& answer = *shown.tree->of->answer;
  const auto at = static_cast<std::int64_t>(std::floor((mouse.y - places.top) / places.leaf));
  if (at >= 0 && at < std::ssize(answer.order)) {
    pick_head(ui, shown, answer.heads[answer.order[static_cast<std::size_t>(at)]]);
  }
}

void draw_tree(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const ShownTree& tree = *shown.tree;
  const auto count = static_cast<float>(tree.of->answer->order.size());
  Rect list{area.min, {area.max.x, area.max.y - ui.px(kAxis)}};
  if (list.height() < ui.px(40)) return;
  TreePlaces places;
  places.leaf = std::clamp(std::floor(list.height() / count), ui.px(kLowestLeaf), ui.px(kHighestLeaf));
  const float content = places.leaf * count;
  list.max.y = std::min(list.max.y, list.min.y + content);
  const Interaction it = interact_mouse(ui, kCorpusTree, list);
  const Rect axis{{area.min.x, list.max.y}, {area.max.x, list.max.y + ui.px(kAxis)}};
  const Interaction on_axis =
      interact_mouse(ui, "corpus/cut", axis,
                     {true, false, "Where the tree is cut: drag it, or press Left and Right in the tree."}, false);
  const ScrollArea scroll = begin_scroll(ui, kCorpusTree, list, content);
  const Rect rows{list.min, {list.max.x - (content > list.height() ? ui.px(10) : 0), list.max.y}};
  places.plot = {{rows.min.x + ui.px(8), rows.min.y}, {rows.max.x - ui.px(kLeafName + kNumber), rows.max.y}};
  places.top = list.min.y - scroll.offset;
  places.farthest = std::max(1e-9, tree.of->answer->merges.back().distance * 1.04);
  places.axis = plot_axis(0, places.farthest, std::max(3, static_cast<int>(places.plot.width() / ui.px(50))));
  draw_branches(ui, tree, places);
  draw_leaves(ui, shown, places, rows, it);
  draw_numbers(ui, shown, places, rows);
  end_scroll(ui);
  draw_axis(ui, places, axis);
  draw_cut(ui, tree, places, axis);
  read_tree_mouse(ui, shown, places, it, on_axis);
  if (it.focused) read_tree_keys(ui, shown);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(list, -ui.px(1)), ui.px(3));
}

void draw_tree_controls(Ui& ui, const CorpusShown& shown, Rect line) {
  CorpusView& view = ui.session.view.corpus;
  const std::vector<std::string> items = {"all heads", fmt::format("{} chosen", shown.chosen->heads.size()),
                                          fmt::format("layer {}", shown.table->heads[shown.head].layer)};
  int of = static_cast<int>(view.clusters_of);
  if (combo(ui, "corpus/clusters_of", take_left(line, ui.px(120), ui.px(8)), items, of,
            {{true, false, "Which heads the tree is made of."}, Type::words12})) {
    view.clusters_of = static_cast<ClustersOf>(of);
  }
  const std::string cluster = cluster_of(shown, shown.head);
  if (button(ui, "corpus/choose_cluster", take_left(line, ui.px(140), ui.px(8)),
             cluster.empty() ? "Choose cluster" : "Choose cluster " + cluster,
             {!cluster.empty(), false, "Chooses the heads of the picked head's cluster. Enter does the same."})) {
    choose_cluster(ui, shown);
  }
}

}  // namespace

void draw_corpus_tree(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(36)}};
  const std::string fact =
      shown.tree == nullptr ? ""
                            : fmt::format("{} of {} heads", shown.tree->clusters, shown.tree->of->answer->heads.size());
  panel_header(ui, header, "Clusters", fact);
  ui.mark("corpus/tree_fact: " + fact, header);
  Rect controls{{area.min.x + pad, header.max.y}, {area.max.x - pad, header.max.y + ui.px(size::control_height)}};
  draw_tree_controls(ui, shown, controls);
  Rect body{{controls.min.x, controls.max.y + ui.px(8)}, {controls.max.x, area.max.y - ui.px(6)}};
  if (shown.tree == nullptr) {
    const std::string words = shown.tree_problem.empty() ? "Comparing heads \u2026" : shown.tree_problem;
    ui.mark("corpus/tree_says: " + words, body);
    paragraph(ui, {body.min, {body.max.x, body.min.y}}, Type::words12, ui.colors.text2, words);
    return;
  }
  const std::string what =
      fmt::format("1 \u2212 cosine of {} standardised means, average linkage", shown.table->compared);
  text_in(ui, row(body, body.min.y, ui.px(18)), Type::words11, ui.colors.text3, what);
  draw_tree(ui, shown, body);
}

}  // namespace headscope::ui
