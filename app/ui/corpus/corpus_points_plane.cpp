// The plane of the points of the picked head: its axes, its discs, and what mouse and keys do in it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/panel_data.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/color_map.h"

namespace headscope::ui {
namespace {

constexpr float kNear = 10;

// What plot_points() makes an entry of the colour table of: the place of the token, or the position.
std::vector<double> color_values(const CorpusShown& shown, const PointTokens& tokens, PointColor color) {
  std::vector<double> values;
  for (std::size_t k = 0; k < shown.record->points.size(); ++k) {
    const std::int64_t token = tokens.of[k];
    if (color == PointColor::position) {
      values.push_back(static_cast<double>(shown.record->points[k].position));
    } else {
      values.push_back(token < 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(token));
    }
  }
  return values;
}

PlotAxis axis_over(std::span<const double> values, float room) {
  if (values.empty()) return plot_axis(0, 0, 3);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return plot_axis(*low, *high, std::max(3, static_cast<int>(room)));
}

std::vector<std::size_t> order_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

const PointsPlot& laid_out_points(Ui& ui, const CorpusShown& shown, const Rect& plot) {
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  PointsPlot& made = state.points_plot;
  PointsView look = ui.session.view.corpus.points;
  look.point = 0;
  if (made.of == shown.points && made.look == look && made.width == plot.width() && made.height == plot.height()) {
    return made;
  }
  const HeadPoints& points = *shown.points->answer;
  const auto x = points.on(static_cast<std::size_t>(look.x)), y = points.on(static_cast<std::size_t>(look.y));
  const PointTokens& tokens = point_tokens(ui, shown);
  const std::vector<double> colors = color_values(shown, tokens, look.color);
  const bool by_position = look.color == PointColor::position;
  const double high = by_position ? static_cast<double>(std::max<std::int64_t>(1, tokens.last_position)) : 255;
  made = {shown.points, look, plot.width(), plot.height(), {}, {}, {}, order_of(x), order_of(y)};
  made.x_axis = axis_over(x, plot.width() / ui.px(60));
  made.y_axis = axis_over(y, plot.height() / ui.px(45));
  made.points = plot_points({x, y, colors, made.x_axis, made.y_axis, 0, high, static_cast<double>(plot.width()),
                             static_cast<double>(plot.height())});
  ++state.points_laid_out;
  return made;
}

// Of any point, also of one that another covers.
ImVec2 place_of_point(const CorpusShown& shown, const PointsPlot& made, const Rect& plot, std::size_t point) {
  const HeadPoints& points = *shown.points->answer;
  const double x = points.on(static_cast<std::size_t>(made.look.x))[point];
  const double y = points.on(static_cast<std::size_t>(made.look.y))[point];
  return {plot.min.x + static_cast<float>(made.x_axis.share(x)) * plot.width(),
          plot.max.y - static_cast<float>(made.y_axis.share(y)) * plot.height()};
}

void draw_point_axes(Ui& ui, const CorpusShown& shown, const PointsPlot& made, const Rect& plot, float left) {
  const auto title = [&](std::int64_t axis) {
    return axis_title(*shown.points->answer, static_cast<std::size_t>(axis)) + " \u2192";
  };
  const std::string x_title = title(made.look.x);
  draw_plane_axes(ui, {made.x_axis, made.y_axis, x_title, title(made.look.y), left, 12, 4}, plot);
  ui.mark("corpus/points_x: " + x_title, {{plot.min.x, plot.max.y + ui.px(18)}, {plot.max.x, plot.max.y + ui.px(36)}});
}

Rgba ink_of_point(Ui& ui, const PlotPoint& point, PointColor color) {
  if (point.shade < 0) return ui.colors.text3;
  if (color == PointColor::token) return head_color(point.shade);
  return color_table(color_map_of(ui, true))[static_cast<std::size_t>(point.shade)];
}

void draw_point_discs(Ui& ui, const PointsPlot& made, const Rect& plot) {
  for (const bool colored : {false, true}) {  // the grey ones lie below
    for (const PlotPoint& point : made.points.points) {
      if ((point.shade >= 0) != colored) continue;
      const ImVec2 at{plot.min.x + point.x, plot.min.y + point.y};
      canvas().AddCircleFilled(at, ui.px(4), color32(ui.colors.well), 10);
      canvas().AddCircleFilled(at, ui.px(3), color32(ink_of_point(ui, point, made.look.color)), 10);
    }
  }
}

void draw_picked_point(Ui& ui, const CorpusShown& shown, const PointsPlot& made, const Rect& plot) {
  const ImVec2 at = place_of_point(shown, made, plot, shown.point);
  canvas().AddCircle(at, ui.px(7), color32({0, 0, 0, 255}), 20, ui.px(4));
  canvas().AddCircle(at, ui.px(7), color32({255, 255, 255, 255}), 20, ui.px(2));
  const std::string name = shortened_to(ui, Type::mono_bold11, point_name(shown, shown.point), ui.px(90));
  const float width = std::ceil(text_width(ui, Type::mono_bold11, name)) + ui.px(8);
  const float x = at.x + ui.px(10) + width > plot.max.x ? at.x - ui.px(10) - width : at.x + ui.px(10);
  const float top = std::clamp(at.y - ui.px(8), plot.min.y, std::max(plot.min.y, plot.max.y - ui.px(16)));
  const Rect box{{std::round(x), std::round(top)}, {std::round(x) + width, std::round(top) + ui.px(16)}};
  fill(box, ui.colors.panel, ui.px(size::radius_inner));
  text_in(ui, box, Type::mono_bold11, ui.colors.text, name, 0.5f);
  const auto& hovered = ui.state.panels.get<CorpusPanelState>().hovered_point;
  if (!hovered || *hovered == shown.point) return;
  canvas().AddCircle(place_of_point(shown, made, plot, *hovered), ui.px(6), color32(ui.colors.text), 20,
                     std::max(1.0f, ui.px(1.5f)));
}

void pick_point(Ui& ui, std::size_t point) {
  ui.session.view.corpus.points.point = static_cast<std::int64_t>(point);
  ui.state.wants_frame = true;
}

// The next point in an order, so many steps from the picked one.
std::size_t beside_point(const std::vector<std::size_t>& order, std::size_t point, std::int64_t steps) {
  const auto at = std::find(order.begin(), order.end(), point) - order.begin();
  const auto last = static_cast<std::int64_t>(order.size()) - 1;
  return order[static_cast<std::size_t>(std::clamp<std::int64_t>(at + steps, 0, last))];
}

void read_point_keys(Ui& ui, const CorpusShown& shown, const PointsPlot& made) {
  if (const std::optional<Cell> step = take_arrow(ui)) {
    pick_point(ui, step->column != 0 ? beside_point(made.by_x, shown.point, step->column)
                                     : beside_point(made.by_y, shown.point, -step->row));
  } else if (ui.take_key(KeyName::home)) {
    pick_point(ui, made.by_x.front());
  } else if (ui.take_key(KeyName::end)) {
    pick_point(ui, made.by_x.back());
  } else if (ui.take_key(KeyName::enter)) {
    open_point(ui, shown, shown.point);
  }
}

}  // namespace

std::string point_name(const CorpusShown& shown, std::size_t point) {
  return visible_piece(shown.record->points[point].text);
}

const PointTokens& point_tokens(Ui& ui, const CorpusShown& shown) {
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  PointTokens& known = state.point_tokens;
  if (known.record == shown.record) return known;
  known = {shown.record, frequent_tokens(*shown.record, kColoredTokens), {}, 0};
  known.of = token_of_points(*shown.record, known.tokens);
  state.point_words.clear();
  for (const PointPlace& place : shown.record->points) {
    known.last_position = std::max(known.last_position, place.position);
    state.point_words += place.text;
  }
  return known;
}

void draw_points_plane(Ui& ui, const CorpusShown& shown, const Rect& plot, float left) {
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  const PointsPlot& made = laid_out_points(ui, shown, plot);
  draw_point_axes(ui, shown, made, plot, left);
  const Interaction it = interact_mouse(ui, kCorpusPoints, plot);
  std::optional<std::uint32_t> near;
  if (it.hovered) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    near = nearest_point(made.points, mouse.x - plot.min.x, mouse.y - plot.min.y, ui.px(kNear));
  }
  const auto hovered = near ? std::optional<std::size_t>(*near) : std::nullopt;
  if (state.hovered_point != hovered) ui.state.wants_frame = true;
  state.hovered_point = hovered;
  canvas().PushClipRect(plot.min, plot.max, true);
  draw_point_discs(ui, made, plot);
  draw_picked_point(ui, shown, made, plot);
  canvas().PopClipRect();
  if (it.clicked && near) pick_point(ui, *near);
  if (it.double_clicked && near) open_point(ui, shown, *near);
  if (it.focused) read_point_keys(ui, shown, made);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(plot, -ui.px(2)), ui.px(3));
}

}  // namespace headscope::ui
