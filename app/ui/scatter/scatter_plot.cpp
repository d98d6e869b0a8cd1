// The plane: axes, squares of queries and triangles of keys, their names, and the pair that is looked at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/scatter/scatter_panel.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 52, kBelow = 38, kNear = 12;
constexpr std::size_t kMany = 1'000;   // marks from which they are small
constexpr std::size_t kChunk = 4'096;  // marks that are reserved together: 16-bit indices have no more room

std::string axis_text(const QueryKeyScatter& scatter, std::size_t k) {
  return fmt::format("component {}: {:.1f} % of the variance \u2192", k + 1, 100 * scatter.share[k]);
}

void draw_plane_axes(Ui& ui, const ScatterShown& shown, const ScatterLayout& made, const Rect& plot, const Rect& area) {
  fill(plot, ui.colors.well);
  for (const ScatterLayout::Tick& tick : made.across) {
    const float x = std::round(plot.min.x + tick.at);
    vertical_line(ui, std::min(x, plot.max.x - 1), plot.min.y, plot.max.y, ui.colors.line);
    text_in(ui, {{x - ui.px(34), plot.max.y + ui.px(2)}, {x + ui.px(34), plot.max.y + ui.px(17)}}, Type::mono11,
            ui.colors.text2, tick.words, 0.5f);
  }
  for (const ScatterLayout::Tick& tick : made.upwards) {
    const float y = std::round(plot.min.y + tick.at);
    horizontal_line(ui, plot.min.x, plot.max.x, std::min(y, plot.max.y - 1), ui.colors.line);
    text_in(ui, {{area.min.x + ui.px(16), y - ui.px(8)}, {plot.min.x - ui.px(6), y + ui.px(8)}}, Type::mono11,
            ui.colors.text2, tick.words, 1);
  }
  text_in(ui, {{plot.min.x, plot.max.y + ui.px(18)}, {plot.max.x, plot.max.y + ui.px(36)}}, Type::words11,
          ui.colors.text2, axis_text(shown.scatter(), 0), 1);
  const std::string up = axis_text(shown.scatter(), 1);
  const float length = text_width(ui, Type::words11, up);
  if (length <= plot.height()) text_up(ui, {area.min.x, plot.min.y + length}, Type::words11, ui.colors.text2, up);
}

// A query is a square, a key a triangle, so that the two differ without their colours.
void draw_kind(Ui& ui, const std::vector<ScatterLayout::Mark>& marks, ImVec2 corner, bool query) {
  const bool many = marks.size() > kMany;
  const float side = std::max(2.0f, query ? ui.px(many ? 3 : 7) : ui.px(many ? 4 : 9)), half = side / 2;
  const ImU32 ink = color32(query ? ui.colors.query : ui.colors.key);
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  const int corners = query ? 4 : 3, indices = query ? 6 : 3;
  ImDrawList& list = canvas();
  for (std::size_t begin = 0; begin < marks.size(); begin += kChunk) {
    const auto first = marks.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = marks.begin() + static_cast<std::ptrdiff_t>(std::min(marks.size(), begin + kChunk));
    const int count =
        static_cast<int>(std::count_if(first, last, [&](const auto& mark) { return mark.query == query; }));
    list.PrimReserve(count * indices, count * corners);
    for (auto mark = first; mark != last; ++mark) {
      if (mark->query != query) continue;
      const ImVec2 at{std::round(corner.x + mark->x - half), std::round(corner.y + mark->y - half)};
      if (query) {
        list.PrimRect(at, {at.x + side, at.y + side}, ink);
      } else {
        list.PrimVtx(at, white, ink);
        list.PrimVtx({at.x + side, at.y}, white, ink);
        list.PrimVtx({at.x, at.y + side}, white, ink);
      }
    }
  }
}

// Those of the pair stand in boxes of their own.
void draw_names(Ui& ui, const ScatterShown& shown, const ScatterLayout& made, ImVec2 corner) {
  const ScatterPair pair = shown.current ? shown.pair() : ScatterPair{};
  for (const ScatterLayout::Name& name : made.names) {
    if (name.index == (name.query ? pair.query : pair.key)) continue;
    text(ui, {std::round(corner.x + name.left), text_top(ui, Type::mono11, corner.y + name.middle)}, Type::mono11,
         name.query ? ui.colors.query : ui.colors.key, name.words);
  }
}

// Where a point lies; nullopt: it is not finite, or its kind is switched off.
std::optional<ImVec2> place_of_point(Ui& ui, const ScatterShown& shown, const ScatterLayout& made, const Rect& plot,
                                     bool query, std::int64_t index) {
  const ScatterView& view = ui.session.view.scatter;
  const std::vector<ScatterPoint>& points = query ? shown.scatter().queries : shown.scatter().keys;
  if (!(query ? view.queries : view.keys) || index < 0 || index >= std::ssize(points)) return std::nullopt;
  const ScatterPoint& point = points[static_cast<std::size_t>(index)];
  if (std::isnan(point.x)) return std::nullopt;
  return ImVec2{plot.min.x + static_cast<float>(made.plane.at_x(point.x)),
                plot.min.y + static_cast<float>(made.plane.at_y(point.y))};
}

// Where the two points of a pair lie; nullopt: nowhere.
struct PointPair {
  std::optional<ImVec2> query, key;
};

// The name in a box beside a point, at its left where the pair's other point lies at the right.
void draw_point_name(Ui& ui, const ScatterShown& shown, bool query, std::int64_t index, const PointPair& points,
                     const Rect& plot) {
  const ImVec2 at = query ? *points.query : *points.key;
  const std::optional<ImVec2>& other = query ? points.key : points.query;
  const std::string token = token_or_index(shown.data.rows(query ? StageId::query : StageId::key), index);
  const std::string name = fmt::format("{} {}", shortened_to(ui, Type::mono_bold11, token, ui.px(140)), index);
  const float width = std::ceil(text_width(ui, Type::mono_bold11, name)) + ui.px(8), reach = ui.px(11) + width;
  const bool left = at.x + reach > plot.max.x || (other && other->x > at.x && at.x - reach >= plot.min.x);
  const float x = std::round(left ? at.x - reach : at.x + ui.px(11));
  const float top = std::round(std::clamp(at.y - ui.px(8), plot.min.y, plot.max.y - ui.px(16)));
  const Rect box{{x, top}, {x + width, top + ui.px(16)}};
  fill(box, ui.colors.panel, ui.px(size::radius_inner));
  text_in(ui, box, Type::mono_bold11, query ? ui.colors.query : ui.colors.key, name, 0.5f);
}

void draw_line_between(Ui& ui, ImVec2 from, ImVec2 to) {
  canvas().AddLine(from, to, color32(ui.colors.well), std::max(3.0f, ui.px(4)));
  canvas().AddLine(from, to, color32(ui.colors.text2), std::max(1.0f, ui.px(1.5f)));
}

// The picked cell's two points, those under the mouse, and a line between the two that the readout is about.
void draw_pair_marks(Ui& ui, const ScatterShown& shown, const ScatterLayout& made, const Rect& plot) {
  const auto place = [&](bool query, std::int64_t index) {
    return place_of_point(ui, shown, made, plot, query, index);
  };
  const ScatterPair pair = shown.pair();
  const PointPair points{place(true, pair.query), place(false, pair.key)};
  const std::optional<ImVec2>&from = points.query, &to = points.key;
  if (from && to) {
    draw_line_between(ui, *from, *to);
    ui.mark("scatter/line", {{std::min(from->x, to->x), std::min(from->y, to->y)},
                             {std::max(from->x, to->x), std::max(from->y, to->y)}});
  }
  for (const bool query : {true, false}) {
    const std::int64_t picked = query ? shown.picked.query : shown.picked.key;
    const std::int64_t hovered = query ? shown.hovered.query : shown.hovered.key;
    if (const auto at = place(query, picked)) {
      canvas().AddCircle(*at, ui.px(8), color32({0, 0, 0, 255}), 20, ui.px(4));
      canvas().AddCircle(*at, ui.px(8), color32({255, 255, 255, 255}), 20, ui.px(2));
      ui.mark(query ? "scatter/picked/query" : "scatter/picked/key", {*at, {at->x + 1, at->y + 1}});
    }
    if (const auto at = place(query, hovered)) {
      canvas().AddCircle(*at, ui.px(7), color32(query ? ui.colors.query : ui.colors.key), 20,
                         std::max(1.0f, ui.px(1.5f)));
      ui.mark(query ? "scatter/hovered/query" : "scatter/hovered/key", {*at, {at->x + 1, at->y + 1}});
    }
  }
  if (from) draw_point_name(ui, shown, true, pair.query, points, plot);
  if (to) draw_point_name(ui, shown, false, pair.key, points, plot);
}

// The mark nearest to the mouse, of equally near ones the last, which lies on top; null: none is near.
const ScatterLayout::Mark* mark_under(Ui& ui, const ScatterLayout& made, const Rect& plot) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ScatterLayout::Mark* nearest = nullptr;
  float best = ui.px(kNear) * ui.px(kNear);
  for (const ScatterLayout::Mark& mark : made.marks) {
    const float dx = plot.min.x + mark.x - mouse.x, dy = plot.min.y + mark.y - mouse.y;
    if (dx * dx + dy * dy > best) continue;
    best = dx * dx + dy * dy;
    nearest = &mark;
  }
  return nearest;
}

// Left and right: the key; up and down: the query.
void read_plot_arrows(Ui& ui, const ScatterShown& shown) {
  const std::optional<Cell> step = take_arrow(ui);
  if (!step) return;
  const Trace& trace = shown.data.trace();
  if (!shown.picked.whole()) return pick_scatter_point(ui, shown, true, trace.query_len() - 1);
  if (step->row != 0) {
    const std::int64_t query = shown.picked.query + step->row;
    pick_scatter_point(ui, shown, true, std::clamp<std::int64_t>(query, 0, trace.query_len() - 1));
  } else {
    const std::int64_t key = shown.picked.key + step->column;
    pick_scatter_point(ui, shown, false, std::clamp<std::int64_t>(key, 0, trace.key_len() - 1));
  }
}

}  // namespace

void draw_scatter_plot(Ui& ui, const ScatterShown& shown, const Rect& area) {
  const Rect plot{{std::round(area.min.x + ui.px(kGutter)), std::round(area.min.y + ui.px(4))},
                  {std::round(area.max.x), std::round(area.max.y - ui.px(kBelow))}};
  if (plot.width() < ui.px(60) || plot.height() < ui.px(40)) return;
  const ScatterLayout& made = scatter_layout(ui, shown, plot.width(), plot.height());
  draw_plane_axes(ui, shown, made, plot, area);
  const Interaction it = interact_mouse(ui, kScatterPlot, plot);
  canvas().PushClipRect(plot.min, plot.max, true);
  for (const bool query : {true, false}) draw_kind(ui, made.marks, plot.min, query);
  draw_names(ui, shown, made, plot.min);
  if (shown.current) draw_pair_marks(ui, shown, made, plot);
  canvas().PopClipRect();
  if (shown.current && it.hovered) {
    if (const ScatterLayout::Mark* const mark = mark_under(ui, made, plot)) {
      (mark->query ? ui.state.next_hover.query : ui.state.next_hover.key) = mark->index;
      if (it.clicked) pick_scatter_point(ui, shown, mark->query, mark->index);
    }
  }
  if (shown.current && it.focused) read_plot_arrows(ui, shown);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(plot, -ui.px(2)), ui.px(3));
}

}  // namespace headscope::ui
