// The points of the picked head on two of its principal axes, in a figure of heads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/grouped_digits.h"
#include "core/picture/figure/corpus_page.h"
#include "core/picture/text/text.h"

namespace headscope {
namespace {

constexpr double kLeft = 46, kBelowAxis = 46, kLegendLine = 17, kLegendBar = 120;
constexpr std::size_t kNumberedPoints = 300;  // more have no room for the numbers of their tokens
constexpr int kBarSteps = 60;

struct PointsPlane {
  Box4 box;
  PlotAxis x_axis, y_axis;
  std::span<const double> x, y;
  std::pair<int, int> at(std::size_t k) const {
    return {box.x + static_cast<int>(std::lround(x_axis.share(x[k]) * (box.width - 1))),
            box.y + static_cast<int>(std::lround((1 - y_axis.share(y[k])) * (box.height - 1)))};
  }
};

PlotAxis axis_of(std::span<const double> values) {
  if (values.empty()) return plot_axis(0, 0, 6);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return plot_axis(*low, *high, 6);
}

void add_point_axes(CorpusPage& page, const PointsPlane& plane) {
  const Box4& box = plane.box;
  page.rect(box, page.colors.well);
  const auto largest = [](const PlotAxis& axis) { return std::max(std::fabs(axis.low), std::fabs(axis.high)); };
  for (const double tick : plane.x_axis.ticks) {
    const int x = box.x + static_cast<int>(std::lround(plane.x_axis.share(tick) * (box.width - 1)));
    page.rect({x, box.y, page.px(1), box.height}, page.colors.line);
    page.text(x, box.bottom() + page.font(12), tick_text(tick, largest(plane.x_axis)),
              {FontRole::numbers, 11, page.colors.text2, 0.5});
  }
  for (const double tick : plane.y_axis.ticks) {
    const int y = box.y + static_cast<int>(std::lround((1 - plane.y_axis.share(tick)) * (box.height - 1)));
    page.rect({box.x, y, box.width, page.px(1)}, page.colors.line);
    page.text(box.x - page.font(6), y, tick_text(tick, largest(plane.y_axis)),
              {FontRole::numbers, 11, page.colors.text2, 1});
  }
  const CorpusPointsFigure& asked = *page.figure.points;
  page.text(box.right(), box.bottom() + page.font(30), axis_title(*asked.points, asked.x) + " \u2192",
            {FontRole::words, 11, page.colors.text2, 1});
  page.text_upwards(box.x - page.font(40), box.bottom(), axis_title(*asked.points, asked.y) + " \u2192", 11,
                    page.colors.text2);
}

void add_mark(CorpusPage& page, const std::pair<int, int>& at, Rgba color) {
  const int half = page.px(2.5);
  page.rect({at.first - half - 1, at.second - half - 1, 2 * half + 3, 2 * half + 3}, page.colors.well);
  page.rect({at.first - half, at.second - half, 2 * half + 1, 2 * half + 1}, color);
}

// Squares in the colours of their tokens, with the numbers of the legend; others are grey. Returns the y below.
int add_by_token(CorpusPage& page, const PointsPlane& plane, int y) {
  const std::vector<PointToken> tokens = frequent_tokens(*page.figure.record, kColoredTokens);
  const std::vector<std::int64_t> of = token_of_points(*page.figure.record, tokens);
  const bool numbered = of.size() <= kNumberedPoints;
  for (const bool colored : {false, true}) {  // the grey ones lie below
    for (std::size_t k = 0; k < of.size(); ++k) {
      if ((of[k] >= 0) != colored) continue;
      add_mark(page, plane.at(k), colored ? head_color(of[k]) : page.colors.text3);
      if (!colored || !numbered) continue;
      const auto at = plane.at(k);
      page.text(at.first + page.font(5), at.second, std::to_string(of[k] + 1),
                {FontRole::numbers, 8, page.colors.text});
    }
  }
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const int middle = y + page.px(kLegendLine / 2);
    add_mark(page, {plane.box.x + page.px(4), middle}, head_color(static_cast<std::int64_t>(k)));
    const std::string words = fmt::format("{}  \u201c{}\u201d, {} points", k + 1, tokens[k].text, tokens[k].points);
    page.text(plane.box.x + page.font(14), middle,
              fit_text(words, FontRole::words, page.font(11), plane.box.width - page.font(14)),
              {FontRole::words, 11, page.colors.text2});
    y += page.px(kLegendLine);
  }
  page.text(plane.box.x, y + page.font(kLegendLine / 2), "grey: other tokens",
            {FontRole::words, 11, page.colors.text3});
  return y + page.px(kLegendLine);
}

// Squares by their positions, from the first to the last that a point has. Returns the y below.
int add_by_position(CorpusPage& page, const PointsPlane& plane, int y) {
  const std::vector<PointPlace>& places = page.figure.record->points;
  std::int64_t last = 0;
  for (const PointPlace& place : places) last = std::max(last, place.position);
  const double range = static_cast<double>(std::max<std::int64_t>(1, last));
  for (std::size_t k = 0; k < places.size(); ++k) {
    add_mark(page, plane.at(k), color_at(page.map, static_cast<double>(places[k].position) / range));
  }
  const int width = page.px(kLegendBar), x = plane.box.x + page.px(70);
  const double middle = y + page.font(7);
  page.text(x - page.font(6), middle, "position 0", {FontRole::words, 11, page.colors.text2, 1});
  for (int step = 0; step < kBarSteps; ++step) {
    const int left = x + width * step / kBarSteps;
    page.rect({left, y + page.px(2), x + width * (step + 1) / kBarSteps - left, page.px(10)},
              color_at(page.map, static_cast<double>(step) / (kBarSteps - 1)));
  }
  page.text(x + width + page.font(6), middle, std::to_string(last), {FontRole::words, 11, page.colors.text2});
  return y + page.px(kLegendLine);
}

}  // namespace

int add_points_plane(CorpusPage& page, int x, int y, int width) {
  const CorpusPointsFigure& asked = *page.figure.points;
  const CorpusRecord& record = *page.figure.record;
  page.text(x, y + page.font(4),
            fmt::format("{} of {} positions, on principal axes of all their {} vectors", record.points.size(),
                        grouped_digits(record.tokens), vector_kind_key(asked.points->kind)),
            {FontRole::words, 11, page.colors.text2});
  PointsPlane plane;
  plane.x = asked.points->on(asked.x);
  plane.y = asked.points->on(asked.y);
  plane.x_axis = axis_of(plane.x);
  plane.y_axis = axis_of(plane.y);
  const int side = width - page.px(kLeft);
  plane.box = {x + page.px(kLeft), y + page.px(18), side, side};
  add_point_axes(page, plane);
  const int below = plane.box.bottom() + page.px(kBelowAxis);
  return asked.by_position ? add_by_position(page, plane, below) : add_by_token(page, plane, below);
}

}  // namespace headscope
