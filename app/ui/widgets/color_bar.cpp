// The colour bar with its numbers, and the bar of a running job.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"

namespace headscope::ui {

std::string tick_label(double value, double span) {
  if (value == 0) return "0";
  if (span < 0.002) return with_minus_signs(fmt::format("{:.1e}", value));
  const int decimals = span >= 100 ? 0 : span >= 8 ? 1 : span >= 0.2 ? 2 : span >= 0.02 ? 3 : 4;
  std::string text = number_label(value, decimals);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  const std::size_t zero = text.find("0.");
  if (zero != std::string::npos && (zero == 0 || zero == 3)) text.erase(zero, 1);
  return text;
}

namespace {

// At a quarter of the bar.
std::string quarter_label(const ValueRange& range, int quarter) {
  const double t = quarter / 4.0;
  double value = range.low + (range.high - range.low) * t;
  if (range.log_scale && range.high > 0) {
    const double floor = std::max(range.low, range.high * 1e-6);
    value = floor * std::pow(range.high / floor, t);
  }
  return range.log_scale ? number_label(value, value < 1e-3 ? 0 : 3, true) : tick_label(value, range.high - range.low);
}

constexpr float kThickness = 10, kTick = 3, kGap = 4;

}  // namespace

float color_bar_width(Ui& ui, const ValueRange& range) {
  float widest = 0;
  for (int quarter = 0; quarter <= 4; ++quarter) {
    widest = std::max(widest, text_width(ui, Type::mono11, quarter_label(range, quarter)));
  }
  return ui.px(kThickness) + ui.px(kTick) + ui.px(kGap) + std::ceil(widest);
}

void color_bar(Ui& ui, const Rect& rect, ColorMap map, const ValueRange& range, bool horizontal) {
  const float thickness = ui.px(kThickness);
  ImDrawList& list = canvas();
  const Rect bar = horizontal ? Rect{rect.min, {rect.max.x, rect.min.y + thickness}}
                              : Rect{rect.min, {rect.min.x + thickness, rect.max.y}};
  const float length = horizontal ? bar.width() : bar.height();
  if (length < 2) return;
  // One rectangle a device pixel, but never more than the map has entries.
  const int steps = std::clamp(static_cast<int>(length), 2, 256);
  for (int i = 0; i < steps; ++i) {
    const double t = (i + 0.5) / steps;
    const float a = std::round(length * static_cast<float>(i) / static_cast<float>(steps));
    const float b = std::round(length * static_cast<float>(i + 1) / static_cast<float>(steps));
    const ImU32 color = color32(color_at(map, t));
    if (horizontal) {
      list.AddRectFilled({bar.min.x + a, bar.min.y}, {bar.min.x + b, bar.max.y}, color);
    } else {
      list.AddRectFilled({bar.min.x, bar.max.y - b}, {bar.max.x, bar.max.y - a}, color);
    }
  }
  const float tick = ui.px(kTick), gap = ui.px(kGap);
  const float text_height = ui.fonts.pixels[static_cast<int>(Type::mono11)];
  const auto label_at = [&](int i) { return quarter_label(range, i); };
  // Too short for all five numbers: the ends, and the middle where it has room.
  const auto fits = [&](int i) {
    if (!horizontal) return length >= ui.px(70) || i == 0 || i == 4;
    if (i == 0 || i == 4) return true;
    // The end's label begins at the bar's own end; those between are centred on their ticks.
    const float end = std::max(text_width(ui, Type::mono11, label_at(0)), text_width(ui, Type::mono11, label_at(4)));
    const float between =
        std::max(text_width(ui, Type::mono11, label_at(i)), text_width(ui, Type::mono11, label_at(4 - i)));
    return length / (i == 2 ? 2.0f : 4.0f) - between / 2 >= end + ui.px(5);
  };
  for (int i = 0; i <= 4; ++i) {
    if (!fits(i)) continue;
    const double t = i / 4.0;
    const std::string label = label_at(i);
    if (horizontal) {
      const float x = std::round(bar.min.x + (length - ui.px(1)) * static_cast<float>(t));
      vertical_line(ui, x, bar.max.y, bar.max.y + tick, ui.colors.text3);
      const float width = text_width(ui, Type::mono11, label);
      const float left = std::clamp(x - width / 2, bar.min.x, bar.max.x - width);
      text(ui, {std::round(left), bar.max.y + tick + ui.px(1)}, Type::mono11, ui.colors.text2, label);
    } else {
      const float y = std::round(bar.max.y - ui.px(1) - (length - ui.px(1)) * static_cast<float>(t));
      horizontal_line(ui, bar.max.x, bar.max.x + tick, y, ui.colors.text3);
      text(ui, {bar.max.x + tick + gap, std::round(y - text_height / 2)}, Type::mono11, ui.colors.text2, label);
    }
  }
}

void progress_bar(Ui& ui, const Rect& rect, double share) {
  const float radius = ui.px(size::radius_inner);
  fill(rect, ui.colors.well, radius);
  outline(ui, rect, ui.colors.edge, 1, radius);
  const Rect inner = inset(rect, ui.px(2));
  const float width = std::round(inner.width() * static_cast<float>(std::clamp(share, 0.0, 1.0)));
  if (width >= 1) fill({inner.min, {inner.min.x + width, inner.max.y}}, ui.colors.accent_fill, ui.px(1));
}

}  // namespace headscope::ui
