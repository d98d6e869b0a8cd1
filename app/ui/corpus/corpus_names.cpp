// The names of heads beside their points: of as many as fit, the picked one and the chosen ones first.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/plot_names.h"

namespace headscope::ui {
namespace {

constexpr float kMark = 5, kAway = 9, kHalfLine = 8, kBeside = 4;  // pixels at 1x: half a disc, to a name, of a name

// The picked head, then the chosen ones where they are few.
std::vector<std::size_t> named_first(const CorpusShown& shown) {
  std::vector<std::size_t> heads = {shown.head};
  if (shown.chosen->heads.size() >= kMarksInTheWay) return heads;
  for (const std::size_t head : shown.chosen->heads) {
    if (head != shown.head) heads.push_back(head);
  }
  return heads;
}

// The heads whose points are looked at, those to be named first before all others. Beside the points of a tree stand
// the numbers of clusters: no others are named then.
std::vector<std::size_t> looked_at(const CorpusShown& shown, const std::vector<std::size_t>& first) {
  std::vector<std::size_t> heads = first;
  const std::size_t all = shown.table->heads.size();
  if (all > kMarksInTheWay || shown.tree != nullptr) return heads;
  std::vector<bool> has(all);
  for (const std::size_t head : heads) has[head] = true;
  for (std::size_t head = 0; head < all; ++head) {
    if (!has[head]) heads.push_back(head);
  }
  return heads;
}

std::vector<PointNames::Name> placed(Ui& ui, const CorpusShown& shown, const CorpusPlot& made, const Rect& plot) {
  const std::vector<std::size_t> wanted = named_first(shown), all = looked_at(shown, wanted);
  std::vector<std::size_t> heads, first;  // of the points; the points of `wanted`
  std::vector<NamedMark> points;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto at = head_place(shown, made, {{0, 0}, {plot.width(), plot.height()}}, all[k]);
    if (!at) continue;
    if (k < wanted.size()) first.push_back(points.size());
    const float width = std::ceil(text_width(ui, Type::mono_bold11, shown.name_of(all[k]))) + 2 * ui.px(kBeside);
    points.push_back({at->x, at->y, width});
    heads.push_back(all[k]);
  }
  const PointPlane frame{0, 0, plot.width(), plot.height()};
  std::vector<PointNames::Name> names;
  for (const PlotName& name : plot_names(points, first, frame, {ui.px(kMark), ui.px(kAway), ui.px(kHalfLine)})) {
    names.push_back({heads[name.point], name.point < first.size(), static_cast<float>(name.place.left),
                     static_cast<float>(name.place.middle), static_cast<float>(points[name.point].width)});
  }
  return names;
}

// Placed once for what they depend on; coordinates are from the corner of the plane.
const PointNames& known_names(Ui& ui, const CorpusShown& shown, const CorpusPlot& made, const Rect& plot) {
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  PointNames& known = state.names;
  const bool tree = shown.tree != nullptr;
  if (known.table == shown.table && known.x == made.x && known.y == made.y && known.width == plot.width() &&
      known.height == plot.height() && known.pixel == ui.px(1) && known.head == shown.head && known.tree == tree &&
      known.chosen == shown.chosen->heads) {
    return known;
  }
  known = {shown.table, made.x,     made.y, plot.width(),        plot.height(),
           ui.px(1),    shown.head, tree,   shown.chosen->heads, placed(ui, shown, made, plot)};
  ++state.names_made;
  return known;
}

void draw_name(Ui& ui, const std::string& name, const Rect& box, bool marked, Rgba ink) {
  if (marked) fill(box, ui.colors.panel, ui.px(size::radius_inner));
  text_in(ui, box, marked ? Type::mono_bold11 : Type::mono11, ink, name, 0.5f);
  if (ui.probe != nullptr) ui.mark("corpus/name/" + name, box);
}

// At its right, or at its left where the plane ends, over whatever lies there.
void draw_hovered(Ui& ui, const CorpusShown& shown, std::size_t head, ImVec2 at, const Rect& plot) {
  const std::string name = shown.name_of(head);
  const float width = std::ceil(text_width(ui, Type::mono_bold11, name)) + 2 * ui.px(kBeside);
  const bool left = at.x + ui.px(kAway) + width > plot.max.x;
  const float x = std::round(left ? at.x - ui.px(kAway) - width : at.x + ui.px(kAway));
  const float top = std::round(std::clamp(at.y - ui.px(kHalfLine), plot.min.y, plot.max.y - 2 * ui.px(kHalfLine)));
  draw_name(ui, name, {{x, top}, {x + width, top + 2 * ui.px(kHalfLine)}}, true, ui.colors.text2);
}

}  // namespace

std::optional<ImVec2> head_place(const CorpusShown& shown, const CorpusPlot& made, const Rect& plot, std::size_t head) {
  const HeadTable& table = *shown.table;
  const double x = table.mean(shown_mean(table, made.x), head), y = table.mean(shown_mean(table, made.y), head);
  if (!std::isfinite(x) || !std::isfinite(y)) return std::nullopt;
  return ImVec2{plot.min.x + static_cast<float>(made.x_axis.share(x)) * plot.width(),
                plot.max.y - static_cast<float>(made.y_axis.share(y)) * plot.height()};
}

void draw_point_names(Ui& ui, const CorpusShown& shown, const CorpusPlot& made, const Rect& plot) {
  const std::optional<std::size_t>& hovered = ui.state.panels.get<CorpusPanelState>().hovered;
  bool has_hovered = !hovered || *hovered == shown.head;
  for (const PointNames::Name& name : known_names(ui, shown, made, plot).names) {
    const float x = std::round(plot.min.x + name.x), top = std::round(plot.min.y + name.middle - ui.px(kHalfLine));
    const Rect box{{x, top}, {x + name.width, top + 2 * ui.px(kHalfLine)}};
    const bool strong = name.head == shown.head || (hovered && *hovered == name.head);
    draw_name(ui, shown.name_of(name.head), box, name.marked || strong, strong ? ui.colors.text : ui.colors.text2);
    has_hovered = has_hovered || *hovered == name.head;
  }
  if (has_hovered) return;
  if (const auto at = head_place(shown, made, plot, *hovered)) draw_hovered(ui, shown, *hovered, *at, plot);
}

}  // namespace headscope::ui
