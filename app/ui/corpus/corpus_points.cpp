// The points of the picked head: queries, keys, values or outputs on two of their principal axes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/map_colors.h"
#include "app/ui/panel_data.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/corpus/point_report.h"
#include "core/picture/color_map.h"

namespace headscope::ui {
namespace {

constexpr float kGutter = 40, kBelow = 38, kReadout = 26, kLegend = 84, kLegendLine = 16, kLowest = 90;

// Token, position and phrase of the point under the mouse, or of the picked one.
void draw_point_readout(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const std::size_t point = ui.state.panels.get<CorpusPanelState>().hovered_point.value_or(shown.point);
  const PointPlace& place = shown.record->points[point];
  fill(area, ui.colors.well, ui.px(size::radius_control));
  outline(ui, area, ui.colors.line, 1, ui.px(size::radius_control));
  Rect line = inset(area, ui.px(6));
  const std::string where =
      fmt::format("position {}, phrase {}", grouped_digits(place.position), grouped_digits(place.phrase));
  text_in(ui, take_right(line, std::ceil(text_width(ui, Type::mono11, where)) + 1, ui.px(8)), Type::mono11,
          ui.colors.text2, where, 1);
  const std::string token = point_name(shown, point);
  text_in(ui, line, Type::mono_bold12, ui.colors.text, shortened_to(ui, Type::mono_bold12, token, line.width()));
  ui.mark("corpus/point_readout: " + token + " " + where, area);
}

void draw_legend(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const PointTokens& tokens = point_tokens(ui, shown);
  if (ui.session.view.corpus.points.color == PointColor::position) {
    const ValueRange range{0, static_cast<double>(std::max<std::int64_t>(1, tokens.last_position)), false, false};
    text_in(ui, {area.min, {area.min.x + ui.px(54), area.min.y + ui.px(14)}}, Type::words11, ui.colors.text2,
            "position");
    color_bar(ui, {{area.min.x + ui.px(64), area.min.y + ui.px(2)}, {area.max.x - ui.px(20), area.min.y + ui.px(12)}},
              color_map_of(ui, true), range, true);
    return;
  }
  const float half = std::floor(area.width() / 2);
  for (std::size_t k = 0; k < tokens.tokens.size(); ++k) {
    const float x = area.min.x + half * static_cast<float>(k % 2);
    const float y = area.min.y + ui.px(kLegendLine) * static_cast<float>(k / 2);
    Rect line{{x, y}, {x + half - ui.px(6), y + ui.px(kLegendLine)}};
    const ImVec2 at{x + ui.px(5), std::round(line.center().y)};
    canvas().AddCircleFilled(at, ui.px(4), color32(head_color(static_cast<std::int64_t>(k))), 12);
    line.min.x += ui.px(14);
    const std::string count = grouped_digits(static_cast<std::int64_t>(tokens.tokens[k].points));
    text_in(ui, take_right(line, ui.px(30), ui.px(4)), Type::mono11, ui.colors.text3, count, 1);
    const std::string token = shortened_to(ui, Type::mono11, visible_piece(tokens.tokens[k].text), line.width());
    text_in(ui, line, Type::mono11, ui.colors.text2, token);
    ui.mark("corpus/point_token/" + token, line);
  }
  const float below = area.min.y + ui.px(kLegendLine) * static_cast<float>((tokens.tokens.size() + 1) / 2);
  text_in(ui, {{area.min.x, below}, {area.max.x, below + ui.px(kLegendLine)}}, Type::words11, ui.colors.text3,
          "grey: other tokens");
}

void axis_combo(Ui& ui, const HeadPoints& points, const std::string& name, const Rect& rect, std::int64_t& axis) {
  std::vector<std::string> items;
  for (std::size_t k = 0; k < points.axes(); ++k) {
    items.push_back(fmt::format("axis {} \u00b7 {:.1f} %", k + 1, 100 * points.shares[k]));
  }
  int selected = static_cast<int>(std::min<std::int64_t>(axis, static_cast<std::int64_t>(items.size()) - 1));
  if (combo(ui, name, rect, items, selected,
            {{true, false, "A principal axis, with its share of the variance of all positions."}, Type::words12})) {
    axis = selected;
  }
}

// What is shown and how; moves y below it.
void draw_points_controls(Ui& ui, const CorpusShown& shown, const Rect& body, float& y) {
  PointsView& view = ui.session.view.corpus.points;
  int kind = static_cast<int>(shown.point_kind);
  if (segments(ui, "corpus/vectors", row(body, y, ui.px(size::control_height)),
               {"queries", "keys", "values", "outputs"}, kind,
               {true, false, "Vectors of the picked head. Outputs are its rows of context."})) {
    view.vectors = std::string(vector_kind_key(all_vector_kinds()[static_cast<std::size_t>(kind)]));
  }
  y += ui.px(6);
  const HeadPoints* points = shown.points == nullptr ? nullptr : &*shown.points->answer;
  Rect line = row(body, y, ui.px(size::control_height));
  y += ui.px(6);
  if (points != nullptr && points->axes() > 0) {
    axis_combo(ui, *points, "corpus/points_axis_x", take_left(line, std::floor(body.width() / 2) - ui.px(3), ui.px(6)),
               view.x);
    axis_combo(ui, *points, "corpus/points_axis_y", line, view.y);
  }
  line = row(body, y, ui.px(size::control_height));
  y += ui.px(8);
  if (button(ui, "corpus/points_copy", take_right(line, ui.px(96), ui.px(6)), "Copy points",
             {true, false, "Puts all points of this head on the clipboard, on up to eight axes, as CSV."}) &&
      ui.set_clipboard) {
    ui.set_clipboard(points_csv(*shown.record, shown.head));
    put_notice(ui.state,
               {Notice::Kind::info, fmt::format("{} points are on the clipboard as CSV.", shown.record->points.size()),
                "Queries, keys, values and outputs are all in it.", "corpus/copied"});
  }
  int color = static_cast<int>(view.color);
  if (segments(
          ui, "corpus/points_color", line, {"token", "position"}, color,
          {true, false, "What the colour of a point says: its token, if several points have it, or its position."})) {
    view.color = static_cast<PointColor>(color);
  }
}

void draw_open_line(Ui& ui, const CorpusShown& shown, const Rect& place) {
  Rect line = place;
  if (button(ui, "corpus/open_point", take_right(line, ui.px(76), ui.px(8)), "Open",
             {true, false, "Opens the microscope on this phrase, head and position. Undo comes back."}, true)) {
    open_point(ui, shown, shown.point);
  }
  text_in(ui, line, Type::words11, ui.colors.text3, "Enter opens the phrase there");
}

// What is said in place of points; "" where there are some.
std::string points_obstacle(const CorpusShown& shown) {
  const CorpusFacts& facts = shown.record->facts;
  if (shown.headvis != nullptr) return "HeadVis's folder has no queries, keys, values and outputs of its heads.";
  if (facts.points == 0) {
    return "This file has no points. Scan the list once more with headscope-cli scan --points 256: then a head's "
           "queries, keys, values and outputs are shown here on their principal axes.";
  }
  if (shown.record->points.empty()) return "No phrase was scanned.";
  const auto kind = static_cast<std::size_t>(shown.point_kind);
  if (facts.vector_sizes[kind] == 0) {
    return fmt::format("The captures that were scanned held no {} vectors.", vector_kind_key(shown.point_kind));
  }
  if (shown.points == nullptr) return "Finding the principal axes \u2026";
  return shown.points->answer->axes() == 0 ? "There are no axes." : "";
}

}  // namespace

void draw_corpus_points(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const bool has_points = shown.record->facts.points > 0 && shown.headvis == nullptr;
  panel_header(ui, {area.min, {area.max.x, area.min.y + ui.px(36)}}, "PCA " + shown.name_of(shown.head),
               has_points ? fmt::format("{} of {} positions", grouped_digits(std::ssize(shown.record->points)),
                                        grouped_digits(shown.record->tokens))
                          : "",
               static_cast<int>(shown.table->heads[shown.head].head));
  const Rect body{{area.min.x + pad, area.min.y + ui.px(36)}, {area.max.x - pad, area.max.y - ui.px(6)}};
  float y = body.min.y;
  if (has_points) draw_points_controls(ui, shown, body, y);
  if (const std::string obstacle = points_obstacle(shown); !obstacle.empty()) {
    ui.mark("corpus/points_say: " + obstacle, body);
    paragraph(ui, {{body.min.x, y}, {body.max.x, y}}, Type::words12, ui.colors.text2, obstacle);
    return;
  }
  const float foot = ui.px(size::control_height + kReadout + 12);
  const bool legend = body.max.y - y - foot - ui.px(kLegend + kBelow) > ui.px(kLowest);
  const float bottom = body.max.y - foot - (legend ? ui.px(kLegend) : 0) - ui.px(kBelow);
  const Rect plot{{std::round(body.min.x + ui.px(kGutter)), std::round(y)},
                  {std::round(body.max.x), std::round(std::min(bottom, y + body.width() * 1.3f))}};
  if (plot.height() > ui.px(40) && plot.width() > ui.px(60)) draw_points_plane(ui, shown, plot, body.min.x);
  y = plot.max.y + ui.px(kBelow + 2);
  if (legend) {
    draw_legend(ui, shown, {{body.min.x, y}, {body.max.x, y + ui.px(kLegend)}});
    y += ui.px(kLegend);
  }
  draw_point_readout(ui, shown, row(body, y, ui.px(kReadout)));
  y += ui.px(6);
  draw_open_line(ui, shown, row(body, y, ui.px(size::control_height)));
}

}  // namespace headscope::ui
