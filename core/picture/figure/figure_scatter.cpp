// The queries and keys of a head as points of one plane: squares and triangles, named by their tokens.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/heads/query_key_scatter.h"
#include "core/picture/figure/figure_views.h"
#include "core/picture/point_plane.h"

namespace headscope {
namespace {

constexpr double kWidth = 640, kNarrowest = 240, kLowest = 220, kHighest = 720;  // units
constexpr double kLabelSize = 11, kMark = 8, kBelow = 46;

void check_asked(const Sheet& sheet) {
  const Trace& trace = sheet.trace;
  const ViewSpec& view = sheet.view;
  if (!has_query_key_scatter(trace)) {
    throw UsageError("view",
                     "found scatter; this request has no query and key, expected one that computes weights from them");
  }
  if (view.head >= trace.num_heads()) {
    throw UsageError("head", fmt::format("{} asked for, the heads are 0 to {}", view.head, trace.num_heads() - 1));
  }
  const std::int64_t batches = trace.tensor(StageId::query).dim(0);
  if (view.batch >= batches) {
    throw UsageError("batch", fmt::format("{} asked for, the batches are 0 to {}", view.batch, batches - 1));
  }
}

void add_axes(Sheet& sheet, const PointPlane& plot, const QueryKeyScatter& scatter) {
  const Palette& colors = sheet.colors;
  const int left = static_cast<int>(plot.x), top = static_cast<int>(plot.y);
  const int width = static_cast<int>(plot.width), height = static_cast<int>(plot.height);
  sheet.frame(left, top, width, height);
  const auto round = [](double pixels) { return static_cast<int>(std::floor(pixels)); };
  sheet.rect(round(plot.at_x(0)), top, sheet.px(1), height, colors.line);
  sheet.rect(left, round(plot.at_y(0)), width, sheet.px(1), colors.line);
  const double half_width = plot.width / 2.0 / plot.scale, half_height = plot.height / 2.0 / plot.scale;
  const double largest_x = std::fabs(plot.middle_x) + half_width, largest_y = std::fabs(plot.middle_y) + half_height;
  for (const double tick : ticks_across(plot, sheet.font(64))) {
    sheet.rect(round(plot.at_x(tick)), top + height, sheet.px(1), sheet.px(4), colors.text3);
    sheet.text_centred(plot.at_x(tick), top + height + sheet.font(13), tick_text(tick, largest_x), FontRole::numbers,
                       kLabelSize, colors.text2);
  }
  for (const double tick : ticks_upwards(plot, sheet.font(64))) {
    sheet.rect(left - sheet.px(4), round(plot.at_y(tick)), sheet.px(4), sheet.px(1), colors.text3);
    sheet.text_right(left - sheet.px(7), plot.at_y(tick), tick_text(tick, largest_y), FontRole::numbers, kLabelSize,
                     colors.text2);
  }
  const auto words = [&](std::size_t k) {
    return fmt::format("component {}: {:.1f} % of the variance", k + 1, 100 * scatter.share[k]);
  };
  const double below = plot.y + plot.height + sheet.font(32);
  sheet.text_centred(plot.x + plot.width / 2.0, below, words(0), FontRole::words, kLabelSize, colors.text2);
  const std::string up = words(1);
  const double length = sheet.width_of(up, FontRole::words, kLabelSize);
  sheet.text_upwards(sheet.margin() + sheet.font(6), plot.y + (plot.height + length) / 2, up, FontRole::words,
                     kLabelSize, colors.text2);
}

// A query is a square, a key a triangle, so that the two differ without their colours.
void add_mark(Sheet& sheet, double x, double y, bool query) {
  const int side = sheet.px(query ? kMark - 1 : kMark + 1);
  const int left = static_cast<int>(std::lround(x - side / 2.0)), top = static_cast<int>(std::lround(y - side / 2.0));
  if (query) {
    sheet.rect(left, top, side, side, sheet.colors.query);
  } else {
    sheet.plan.items.emplace_back(CornerItem{left, top, side, sheet.colors.key});
  }
}

// Below the title: what the marks are.
void add_mark_names(Sheet& sheet, int x, double middle) {
  double pen = x;
  for (const bool query : {true, false}) {
    add_mark(sheet, pen + sheet.font(5), middle, query);
    const std::string name = query ? "query" : "key";
    sheet.text_middle(pen + sheet.font(14), middle, name, FontRole::words, 12,
                      query ? sheet.colors.query : sheet.colors.key);
    pen += sheet.font(14 + 20) + sheet.width_of(name, FontRole::words, 12);
  }
}

struct NamedPoint {
  double x = 0, y = 0;
  bool query = true;
  std::string name;
};

std::vector<NamedPoint> named_points(const Trace& trace, const QueryKeyScatter& scatter, const PointPlane& plot) {
  std::vector<NamedPoint> points;
  const std::vector<std::string> queries = trace.query_labels(), keys = trace.key_labels();
  const auto add = [&](const std::vector<ScatterPoint>& of, std::size_t i, bool query,
                       const std::vector<std::string>& names) {
    if (i >= of.size() || std::isnan(of[i].x)) return;
    points.push_back({plot.at_x(of[i].x), plot.at_y(of[i].y), query, i < names.size() ? names[i] : std::to_string(i)});
  };
  for (std::size_t i = 0; i < std::max(scatter.queries.size(), scatter.keys.size()); ++i) {
    add(scatter.queries, i, true, queries);
    add(scatter.keys, i, false, keys);
  }
  return points;
}

// Names beside their marks, in the order of the tokens. Returns how many have no room.
std::size_t add_names(Sheet& sheet, const PointPlane& plot, std::vector<NamedPoint> points) {
  std::vector<NamedMark> marks;
  for (NamedPoint& point : points) {
    point.name = fit_text(point.name, FontRole::numbers, sheet.font(kLabelSize), sheet.font(110));
    marks.push_back({point.x, point.y, sheet.width_of(point.name, FontRole::numbers, kLabelSize)});
  }
  const NameRoom room{sheet.font(kMark / 2), sheet.font(kMark / 2 + 3), sheet.font(7)};
  const std::vector<std::optional<NamePlace>> places = name_places(marks, plot, room);
  std::size_t without = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) {
      ++without;
      continue;
    }
    sheet.text_middle(places[i]->left, places[i]->middle, points[i].name, FontRole::numbers, kLabelSize,
                      points[i].query ? sheet.colors.query : sheet.colors.key);
  }
  return without;
}

// The plot below the title, as wide as the figure allows, as high as one scale for both axes makes it.
PointPlane plot_of(const Sheet& sheet, const QueryKeyScatter& scatter, int y, int width) {
  const int left = sheet.margin() + sheet.px(62), across = width - sheet.margin() - left;
  const PlaneExtents extents = plane_extents(scatter);
  const double wanted = across * extents.y.length() / extents.x.length();
  const double height =
      std::round(std::clamp(wanted, static_cast<double>(sheet.px(kLowest)), static_cast<double>(sheet.px(kHighest))));
  return point_plane(extents, left, y, across, height);
}

std::vector<Span> legend_of(const Sheet& sheet, const QueryKeyScatter& scatter, std::size_t without) {
  const Rgba color = sheet.colors.text2;
  std::vector<Span> spans = {{"Squares are queries, triangles keys, as they are multiplied.", color},
                             {"Both together, less their mean, along their two directions of largest variance (PCA), "
                              "with one scale for both axes; of each direction the largest feature is positive.",
                              color}};
  if (scatter.left_out > 0) {
    spans.push_back({fmt::format("\u00b7 {} left out: not finite", scatter.left_out), sheet.colors.warn});
  }
  if (without > 0) spans.push_back({fmt::format("\u00b7 names without room: {}", without), sheet.colors.text3});
  return spans;
}

}  // namespace

void plan_scatter(Sheet& sheet) {
  check_asked(sheet);
  const ViewSpec& view = sheet.view;
  const QueryKeyScatter scatter = query_key_scatter(sheet.trace, view.batch, view.head, sheet.cancel);
  const int width = figure_width(sheet, sheet.px(view.width ? kNarrowest : kWidth));
  sheet.plan.width = width;
  Sheet::Title title;
  title.head = view.head;
  title.name = fmt::format("Head {}", view.head);
  title.stage = "query and key";
  title.fact =
      fmt::format("{} queries, {} keys of {} features", scatter.queries.size(), scatter.keys.size(), scatter.features);
  int y = sheet.header(title, width);
  const int names = sheet.px(24);
  const PointPlane plot = plot_of(sheet, scatter, y + names, width);
  add_mark_names(sheet, static_cast<int>(plot.x), y + sheet.font(9));
  add_axes(sheet, plot, scatter);
  const std::vector<NamedPoint> points = named_points(sheet.trace, scatter, plot);
  for (const NamedPoint& point : points) add_mark(sheet, point.x, point.y, point.query);
  const std::size_t without = view.labels ? add_names(sheet, plot, points) : 0;
  y = static_cast<int>(plot.y + plot.height) + sheet.px(kBelow);
  y += sheet.paragraph(sheet.margin(), y, width - 2 * sheet.margin(), legend_of(sheet, scatter, without));
  sheet.plan.height = y + sheet.px(10);
}

}  // namespace headscope
