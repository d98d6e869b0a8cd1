// All heads as points of a plane: two metrics on the axes, a third as colour.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/panel_data.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/picture/color_map.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 52, kBelow = 38, kBar = 62, kReadout = 26, kControls = 32, kNear = 12;
constexpr std::size_t kMostNumbers = 200;  // of clusters beside points
constexpr std::size_t kMostDiscs = 1'500;  // more points are squares: four corners each
constexpr int kChunk = 4'096;              // squares that are reserved together: 16-bit indices have no more room

const std::array<Rgba, 256>& colors_of(Ui& ui) {
  return color_table(color_map_of(ui, true));
}

const CorpusPlot& laid_out(Ui& ui, const CorpusShown& shown, const Rect& plot) {
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  const CorpusView& view = ui.session.view.corpus;
  CorpusPlot& made = state.plot;
  if (made.table == shown.table && made.x == view.x && made.y == view.y && made.color == view.color &&
      made.width == plot.width() && made.height == plot.height()) {
    return made;
  }
  const HeadTable& table = *shown.table;
  const auto range = [&](const std::string& key) { return table.ranges[shown_mean(table, key)]; };
  made = {shown.table, view.x, view.y, view.color, plot.width(), plot.height(), {}, {}, {}};
  made.x_axis =
      plot_axis(range(view.x).low, range(view.x).high, std::max(3, static_cast<int>(plot.width() / ui.px(70))));
  made.y_axis =
      plot_axis(range(view.y).low, range(view.y).high, std::max(3, static_cast<int>(plot.height() / ui.px(45))));
  made.points =
      plot_points({table.of(shown_mean(table, view.x)), table.of(shown_mean(table, view.y)),
                   table.of(shown_mean(table, view.color)), made.x_axis, made.y_axis, range(view.color).low,
                   range(view.color).high, static_cast<double>(plot.width()), static_cast<double>(plot.height())});
  ++state.plots_made;
  return made;
}

std::string axis_words(const HeadTable& table, const std::string& key) {
  return mean_title(table.keys[shown_mean(table, key)]);
}

// Under the squares of the chosen heads.
void draw_chosen_squares(Ui& ui, const ChosenHeads& chosen, const CorpusPlot& made, const Rect& plot) {
  if (chosen.heads.empty()) return;
  const float half = std::max(3.0f, ui.px(3.5f));
  std::vector<ImVec2> places;
  for (const PlotPoint& point : made.points.points) {
    if (chosen.is[point.index]) places.push_back({std::round(plot.min.x + point.x), std::round(plot.min.y + point.y)});
  }
  const ImU32 ink = color32(ui.colors.accent);
  for (std::size_t begin = 0; begin < places.size(); begin += kChunk) {
    const std::size_t end = std::min(places.size(), begin + kChunk);
    canvas().PrimReserve(static_cast<int>(end - begin) * 6, static_cast<int>(end - begin) * 4);
    for (std::size_t k = begin; k < end; ++k) {
      canvas().PrimRect({places[k].x - half, places[k].y - half}, {places[k].x + half, places[k].y + half}, ink);
    }
  }
}

void draw_squares(Ui& ui, const CorpusPlot& made, const Rect& plot) {
  const std::array<Rgba, 256>& colors = colors_of(ui);
  const float half = std::max(1.0f, ui.px(made.points.points.size() > 10'000 ? 1.5f : 2));
  const std::vector<PlotPoint>& points = made.points.points;
  ImDrawList& list = canvas();
  for (std::size_t begin = 0; begin < points.size(); begin += kChunk) {
    const std::size_t end = std::min(points.size(), begin + kChunk);
    list.PrimReserve(static_cast<int>(end - begin) * 6, static_cast<int>(end - begin) * 4);
    for (std::size_t k = begin; k < end; ++k) {
      const PlotPoint& point = points[k];
      const ImVec2 at{std::round(plot.min.x + point.x), std::round(plot.min.y + point.y)};
      const Rgba ink = point.shade < 0 ? ui.colors.text3 : colors[static_cast<std::size_t>(point.shade)];
      list.PrimRect({at.x - half, at.y - half}, {at.x + half, at.y + half}, color32(ink));
    }
  }
}

void draw_discs(Ui& ui, const CorpusPlot& made, const Rect& plot) {
  const std::array<Rgba, 256>& colors = colors_of(ui);
  for (const PlotPoint& point : made.points.points) {
    const ImVec2 at{plot.min.x + point.x, plot.min.y + point.y};
    const Rgba ink = point.shade < 0 ? ui.colors.text3 : colors[static_cast<std::size_t>(point.shade)];
    canvas().AddCircleFilled(at, ui.px(5), color32(ui.colors.well), 12);
    canvas().AddCircleFilled(at, ui.px(4), color32(ink), 12);
    canvas().AddCircle(at, ui.px(4), color32(ui.colors.text3), 12, std::max(1.0f, ui.px(1)));
  }
}

// A ring around every chosen head where there are few points.
void draw_chosen(Ui& ui, const CorpusShown& shown, const CorpusPlot& made, const Rect& plot) {
  const std::vector<std::size_t>& heads = shown.chosen->heads;
  if (made.points.points.size() > kMostDiscs) return;
  for (const std::size_t head : heads) {
    const auto at = head_place(shown, made, plot, head);
    if (!at) continue;
    canvas().AddCircle(*at, ui.px(6.5f), color32(ui.colors.accent), 16, std::max(1.0f, ui.px(2.5f)));
  }
}

// The heads of the tree in the colours of their clusters, with the clusters' numbers where there are few.
void draw_cluster_marks(Ui& ui, const CorpusShown& shown, const CorpusPlot& made, const Rect& plot) {
  if (shown.tree == nullptr) return;
  const std::vector<std::size_t>& heads = shown.tree->of->answer->heads;
  for (const std::size_t head : heads) {
    const auto at = head_place(shown, made, plot, head);
    if (!at) continue;
    const float half = ui.px(5);
    outline(ui, {{at->x - half, at->y - half}, {at->x + half, at->y + half}}, cluster_color(shown, head), 2);
    if (heads.size() > kMostNumbers) continue;
    text_in(ui, {{at->x - ui.px(26), at->y - ui.px(8)}, {at->x - ui.px(10), at->y + ui.px(8)}}, Type::mono10,
            ui.colors.text2, cluster_of(shown, head), 1);
  }
}

void draw_marks(Ui& ui, const CorpusShown& shown, const CorpusPlot& made, const Rect& plot) {
  const float thick = std::max(1.0f, ui.px(1.5f));
  if (shown.among != nullptr && shown.tree == nullptr) {
    for (const SimilarHead& alike : shown.among->answer->alike) {
      const auto at = head_place(shown, made, plot, alike.head);
      if (at) canvas().AddCircle(*at, ui.px(9), color32(ui.colors.text2), 16, std::max(1.0f, ui.px(1)));
    }
  }
  draw_cluster_marks(ui, shown, made, plot);
  draw_chosen(ui, shown, made, plot);
  if (const auto at = head_place(shown, made, plot, shown.head)) {
    canvas().AddCircle(*at, ui.px(8), color32({0, 0, 0, 255}), 20, ui.px(4));
    canvas().AddCircle(*at, ui.px(8), color32({255, 255, 255, 255}), 20, ui.px(2));
  }
  const std::optional<std::size_t>& hovered = ui.state.panels.get<CorpusPanelState>().hovered;
  if (!hovered || *hovered == shown.head) return;
  if (const auto at = head_place(shown, made, plot, *hovered)) {
    canvas().AddCircle(*at, ui.px(7), color32(ui.colors.text), 20, thick);
  }
}

void draw_readout(Ui& ui, const CorpusShown& shown, const Rect& area) {
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  const std::size_t head = state.hovered.value_or(shown.head);
  const CorpusView& view = ui.session.view.corpus;
  fill(area, ui.colors.well, ui.px(size::radius_control));
  outline(ui, area, ui.colors.line, 1, ui.px(size::radius_control));
  std::string words;
  for (const std::string* key : {&view.x, &view.y, &view.color}) {
    const std::size_t mean = shown_mean(*shown.table, *key);
    const std::string& name = shown.table->keys[mean];
    const std::string unit = mean_unit(name);
    words += fmt::format("{}{} {}{}", words.empty() ? "" : "   ", mean_words(name),
                         mean_text(shown.table->mean(mean, head)), unit.empty() ? "" : " " + unit);
  }
  Rect line = inset(area, ui.px(6));
  text_in(ui, take_left(line, ui.px(44), ui.px(6)), Type::mono_bold12, ui.colors.text, shown.name_of(head));
  const std::string number = cluster_of(shown, head), cluster = number.empty() ? "" : "cluster " + number;
  const float width = std::ceil(text_width(ui, Type::mono11, cluster)) + 1;
  text_in(ui, take_left(line, width, ui.px(8)), Type::mono11, ui.colors.text, cluster);
  text_in(ui, line, Type::mono11, ui.colors.text2, words, 1);
  if (!cluster.empty()) words += "   " + cluster;
  ui.mark("corpus/readout: " + shown.name_of(head) + " " + words, area);
}

void draw_controls(Ui& ui, const HeadTable& table, Rect line) {
  CorpusView& view = ui.session.view.corpus;
  const float width = std::min(ui.px(132), std::floor((line.width() - ui.px(126)) / 3));
  const auto control = [&](const char* label, const char* name, std::string& key, const char* tooltip) {
    text_in(ui, take_left(line, std::ceil(text_width(ui, Type::words12, label)) + 1, ui.px(6)), Type::words12,
            ui.colors.text2, label);
    mean_combo(ui, table, name, take_left(line, width, ui.px(8)), key, tooltip);
  };
  control("x", "corpus/x", view.x, "What grows to the right: the head's mean over all rows that have it.");
  control("y", "corpus/y", view.y, "What grows upwards.");
  control("colour", "corpus/color", view.color, "What the colour of a point says.");
}

}  // namespace

void draw_plane_axes(Ui& ui, const PlaneAxes& axes, const Rect& plot) {
  fill(plot, ui.colors.well);
  for (const double tick : axes.x.ticks) {
    const float x = std::round(plot.min.x + static_cast<float>(axes.x.share(tick)) * plot.width());
    vertical_line(ui, std::min(x, plot.max.x - 1), plot.min.y, plot.max.y, ui.colors.line);
    text_in(ui, {{x - ui.px(30), plot.max.y + ui.px(2)}, {x + ui.px(30), plot.max.y + ui.px(17)}}, Type::mono11,
            ui.colors.text2, tick_label(tick, axes.x.high - axes.x.low), 0.5f);
  }
  for (const double tick : axes.y.ticks) {
    const float y = std::round(plot.max.y - static_cast<float>(axes.y.share(tick)) * plot.height());
    horizontal_line(ui, plot.min.x, plot.max.x, std::min(y, plot.max.y - 1), ui.colors.line);
    text_in(ui, {{axes.left + ui.px(axes.title_width), y - ui.px(8)}, {plot.min.x - ui.px(axes.gap), y + ui.px(8)}},
            Type::mono11, ui.colors.text2, tick_label(tick, axes.y.high - axes.y.low), 1);
  }
  text_in(ui, {{plot.min.x, plot.max.y + ui.px(18)}, {plot.max.x, plot.max.y + ui.px(36)}}, Type::words11,
          ui.colors.text2, axes.x_title, 1);
  text_up(ui, {axes.left, plot.min.y + text_width(ui, Type::words11, axes.y_title)}, Type::words11, ui.colors.text2,
          axes.y_title);
}

void draw_corpus_scatter(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(36)}};
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  Rect controls{{area.min.x + pad, header.max.y - ui.px(2)}, {area.max.x - pad, 0}};
  controls.max.y = controls.min.y + ui.px(size::control_height);
  draw_controls(ui, *shown.table, controls);
  const float top = controls.min.y + ui.px(kControls), bottom = area.max.y - ui.px(kReadout + kBelow + 8);
  const Rect plot{{std::round(area.min.x + pad + ui.px(kGutter)), std::round(top)},
                  {std::round(area.max.x - pad - ui.px(kBar)), std::round(bottom)}};
  if (plot.width() < ui.px(60) || plot.height() < ui.px(40)) return;
  const CorpusPlot& made = laid_out(ui, shown, plot);
  std::string fact = grouped_digits(std::ssize(shown.table->heads));
  if (made.points.undefined > 0) fact += fmt::format(" \u00b7 {} have no such value", made.points.undefined);
  if (!shown.chosen->heads.empty()) {
    fact += fmt::format(" \u00b7 {} chosen", grouped_digits(std::ssize(shown.chosen->heads)));
    ui.mark("corpus/heads_fact: " + fact, header);
  }
  panel_header(ui, header, "All heads", fact);
  draw_plane_axes(ui,
                  {made.x_axis, made.y_axis, axis_words(*made.table, made.x) + " \u2192",
                   axis_words(*made.table, made.y) + " \u2192", area.min.x + pad, 16, 6},
                  plot);
  const Interaction it = interact_mouse(ui, kCorpusScatter, plot);
  canvas().PushClipRect(plot.min, plot.max, true);
  if (made.points.points.size() > kMostDiscs) {
    draw_chosen_squares(ui, *shown.chosen, made, plot);
    draw_squares(ui, made, plot);
  } else {
    draw_discs(ui, made, plot);
  }
  draw_marks(ui, shown, made, plot);
  draw_point_names(ui, shown, made, plot);
  draw_lasso(ui, plot);
  canvas().PopClipRect();
  state.points_drawn = static_cast<int>(made.points.points.size());
  const HeadTable::Range& range = shown.table->ranges[shown_mean(*shown.table, made.color)];
  color_bar(ui, {{plot.max.x + ui.px(10), plot.min.y}, {plot.max.x + ui.px(20), plot.max.y}}, color_map_of(ui, true),
            {range.low, range.high, false, false}, false);
  draw_readout(ui, shown,
               {{area.min.x + pad, area.max.y - ui.px(kReadout + 4)}, {area.max.x - pad, area.max.y - ui.px(4)}});
  const bool drawn = read_lasso(ui, shown, made, plot, it);
  if (it.hovered && (state.lasso.empty() || !it.held)) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto near = nearest_point(made.points, mouse.x - plot.min.x, mouse.y - plot.min.y, ui.px(kNear));
    if (near) state.next_hovered = *near;
    if (it.clicked && !drawn) near ? pick_head(ui, shown, *near) : forget_chosen(ui);
  }
  if (it.double_clicked) open_example(ui, shown);
  if (it.focused) read_head_keys(ui, shown);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(plot, -ui.px(2)), ui.px(3));
}

}  // namespace headscope::ui
