// The parts of a figure of heads: the plane, the grid, one head's histograms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/corpus/mean_words.h"
#include "core/picture/figure/corpus_page.h"
#include "core/picture/plot_names.h"
#include "core/picture/text/text.h"

namespace headscope {
namespace {

constexpr double kPlaneHeight = 380, kLeftOfPlane = 62, kBelowPlane = 46, kBarRoom = 70, kSection = 26;
constexpr double kWidestCell = 46, kHighestCell = 22, kLeastCell = 4, kNumberWidth = 30, kNumberHeight = 15;
constexpr double kHistogramHeight = 70;
constexpr std::size_t kManyPoints = 1500;

std::string value_words(double value) {
  if (!std::isfinite(value)) return "";
  const std::string words = std::fabs(value) < 10 ? fmt::format("{:.2f}", value) : fmt::format("{:.1f}", value);
  return words.starts_with("0.") ? words.substr(1) : words;
}

struct Plane {
  Box4 box;
  PlotAxis x_axis, y_axis;
  std::size_t x = 0, y = 0, color = 0;

  // The pixel of a head; nullopt: it has no such value.
  std::optional<std::pair<int, int>> at(const HeadTable& table, std::size_t head) const {
    const double right = table.mean(x, head), up = table.mean(y, head);
    if (!std::isfinite(right) || !std::isfinite(up)) return std::nullopt;
    return std::pair{box.x + static_cast<int>(std::lround(x_axis.share(right) * (box.width - 1))),
                     box.y + static_cast<int>(std::lround((1 - y_axis.share(up)) * (box.height - 1)))};
  }
};

void add_axes(CorpusPage& page, const Plane& plane) {
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
  page.text(box.right(), box.bottom() + page.font(30), mean_title(page.table.keys[plane.x]) + " \u2192",
            {FontRole::words, 11, page.colors.text2, 1});
  page.text_upwards(box.x - page.font(52), box.bottom(), mean_title(page.table.keys[plane.y]) + " \u2192", 11,
                    page.colors.text2);
}

// A square around a point, `half` pixels to every side.
Box4 around(const std::pair<int, int>& at, int half) {
  return {at.first - half, at.second - half, 2 * half + 1, 2 * half + 1};
}

void add_points(CorpusPage& page, const Plane& plane) {
  const HeadTable& table = page.table;
  const bool many = table.heads.size() > kManyPoints;
  const int half = page.px(many ? 1.5 : 3.5);
  for (const std::size_t head : page.figure.chosen) {
    if (const auto at = plane.at(table, head)) page.rect(around(*at, half + page.px(2)), page.colors.accent);
  }
  for (std::size_t head = 0; head < table.heads.size(); ++head) {
    const auto at = plane.at(table, head);
    if (!at) continue;
    if (!many) page.rect(around(*at, half + 1), page.colors.well);
    page.rect(around(*at, half), page.color_of(plane.color, table.mean(plane.color, head)).value_or(page.colors.text3));
  }
  if (const auto at = plane.at(table, page.figure.head)) {
    page.frame(around(*at, half + page.px(4)), page.px(2), page.colors.text);
  }
}

// The names of as many heads as fit, the picked one and the chosen ones first.
void add_point_names(CorpusPage& page, const Plane& plane) {
  const HeadTable& table = page.table;
  std::vector<std::size_t> wanted = {page.figure.head};
  if (page.figure.chosen.size() <= kMarksInTheWay) {
    wanted.insert(wanted.end(), page.figure.chosen.begin(), page.figure.chosen.end());
  }
  const bool all = table.heads.size() <= kMarksInTheWay;
  std::vector<std::size_t> heads, first(wanted.size(), table.heads.size());  // of the points; the points of `wanted`
  std::vector<NamedMark> points;
  for (std::size_t head = 0; head < table.heads.size(); ++head) {
    const auto at = plane.at(table, head);
    if (!at) continue;
    const auto found = std::find(wanted.begin(), wanted.end(), head);
    if (found != wanted.end()) first[static_cast<std::size_t>(found - wanted.begin())] = points.size();
    const bool named = all || found != wanted.end();
    const double width =
        named ? drawn_width(page.name_of(head), FontRole::numbers_bold, page.font(11)) + page.font(4) : 0;
    points.push_back({static_cast<double>(at->first), static_cast<double>(at->second), width});
    heads.push_back(head);
  }
  std::erase(first, table.heads.size());
  const Box4& box = plane.box;
  const PointPlane frame{static_cast<double>(box.x), static_cast<double>(box.y), static_cast<double>(box.width),
                         static_cast<double>(box.height)};
  for (const PlotName& name : plot_names(points, first, frame, {page.font(5), page.font(10), page.font(7)})) {
    const bool marked = std::find(first.begin(), first.end(), name.point) != first.end();
    page.text(name.place.left, name.place.middle, page.name_of(heads[name.point]),
              {marked ? FontRole::numbers_bold : FontRole::numbers, 11, marked ? page.colors.text : page.colors.text2});
  }
}

// The pixels at the left of a cell that its cluster's number takes; 0 without one.
int tag_width(const CorpusPage& page, const Box4& cell, std::size_t head) {
  const std::vector<std::int64_t>& cluster = page.figure.cluster;
  const bool numbered = !cluster.empty() && cluster[head] >= 0 && cell.width >= page.px(kWidestCell - 4);
  return numbered ? page.px(15) : 0;
}

void add_cell(CorpusPage& page, const Box4& cell, std::size_t head, std::size_t mean) {
  const double value = page.table.mean(mean, head);
  const std::optional<Rgba> ground = page.color_of(mean, value);
  const int gap = cell.width >= page.px(10) ? page.px(1) : 0;
  const Box4 inner{cell.x, cell.y, cell.width - gap, cell.height - gap};
  page.rect(inner, ground.value_or(page.colors.well));
  const int tag = tag_width(page, cell, head);
  const bool numbered =
      ground && inner.width - tag >= page.px(kNumberWidth - 2) && inner.height >= page.px(kNumberHeight);
  if (numbered) {
    page.text(inner.x + (inner.width + tag) / 2.0, inner.y + inner.height / 2.0, value_words(value),
              {FontRole::numbers, 10.5, ink_on(*ground), 0.5});
  }
}

// The colour of the head's cluster with its number, and a frame where the head is chosen.
void add_cell_marks(CorpusPage& page, const Box4& cell, std::size_t head, bool chosen) {
  const std::vector<std::int64_t>& cluster = page.figure.cluster;
  if (!cluster.empty() && cluster[head] >= 0) {
    const int band = std::max(1, page.px(3));
    page.rect({cell.x, cell.y, band, cell.height - 1}, head_color(cluster[head]));
    if (const int width = tag_width(page, cell, head); width > 0) {
      const Box4 tag{cell.x + band, cell.y, width - band, cell.height - 1};
      page.rect(tag, page.colors.panel);
      page.text(tag.x + tag.width / 2.0, tag.y + tag.height / 2.0, std::to_string(cluster[head] + 1),
                {FontRole::numbers, 9, page.colors.text, 0.5});
    }
  }
  if (chosen) page.frame(cell, std::max(1, page.px(1.5)), page.colors.accent);
  if (head == page.figure.head) page.frame(cell, std::max(1, page.px(2)), page.colors.text);
}

struct CellSize {
  int width = 0, height = 0;
};

CellSize cell_size(const CorpusPage& page, int room) {
  const auto columns = static_cast<int>(page.table.numbers.size()), rows = static_cast<int>(page.table.layers.size());
  return {std::clamp(room / columns, page.px(kLeastCell), page.px(kWidestCell)),
          std::clamp(page.px(420) / rows, page.px(kLeastCell), page.px(kHighestCell))};
}

// Every 1st, 2nd, 5th ... name, so that they do not touch.
std::size_t every(int cell, double needed) {
  for (const std::size_t step : {1, 2, 5, 10, 20, 50, 100, 200, 500}) {
    if (static_cast<double>(step) * cell >= needed) return step;
  }
  return 1000;
}

void add_grid_names(CorpusPage& page, int left, int top, const CellSize& cell) {
  const HeadTable& table = page.table;
  const std::size_t row_step = every(cell.height, page.font(13)), column_step = every(cell.width, page.font(22));
  for (std::size_t row = 0; row < table.layers.size(); row += row_step) {
    page.text(left - page.font(8), top + (static_cast<double>(row) + 0.5) * cell.height,
              fmt::format("layer {}", table.layers[row]), {FontRole::words, 11, page.colors.text2, 1});
  }
  page.text(left - page.font(8), top - page.font(9), "head", {FontRole::words, 11, page.colors.text3, 1});
  for (std::size_t column = 0; column < table.numbers.size(); column += column_step) {
    page.text(left + (static_cast<double>(column) + 0.5) * cell.width, top - page.font(9),
              std::to_string(table.numbers[column]), {FontRole::numbers, 11, page.colors.text2, 0.5});
  }
}

void add_histogram(CorpusPage& page, CorpusMetric metric, const Box4& box) {
  const std::vector<double> own = bin_shares(page.figure.record->heads[page.figure.head], metric);
  const std::vector<double>& all = page.table.mean_shares[static_cast<std::size_t>(metric)];
  std::size_t bins = own.size();
  while (bins > 1 && !(own[bins - 1] > 0) && !(all[bins - 1] > 0)) --bins;
  double tallest = 0;
  for (std::size_t k = 0; k < bins; ++k) tallest = std::max({tallest, own[k], all[k]});
  page.rect(box, page.colors.well);
  if (!(tallest > 0)) return;
  const auto edge = [&](std::size_t k) {
    return box.x + static_cast<int>(k * static_cast<std::size_t>(box.width) / bins);
  };
  const auto high = [&](double share) {
    return static_cast<int>(std::lround(share / tallest * (box.height - page.px(4))));
  };
  for (std::size_t k = 0; k < bins; ++k) {
    page.rect({edge(k), box.bottom() - high(own[k]), edge(k + 1) - edge(k) - page.px(1), high(own[k])}, page.colors.ok);
    page.rect({edge(k), box.bottom() - high(all[k]) - page.px(1), edge(k + 1) - edge(k), page.px(1)}, page.colors.text);
  }
  const auto edges = histogram_edges(metric);
  const std::size_t step = every(std::max(1, box.width / static_cast<int>(bins)), page.font(34));
  for (std::size_t k = 0; k <= bins; k += step) {
    page.text(edge(k), box.bottom() + page.font(10), fmt::format("{:g}", edges[k]),
              {FontRole::numbers, 10.5, page.colors.text2,
               k == 0      ? 0
               : k == bins ? 1
                           : 0.5});
  }
}

}  // namespace

int add_plane(CorpusPage& page, int x, int y, int width) {
  Plane plane;
  plane.x = page.mean(page.figure.x);
  plane.y = page.mean(page.figure.y);
  plane.color = page.mean(page.figure.color);
  plane.box = {x + page.px(kLeftOfPlane), y, width - page.px(kLeftOfPlane + kBarRoom), page.px(kPlaneHeight)};
  const auto axis = [&](std::size_t mean, int ticks) {
    return plot_axis(page.table.ranges[mean].low, page.table.ranges[mean].high, ticks);
  };
  plane.x_axis = axis(plane.x, 8);
  plane.y_axis = axis(plane.y, 8);
  add_axes(page, plane);
  add_points(page, plane);
  add_point_names(page, plane);
  page.bar(plane.box.right() + page.px(14), y, plane.box.height, plane.color);
  page.text(x + width, plane.box.bottom() + page.font(12), mean_words(page.table.keys[plane.color]),
            {FontRole::words, 11, page.colors.text2, 1});
  return plane.box.bottom() + page.px(kBelowPlane);
}

int grid_width(const CorpusPage& page) {
  return page.px(kLeftOfPlane + kBarRoom) + page.px(kLeastCell) * static_cast<int>(page.table.numbers.size());
}

int add_grid(CorpusPage& page, int x, int y, int width) {
  const HeadTable& table = page.table;
  const std::size_t mean = page.mean(page.figure.grid);
  const CellSize cell = cell_size(page, width - page.px(kLeftOfPlane + kBarRoom));
  const int left = x + page.px(kLeftOfPlane), top = y + page.px(18);
  add_grid_names(page, left, top, cell);
  std::vector<bool> chosen(table.heads.size());
  for (const std::size_t head : page.figure.chosen) chosen[head] = true;
  const auto place = [&](std::size_t head) {
    return Box4{left + static_cast<int>(table.heads[head].column) * cell.width,
                top + static_cast<int>(table.heads[head].row) * cell.height, cell.width, cell.height};
  };
  for (std::size_t head = 0; head < table.heads.size(); ++head) add_cell(page, place(head), head, mean);
  for (std::size_t head = 0; head < table.heads.size(); ++head) add_cell_marks(page, place(head), head, chosen[head]);
  const int high = cell.height * static_cast<int>(table.layers.size()), bar = std::max(high, page.px(60));
  page.bar(left + cell.width * static_cast<int>(table.numbers.size()) + page.px(14), top, bar, mean);
  return top + bar + page.px(12);
}

int add_histograms(CorpusPage& page, int x, int y, int width) {
  const HeadRecord& head = page.figure.record->heads[page.figure.head];
  for (const CorpusMetric metric : all_corpus_metrics()) {
    if (histogram_edges(metric).empty()) continue;
    const std::string key(corpus_metric_key(metric));
    page.text(x, y + page.font(8), mean_words(key), {FontRole::words_bold, 12, page.colors.text});
    page.text(x + width, y + page.font(8), "mean " + value_words(head.mean(metric)),
              {FontRole::numbers, 11, page.colors.text, 1});
    add_histogram(page, metric, {x, y + page.px(20), width, page.px(kHistogramHeight)});
    y += page.px(20 + kHistogramHeight + kSection);
  }
  page.text(x, y + page.font(4), fmt::format("filled: this head; line: the mean of {} heads", page.table.heads.size()),
            {FontRole::words, 11, page.colors.text3});
  return y + page.px(18);
}

}  // namespace headscope
