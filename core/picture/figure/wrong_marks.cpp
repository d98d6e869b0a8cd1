#include "core/picture/figure/wrong_marks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/diagnose/wrong_borders.h"

namespace headscope {
namespace {

constexpr double kSmallestFramed = 5;     // units of a cell's side
constexpr std::size_t kMostLines = 8192;  // of frames in one map
constexpr double kGap = 2, kBar = 4;

}  // namespace

int marks_room(const Sheet& sheet) {
  return sheet.px(kGap) + sheet.px(kBar);
}

bool mark_wrong_cells(Sheet& sheet, const WrongCells& wrong, int x, int y, const MapSize& size) {
  if (wrong.count == 0) return false;
  const double across = static_cast<double>(size.width) / static_cast<double>(wrong.columns.size());
  const double down = static_cast<double>(size.height) / static_cast<double>(wrong.rows.size());
  const auto place = [](int from, double step, std::int64_t cell) {
    return from + static_cast<int>(std::lround(step * static_cast<double>(cell)));
  };
  const Rgba color = sheet.colors.bad;
  for (const CellStretch& each : stretches_of(wrong.rows)) {
    const int top = place(y, down, each.begin), bottom = place(y, down, each.end);
    sheet.rect(x + size.width + sheet.px(kGap), top, sheet.px(kBar), std::max(1, bottom - top), color);
  }
  for (const CellStretch& each : stretches_of(wrong.columns)) {
    const int left = place(x, across, each.begin), right = place(x, across, each.end);
    sheet.rect(left, y + size.height + sheet.px(kGap), std::max(1, right - left), sheet.px(kBar), color);
  }
  if (std::min(across, down) < kSmallestFramed * sheet.view.scale || wrong.cells.empty()) return false;
  const std::vector<CellStretch> level = borders_of(wrong, true, kMostLines);
  const std::vector<CellStretch> upright = borders_of(wrong, false, kMostLines);
  if (level.size() + upright.size() > kMostLines) return false;
  const int line = sheet.px(std::min(across, down) >= 12 * sheet.view.scale ? 2 : 1), before = line / 2;
  for (const CellStretch& each : level) {
    const int left = place(x, across, each.begin) - before, right = place(x, across, each.end) - before + line;
    sheet.rect(left, place(y, down, each.line) - before, right - left, line, color);
  }
  for (const CellStretch& each : upright) {
    const int top = place(y, down, each.begin) - before, bottom = place(y, down, each.end) - before + line;
    sheet.rect(place(x, across, each.line) - before, top, line, bottom - top, color);
  }
  return true;
}

int mark_numbers(Sheet& sheet, const MarkedNumbers& numbers, int y, int width) {
  if (numbers.count < 2 || numbers.wrong.empty()) return 0;
  const Palette& colors = sheet.colors;
  const int side = sheet.px(24), height = sheet.px(16), line = sheet.px(1);
  int x = sheet.margin() + static_cast<int>(sheet.width_of(numbers.words, FontRole::words, 11)) + sheet.px(8);
  if (x + numbers.count * (side + line) > width - sheet.margin()) return 0;
  sheet.text_middle(sheet.margin(), y + height / 2.0, numbers.words, FontRole::words, 11, colors.text2);
  for (std::int64_t k = 0; k < numbers.count; ++k) {
    const bool differs = std::find(numbers.wrong.begin(), numbers.wrong.end(), k) != numbers.wrong.end();
    if (k == numbers.shown) {
      sheet.rect(x - line, y - line, side + 2 * line, height + 2 * line, colors.text);
    }
    sheet.rect(x, y, side, height, differs ? colors.bad_ground : colors.raised);
    sheet.text_centred(x + side / 2.0, y + height / 2.0, std::to_string(k), FontRole::numbers, 11,
                       differs ? colors.bad : colors.text3);
    x += side + sheet.px(3);
  }
  return height + sheet.px(8);
}

}  // namespace headscope
