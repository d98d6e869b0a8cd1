// The queries and keys of a head as points of one plane: squares and triangles, named by their tokens.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/heads/query_key_scatter.h"
#include "core/picture/figure/figure_views.h"

namespace headscope {
namespace {

constexpr double kWidth = 640, kNarrowest = 240, kLowest = 220, kHighest = 720;  // units
constexpr double kLabelSize = 11, kMark = 8, kBelow = 46;
constexpr std::size_t kMarksInTheWay = 400;  // of more points, names may lie over marks

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// From coordinates to pixels, with one scale for both axes.
struct Plot {
  int x = 0, y = 0, width = 0, height = 0;
  double scale = 1, middle_x = 0, middle_y = 0;
  double at_x(double value) const { return x + width / 2.0 + (value - middle_x) * scale; }
  double at_y(double value) const { return y + height / 2.0 - (value - middle_y) * scale; }
};

struct Extent {
  double low = 0, high = 0;
  double length() const { return high > low ? high - low : 1; }
};

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

// Of both kinds of points; the mean, 0, is always inside.
Extent extent_of(const QueryKeyScatter& scatter, double ScatterPoint::*axis) {
  Extent extent;
  for (const auto* points : {&scatter.queries, &scatter.keys}) {
    for (const ScatterPoint& point : *points) {
      if (std::isnan(point.*axis)) continue;
      extent.low = std::min(extent.low, point.*axis);
      extent.high = std::max(extent.high, point.*axis);
    }
  }
  return extent;
}

// 1, 2 or 5 times a power of ten, at least `spacing` pixels long.
double tick_step(double scale, double spacing) {
  const double least = spacing / scale, power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= least) return times * power;
  }
  return 10 * power;
}

struct Tick {
  double value = 0;
  std::string text;
};

std::vector<Tick> ticks_of(double from, double to, double step) {
  std::vector<Tick> ticks;
  const double largest = std::max(std::fabs(from), std::fabs(to));
  for (double k = std::ceil(from / step); k * step <= to; ++k)
    ticks.push_back({k * step, tick_text(k * step, largest)});
  return ticks;
}

void add_axes(Sheet& sheet, const Plot& plot, const QueryKeyScatter& scatter) {
  const Palette& colors = sheet.colors;
  sheet.frame(plot.x, plot.y, plot.width, plot.height);
  const auto round = [](double pixels) { return static_cast<int>(std::floor(pixels)); };
  sheet.rect(round(plot.at_x(0)), plot.y, sheet.px(1), plot.height, colors.line);
  sheet.rect(plot.x, round(plot.at_y(0)), plot.width, sheet.px(1), colors.line);
  const double half_width = plot.width / 2.0 / plot.scale, half_height = plot.height / 2.0 / plot.scale;
  const double step = tick_step(plot.scale, sheet.font(64));
  for (const Tick& tick : ticks_of(plot.middle_x - half_width, plot.middle_x + half_width, step)) {
    sheet.rect(round(plot.at_x(tick.value)), plot.y + plot.height, sheet.px(1), sheet.px(4), colors.text3);
    sheet.text_centred(plot.at_x(tick.value), plot.y + plot.height + sheet.font(13), tick.text, FontRole::numbers,
                       kLabelSize, colors.text2);
  }
  for (const Tick& tick : ticks_of(plot.middle_y - half_height, plot.middle_y + half_height, step)) {
    sheet.rect(plot.x - sheet.px(4), round(plot.at_y(tick.value)), sheet.px(4), sheet.px(1), colors.text3);
    sheet.text_right(plot.x - sheet.px(7), plot.at_y(tick.value), tick.text, FontRole::numbers, kLabelSize,
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

std::vector<NamedPoint> named_points(const Trace& trace, const QueryKeyScatter& scatter, const Plot& plot) {
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

// Names beside their marks, right, left, above or below, where nothing else lies; in the order of the tokens. Returns
// how many have no room.
std::size_t add_names(Sheet& sheet, const Plot& plot, const std::vector<NamedPoint>& points) {
  std::vector<Box> taken;
  if (points.size() <= kMarksInTheWay) {
    const double half = sheet.font(kMark / 2);
    for (const NamedPoint& point : points) {
      taken.push_back({point.x - half, point.y - half, point.x + half, point.y + half});
    }
  }
  std::size_t without = 0;
  const double away = sheet.font(kMark / 2 + 3), half = sheet.font(7);
  for (const NamedPoint& point : points) {
    const std::string name = fit_text(point.name, FontRole::numbers, sheet.font(kLabelSize), sheet.font(110));
    const double width = sheet.width_of(name, FontRole::numbers, kLabelSize);
    const double lefts[] = {point.x + away, point.x - away - width, point.x - width / 2, point.x - width / 2};
    const double middles[] = {point.y, point.y, point.y - away - half, point.y + away + half};
    bool placed = false;
    for (int k = 0; k < 4 && !placed; ++k) {
      const Box box{lefts[k], middles[k] - half, lefts[k] + width, middles[k] + half};
      const bool inside = box.left >= plot.x && box.right <= plot.x + plot.width && box.top >= plot.y &&
                          box.bottom <= plot.y + plot.height;
      if (!inside || std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return box.meets(other); })) {
        continue;
      }
      taken.push_back(box);
      sheet.text_middle(box.left, middles[k], name, FontRole::numbers, kLabelSize,
                        point.query ? sheet.colors.query : sheet.colors.key);
      placed = true;
    }
    if (!placed) ++without;
  }
  return without;
}

// The plot below the title, as wide as the figure allows, as high as one scale for both axes makes it.
Plot plot_of(const Sheet& sheet, const QueryKeyScatter& scatter, int y, int width) {
  Plot plot;
  plot.x = sheet.margin() + sheet.px(62);
  plot.y = y;
  plot.width = width - sheet.margin() - plot.x;
  const Extent x = extent_of(scatter, &ScatterPoint::x), up = extent_of(scatter, &ScatterPoint::y);
  const double room = 1.12;  // of the extent, so that no mark touches the frame
  const double wanted = plot.width * up.length() / x.length();
  plot.height = static_cast<int>(
      std::lround(std::clamp(wanted, static_cast<double>(sheet.px(kLowest)), static_cast<double>(sheet.px(kHighest)))));
  plot.scale = std::min(plot.width / (x.length() * room), plot.height / (up.length() * room));
  plot.middle_x = (x.low + x.high) / 2;
  plot.middle_y = (up.low + up.high) / 2;
  return plot;
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
  const Plot plot = plot_of(sheet, scatter, y + names, width);
  add_mark_names(sheet, plot.x, y + sheet.font(9));
  add_axes(sheet, plot, scatter);
  const std::vector<NamedPoint> points = named_points(sheet.trace, scatter, plot);
  for (const NamedPoint& point : points) add_mark(sheet, point.x, point.y, point.query);
  const std::size_t without = view.labels ? add_names(sheet, plot, points) : 0;
  y = plot.y + plot.height + sheet.px(kBelow);
  y += sheet.paragraph(sheet.margin(), y, width - 2 * sheet.margin(), legend_of(sheet, scatter, without));
  sheet.plan.height = y + sheet.px(10);
}

}  // namespace headscope
