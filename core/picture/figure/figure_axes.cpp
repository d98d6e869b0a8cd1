// Labels along the axes of a map, and colour bars.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/grouped_digits.h"
#include "core/picture/figure/figure_sheet.h"
#include "core/picture/text/labels_apart.h"
#include "core/picture/text/text.h"
#include "core/request/stage_info.h"

namespace headscope {

namespace {

constexpr double kAxisSize = 11;
constexpr double kLongestRowName = 110, kLongestColumnName = 92;

// The smallest step of 1, 2, 5 x 10^n (tokens) or of powers of two (indices) that keeps `spacing` pixels apart.
std::int64_t label_step(double cell, double spacing, bool powers_of_two) {
  std::int64_t step = 1;
  for (int k = 0; static_cast<double>(step) * cell < spacing && step < (std::int64_t{1} << 40); ++k) {
    step = powers_of_two ? step * 2 : (k % 3 == 1 ? step / 2 * 5 : step * 2);
  }
  return step;
}

// Whether the axis is labelled by words; else by indices.
bool is_named(const Sheet& sheet, const std::vector<std::string>& names, double cell) {
  return !names.empty() && cell >= sheet.named_from();
}

// The names of an axis as they fit into `longest` units: those that differ have labels that differ.
std::vector<std::string> fitted_names(const Sheet& sheet, const std::vector<std::string>& names, double longest) {
  const double size = sheet.font(kAxisSize);
  LabelFit fit;
  fit.width = sheet.font(longest);
  fit.width_of = [size](std::string_view text) { return drawn_width(text, FontRole::numbers, size); };
  fit.cut_at_end = [&fit, size](const std::string& text) { return fit_text(text, FontRole::numbers, size, fit.width); };
  std::vector<AxisName> axis;
  for (const std::string& name : names) axis.push_back({std::ssize(axis), name});
  return labels_apart(axis, fit);
}

// A number below a level bar, and its tick.
struct LevelTick {
  double share = 0;  // of the bar's length
  std::string label;
  double size = kAxisSize;
  double left = 0, right = 0;
};

// Where numbers below a level bar stand.
struct LevelBar {
  const Sheet& sheet;
  int x = 0, width = 0;

  LevelTick tick(double share, const std::string& label, double size = kAxisSize) const {
    const double extent = sheet.width_of(label, FontRole::numbers, size);
    // The end labels stay within the bar.
    const double left = share <= 0 ? x : share >= 1 ? x + width - extent : x + share * (width - 1) - extent / 2;
    return {share, label, size, left, left + extent};
  }
};

// The numbers of a level bar that do not run into each other: both ends, and between them all, every second or none.
// Where the ends alone would touch, both as one number, "\u00b1.348", or in smaller type; the upper end alone where
// that could not be read.
std::vector<LevelTick> apart(const LevelBar& bar, const std::vector<std::pair<double, std::string>>& ticks,
                             const ValueRange& range) {
  constexpr double kSmallest = 7;
  const double gap = bar.sheet.font(6);
  if (ticks.empty()) return {};
  for (std::size_t step = 1; step < 2 * ticks.size(); step *= 2) {
    std::vector<LevelTick> kept;
    for (std::size_t k = 0; k + 1 < ticks.size(); k += step) kept.push_back(bar.tick(ticks[k].first, ticks[k].second));
    kept.push_back(bar.tick(ticks.back().first, ticks.back().second));
    const auto touch = [&](const LevelTick& one, const LevelTick& next) { return one.right + gap > next.left; };
    if (std::adjacent_find(kept.begin(), kept.end(), touch) == kept.end()) return kept;
  }
  if (range.low == -range.high && !range.per_row) return {bar.tick(0.5, "\u00b1" + tick_text(range.high, range.high))};
  const LevelTick first = bar.tick(ticks.front().first, ticks.front().second);
  const LevelTick last = bar.tick(ticks.back().first, ticks.back().second);
  const double size = kAxisSize * (bar.width - gap) / (first.right - first.left + last.right - last.left);
  if (size < kSmallest) return {last};
  return {bar.tick(first.share, first.label, size), bar.tick(last.share, last.label, size)};
}

}  // namespace

std::pair<std::string, std::string> corner_words(const AxisNames& names) {
  const bool own = !names.row_word.empty();
  const std::string row = own ? names.row_word : names.score_like ? "query" : "token";
  const std::string column = own ? names.column_word : names.score_like ? "key" : "feature";
  return {row + " \u2193", column + " \u2192"};
}

int Sheet::row_gutter(const std::vector<std::string>& names, std::int64_t count, double cell_height) const {
  if (!view.labels) return 0;
  double widest = width_of(grouped_digits(count - 1), FontRole::numbers, kAxisSize) + font(6);
  if (is_named(*this, names, cell_height)) {
    widest = 0;
    for (const std::string& name : names) {
      widest = std::max(widest, width_of(name, FontRole::numbers, kAxisSize));
      if (widest >= font(kLongestRowName)) break;
    }
    widest = std::min(widest, font(kLongestRowName));
  }
  return static_cast<int>(std::ceil(widest)) + px(8);
}

int Sheet::column_height(const std::vector<std::string>& names, double cell_width) const {
  if (!view.labels) return 0;
  if (!is_named(*this, names, cell_width)) return px(22);
  double longest = 0;
  for (const std::string& name : names) {
    longest = std::max(longest, width_of(name, FontRole::numbers, kAxisSize));
    if (longest >= font(kLongestColumnName)) break;
  }
  return static_cast<int>(std::ceil(std::min(longest, font(kLongestColumnName)))) + px(8);
}

void Sheet::side_labels(const std::vector<std::string>& names, std::int64_t count, const Side& side,
                        const MarkedLabel& marked) {
  if (!view.labels) return;
  const bool named = is_named(*this, names, side.cell_height);
  const std::int64_t step = named ? 1 : label_step(side.cell_height, font(22), false);
  const double x = side.before ? side.x - px(8) : side.x + px(8), anchor = side.before ? 1 : 0;
  const auto middle_of = [&](std::int64_t i) { return side.y + (static_cast<double>(i) + 0.5) * side.cell_height; };
  const bool any_marked = marked.index >= 0 && marked.index < count;
  const std::vector<std::string> labels =
      named || any_marked ? fitted_names(*this, names, kLongestRowName) : std::vector<std::string>();
  const auto name_at = [&](std::int64_t i, FontRole role, Rgba color) {
    const std::string name =
        fit_text(labels[static_cast<std::size_t>(i)], role, font(kAxisSize), font(kLongestRowName));
    text_anchored(x, middle_of(i), name, {role, kAxisSize, color}, anchor);
  };
  for (std::int64_t i = 0; i < count; i += step) {
    if (any_marked && std::fabs(middle_of(i) - middle_of(marked.index)) < font(12) && !named) continue;
    if (i == marked.index) continue;
    if (named) {
      name_at(i, FontRole::numbers, colors.text2);
    } else {
      rect(side.before ? side.x - px(5) : side.x + px(1), static_cast<int>(std::floor(middle_of(i))), px(4), px(1),
           colors.text3);
      text_anchored(x, middle_of(i), grouped_digits(i), {FontRole::numbers, kAxisSize, colors.text3}, anchor);
    }
  }
  if (any_marked && !names.empty()) name_at(marked.index, FontRole::numbers_bold, marked.color);
}

void Sheet::column_labels(const std::vector<std::string>& names, std::int64_t count, int x, int bottom,
                          double cell_width) {
  if (!view.labels) return;
  if (is_named(*this, names, cell_width)) {
    const std::vector<std::string> labels = fitted_names(*this, names, kLongestColumnName);
    for (std::int64_t j = 0; j < count; ++j) {
      const double center = x + (static_cast<double>(j) + 0.5) * cell_width;
      text_upwards(center, bottom - px(6), labels[static_cast<std::size_t>(j)], FontRole::numbers, kAxisSize,
                   colors.text2);
    }
    return;
  }
  const double widest = width_of(grouped_digits(count - 1), FontRole::numbers, kAxisSize);
  const std::int64_t step = label_step(cell_width, widest + font(names.empty() ? 8 : 16), names.empty());
  for (std::int64_t j = 0; j < count; j += step) {
    const double center = x + (static_cast<double>(j) + 0.5) * cell_width;
    rect(static_cast<int>(std::floor(center)), bottom - px(5), px(1), px(4), colors.text3);
    text_centred(center, bottom - font(12), grouped_digits(j), FontRole::numbers, kAxisSize, colors.text3);
  }
}

void Sheet::column_labels_below(const std::vector<std::string>& names, std::int64_t count, int x, int top,
                                double cell_width) {
  if (!view.labels) return;
  const bool named = is_named(*this, names, cell_width);
  const double widest = width_of(grouped_digits(count - 1), FontRole::numbers, kAxisSize);
  const std::int64_t step = named ? 1 : label_step(cell_width, widest + font(16), false);
  const std::vector<std::string> labels =
      named ? fitted_names(*this, names, kLongestColumnName) : std::vector<std::string>();
  for (std::int64_t j = 0; j < count; j += step) {
    const double center = x + (static_cast<double>(j) + 0.5) * cell_width;
    if (named) {
      const std::string& name = labels[static_cast<std::size_t>(j)];
      text_upwards(center, top + px(5) + width_of(name, FontRole::numbers, kAxisSize), name, FontRole::numbers,
                   kAxisSize, colors.text2);
      std::get<TextItem>(plan.items.back()).anchor = 1;
    } else {
      rect(static_cast<int>(std::floor(center)), top + px(1), px(1), px(4), colors.text3);
      text_centred(center, top + font(13), grouped_digits(j), FontRole::numbers, kAxisSize, colors.text2);
    }
  }
}

void Sheet::frame(int x, int y, int width, int height) {
  const int line = px(0.6);
  const Rgba color = colors.text3;
  rect(x - line, y - line, width + 2 * line, line, color);
  rect(x - line, y + height, width + 2 * line, line, color);
  rect(x - line, y, line, height, color);
  rect(x + width, y, line, height, color);
}

void Sheet::corner(int right, int bottom, const AxisNames& names) {
  if (!view.labels) return;
  const double edge = right - px(8), middle = bottom - font(11);
  const auto [row, column] = corner_words(names);
  text_right(edge, middle - font(14), row, FontRole::words, kAxisSize, names.score_like ? colors.query : colors.text3);
  text_right(edge, middle, column, FontRole::words, kAxisSize, names.score_like ? colors.key : colors.text3);
}

std::vector<std::pair<double, std::string>> Sheet::ticks(ColorMap map, const ValueRange& range, double length,
                                                         double spacing) const {
  if (range.per_row) {
    if (is_diverging(map)) return {{0, "\u2212max"}, {0.5, "0"}, {1, "max"}};
    return {{0, "min"}, {1, "max"}};
  }
  std::vector<std::pair<double, std::string>> result;
  if (range.log_scale && range.high > 0) {
    const double floor = std::fmax(range.low, range.high * 1e-6), decades = std::log10(range.high / floor);
    if (!(decades > 0)) return {{1, tick_text(range.high, range.high)}};
    const int step = std::max(1, static_cast<int>(std::ceil(spacing / (length / decades))));
    result.emplace_back(0, tick_text(floor, floor));
    const int first = static_cast<int>(std::ceil(std::log10(floor) - 1e-9));
    for (int power = first; power <= std::log10(range.high) + 1e-9; ++power) {
      const double share = (power - std::log10(floor)) / decades;
      if ((power - first) % step != 0) continue;
      if (share * length < spacing || (1 - share) * length < spacing) continue;
      result.emplace_back(share, tick_text(std::pow(10.0, power), std::pow(10.0, power)));
    }
    result.emplace_back(1, tick_text(range.high, range.high));
    return result;
  }
  const double largest = std::max(std::fabs(range.low), std::fabs(range.high));
  if (!(range.high > range.low)) return {{0.5, tick_text(range.low, largest)}};
  const int parts = length >= 4 * spacing ? 4 : length >= 2 * spacing ? 2 : 1;
  for (int k = 0; k <= parts; ++k) {
    const double share = static_cast<double>(k) / parts;
    const double value = range.low + share * (range.high - range.low);
    const bool zero = std::fabs(value) < 1e-9 * (range.high - range.low);
    result.emplace_back(share, zero ? "0" : tick_text(value, largest));
  }
  return result;
}

int Sheet::upright_bar_room() const {
  if (!view.color_bar) return 0;
  const bool of_stage = view.view == ViewKind::heads || view.view == ViewKind::head || view.view == ViewKind::stage;
  const bool from_zero_to_one =
      of_stage && view.range == RangeKind::automatic && stage_info(view.stage).picture.range == StageRange::zero_to_one;
  return upright_bar_gap() + px(10 + 8) + px(on_paper() && from_zero_to_one ? 20 : 40);
}

void Sheet::upright_bar(int x, int y, int height, ColorMap map, const ValueRange& range) {
  if (!view.color_bar) return;
  plan.items.emplace_back(BarItem{x, y, px(10), height, map, true});
  for (const auto& [share, label] : ticks(map, range, height, font(17))) {
    const double at = y + (1 - share) * (height - 1);
    rect(x + px(10), static_cast<int>(std::floor(at)), px(4), px(1), colors.text3);
    text_middle(x + px(10) + px(7), at + 0.5, label, FontRole::numbers, kAxisSize, colors.text2);
  }
}

void Sheet::level_bar(int x, int y, int width, ColorMap map, const ValueRange& range) {
  if (!view.color_bar) return;
  plan.items.emplace_back(BarItem{x, y, width, px(10), map, false});
  for (const LevelTick& tick : apart({*this, x, width}, ticks(map, range, width, font(40)), range)) {
    rect(static_cast<int>(std::floor(x + tick.share * (width - 1))), y + px(10), px(1), px(4), colors.text3);
    text_middle(tick.left, y + font(22), tick.label, FontRole::numbers, tick.size, colors.text2);
  }
}

}  // namespace headscope
