// Shapes and places: rectangles and lines that lie on whole device pixels.
#include <algorithm>
#include <cmath>

#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

float Ui::px(float at_1x) const {
  return std::round(at_1x * scale);
}

ImDrawList& canvas() {
  return *ImGui::GetWindowDrawList();
}

void fill(const Rect& rect, Rgba color, float radius) {
  if (rect.width() <= 0 || rect.height() <= 0) return;
  canvas().AddRectFilled(rect.min, rect.max, color32(color), radius);
}

void outline(Ui& ui, const Rect& rect, Rgba color, float thickness, float radius) {
  if (rect.width() <= 0 || rect.height() <= 0) return;
  const float t = std::max(1.0f, ui.px(thickness));
  ImDrawList& list = canvas();
  list.PathRect({rect.min.x + t / 2, rect.min.y + t / 2}, {rect.max.x - t / 2, rect.max.y - t / 2},
                std::max(0.0f, radius - t / 2));
  compat::path_stroke(list, color32(color), t, true);
}

void horizontal_line(Ui& ui, float x0, float x1, float y, Rgba color) {
  fill({{x0, y}, {x1, y + std::max(1.0f, ui.px(1))}}, color);
}

void vertical_line(Ui& ui, float x, float y0, float y1, Rgba color) {
  fill({{x, y0}, {x + std::max(1.0f, ui.px(1)), y1}}, color);
}

void dotted_line(Ui& ui, float x0, float x1, float y, Rgba color) {
  const float on = std::max(1.0f, ui.px(2)), step = on + std::max(1.0f, ui.px(1));
  for (float x = x0; x < x1; x += step) fill({{x, y}, {std::min(x + on, x1), y + std::max(1.0f, ui.px(1))}}, color);
}

Rect inset(const Rect& rect, float by) {
  return {{rect.min.x + by, rect.min.y + by}, {rect.max.x - by, rect.max.y - by}};
}

Rgba mix(Rgba a, Rgba b, float share_of_b) {
  const auto blend = [&](std::uint8_t x, std::uint8_t y) {
    const float v = static_cast<float>(x) + (static_cast<float>(y) - static_cast<float>(x)) * share_of_b;
    return static_cast<std::uint8_t>(std::clamp(v + 0.5f, 0.0f, 255.0f));
  };
  return {blend(a.r, b.r), blend(a.g, b.g), blend(a.b, b.b), blend(a.a, b.a)};
}

Rect row(const Rect& area, float& y, float height) {
  const Rect result{{area.min.x, y}, {area.max.x, y + height}};
  y += height;
  return result;
}

Rect take_right(Rect& area, float width, float gap) {
  const Rect piece{{area.max.x - width, area.min.y}, area.max};
  area.max.x = piece.min.x - gap;
  return piece;
}

Rect take_left(Rect& area, float width, float gap) {
  const Rect piece{area.min, {area.min.x + width, area.max.y}};
  area.min.x = piece.max.x + gap;
  return piece;
}

void divider(Ui& ui, ImVec2 a, ImVec2 b) {
  if (a.y == b.y) {
    horizontal_line(ui, a.x, b.x, a.y, ui.colors.line);
  } else {
    vertical_line(ui, a.x, a.y, b.y, ui.colors.line);
  }
}

}  // namespace headscope::ui
