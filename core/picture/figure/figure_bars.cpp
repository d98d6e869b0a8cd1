#include "core/picture/figure/figure_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {

namespace {

constexpr double kRow = 20, kBar = 10, kSize = 12;  // units

struct Columns {
  int name = 0;              // room of the names
  int first = 0, last = 0;   // pixels of the bars
  double low = 0, high = 0;  // the values at their ends
};

Columns columns_of(const Sheet& sheet, const BarRoom& room, const std::vector<SignedBar>& bars) {
  Columns columns;
  double name = 0, number = 0;
  for (const SignedBar& bar : bars) {
    name = std::max(name, sheet.width_of(bar.name, FontRole::words, kSize));
    number = std::max(number, sheet.width_of(signed_number_text(bar.value), FontRole::numbers, kSize));
    if (!std::isfinite(bar.value)) continue;
    columns.low = std::min(columns.low, bar.value);
    columns.high = std::max(columns.high, bar.value);
  }
  const int width = room.right - room.left;
  columns.name = std::min(static_cast<int>(std::ceil(name)), width * 45 / 100);
  columns.first = room.left + columns.name + sheet.px(10);
  columns.last = std::max(columns.first, room.right - static_cast<int>(std::ceil(number)) - sheet.px(10));
  return columns;
}

}  // namespace

std::vector<SignedBar> bars_by_size(std::vector<SignedBar> bars, std::size_t most) {
  std::stable_sort(bars.begin(), bars.end(), [](const SignedBar& a, const SignedBar& b) {
    const double left = std::fabs(a.value), right = std::fabs(b.value);
    return std::isnan(left) != std::isnan(right) ? std::isnan(left) : left > right;
  });
  if (bars.size() <= most) return bars;
  SignedBar rest{fmt::format("{} more", bars.size() - most), 0};
  for (std::size_t k = most; k < bars.size(); ++k) rest.value += bars[k].value;
  bars.resize(most);
  bars.push_back(std::move(rest));
  return bars;
}

int add_bars(Sheet& sheet, const BarRoom& room, const std::vector<SignedBar>& bars) {
  if (bars.empty()) return room.top;
  const Columns columns = columns_of(sheet, room, bars);
  const int row = sheet.px(kRow), count = static_cast<int>(bars.size());
  const double span = columns.high - columns.low;
  const double pixels = span > 0 ? (columns.last - columns.first) / span : 0;
  const int zero = columns.first + static_cast<int>(std::lround(-columns.low * pixels));
  for (int k = 0; k < count; ++k) {
    const SignedBar& bar = bars[static_cast<std::size_t>(k)];
    const int top = room.top + k * row;
    const double middle = top + row / 2.0;
    sheet.text_middle(room.left, middle, fit_text(bar.name, FontRole::words, sheet.font(kSize), columns.name),
                      FontRole::words, kSize, sheet.colors.text2);
    sheet.text_right(room.right, middle, signed_number_text(bar.value), FontRole::numbers, kSize, sheet.colors.text);
    if (!std::isfinite(bar.value)) continue;
    const int length = static_cast<int>(std::lround(std::fabs(bar.value) * pixels));
    if (length == 0) continue;
    const int height = sheet.px(kBar), y = top + (row - height) / 2;
    const Rgba color = bar.value > 0 ? sheet.colors.bar_positive : sheet.colors.bar_negative;
    sheet.rect(bar.value > 0 ? zero : zero - length, y, length, height, color);
  }
  sheet.rect(zero, room.top, sheet.px(1), count * row, sheet.colors.text3);
  return room.top + count * row;
}

}  // namespace headscope
