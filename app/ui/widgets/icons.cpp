// The icons, as lines and triangles in a square of `size` around `center`.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

// Points are given in a square from -1 to 1.
struct Pen {
  ImDrawList& list;
  ImVec2 center;
  float half;
  ImU32 ink;
  float thickness;

  ImVec2 at(ImVec2 p) const { return {center.x + p.x * half, center.y + p.y * half}; }
  void line(std::initializer_list<ImVec2> points, bool closed = false) const {
    ImVec2 moved[12];
    int n = 0;
    for (const ImVec2 p : points) moved[n++] = at(p);
    compat::add_polyline(list, moved, n, ink, thickness, closed);
  }
  void triangle(ImVec2 a, ImVec2 b, ImVec2 c) const { list.AddTriangleFilled(at(a), at(b), at(c), ink); }
  void box(ImVec2 a, ImVec2 b, float radius = 0) const {
    list.PathRect(at(a), at(b), radius * half);
    compat::path_stroke(list, ink, thickness, true);
  }
  void solid(ImVec2 a, ImVec2 b, float radius = 0) const { list.AddRectFilled(at(a), at(b), ink, radius * half); }
  void arc(ImVec2 middle, float radius, float from, float to) const {
    list.PathArcTo(at(middle), radius * half, from, to, 20);
    compat::path_stroke(list, ink, thickness, false);
  }
};

// An arrow that turns back to the left (mirror 1) or right (-1).
void turn_back(const Pen& pen, float mirror) {
  const float pi = std::numbers::pi_v<float>;
  pen.line({{-0.85f * mirror, -0.3f}, {0.25f * mirror, -0.3f}});
  if (mirror > 0) {
    pen.arc({0.25f, 0.25f}, 0.55f, -pi / 2, pi / 2);
  } else {
    pen.arc({-0.25f, 0.25f}, 0.55f, pi / 2, pi * 1.5f);
  }
  pen.line({{0.25f * mirror, 0.8f}, {-0.2f * mirror, 0.8f}});
  pen.line({{-0.45f * mirror, -0.75f}, {-0.9f * mirror, -0.3f}, {-0.45f * mirror, 0.15f}});
}

// + or -, of bars on whole device pixels.
void draw_sign(Ui& ui, ImVec2 center, float size, Rgba color, bool plus) {
  const float t = std::max(1.0f, ui.px(1.25f)), r = std::round(size / 2);
  const ImVec2 m{std::floor(center.x), std::floor(center.y)};
  fill({{m.x - r, m.y - std::floor(t / 2)}, {m.x + r + 1, m.y - std::floor(t / 2) + t}}, color);
  if (plus) fill({{m.x - std::floor(t / 2), m.y - r}, {m.x - std::floor(t / 2) + t, m.y + r + 1}}, color);
}

// A triangle with an exclamation mark in the colour of the ground.
void draw_warning(const Pen& pen, Rgba ground) {
  pen.triangle({0, -0.95f}, {1, 0.85f}, {-1, 0.85f});
  const float w = std::max(1.0f, std::round(pen.half * 2 / 9));
  const auto mark = [&](float from, float to) {
    pen.list.AddRectFilled({pen.center.x - w / 2, pen.at({0, from}).y}, {pen.center.x + w / 2, pen.at({0, to}).y},
                           color32(ground));
  };
  mark(-0.3f, 0.32f);
  mark(0.48f, 0.68f);
}

// The part of the lower sheet that the upper one leaves free.
void copied_sheet(const Pen& pen) {
  pen.line({{-0.55f, 0.45f},
            {-0.8f, 0.45f},
            {-0.85f, 0.4f},
            {-0.85f, -0.8f},
            {-0.8f, -0.85f},
            {0.4f, -0.85f},
            {0.45f, -0.8f},
            {0.45f, -0.55f}});
}

// The four corners of a square.
void draw_corners(const Pen& pen) {
  for (const float x : {-1.0f, 1.0f}) {
    for (const float y : {-1.0f, 1.0f}) {
      pen.line({{0.85f * x, 0.25f * y}, {0.85f * x, 0.85f * y}, {0.25f * x, 0.85f * y}});
    }
  }
}

}  // namespace

void draw_icon(Ui& ui, Icon icon, ImVec2 center, float size, Rgba color) {
  const Pen pen{canvas(), center, size / 2, color32(color), std::max(1.0f, size / 10)};
  const float pi = std::numbers::pi_v<float>;
  switch (icon) {
    case Icon::undo:
      return turn_back(pen, 1);
    case Icon::redo:
      return turn_back(pen, -1);
    case Icon::close:
      pen.line({{-0.7f, -0.7f}, {0.7f, 0.7f}});
      return pen.line({{-0.7f, 0.7f}, {0.7f, -0.7f}});
    case Icon::plus:
    case Icon::minus:
      return draw_sign(ui, center, size, color, icon == Icon::plus);
    case Icon::lock:
      pen.solid({-0.75f, -0.1f}, {0.75f, 0.95f}, 0.15f);
      pen.arc({0, -0.15f}, 0.48f, pi, 2 * pi);
      pen.line({{-0.48f, -0.15f}, {-0.48f, 0.1f}});
      return pen.line({{0.48f, -0.15f}, {0.48f, 0.1f}});
    case Icon::copy:
      pen.box({-0.35f, -0.35f}, {0.85f, 0.85f}, 0.25f);
      return copied_sheet(pen);
    case Icon::warning:
      return draw_warning(pen, ui.colors.panel);
    case Icon::chevron_left:
      return pen.line({{0.35f, -0.75f}, {-0.35f, 0}, {0.35f, 0.75f}});
    case Icon::chevron_right:
      return pen.line({{-0.35f, -0.75f}, {0.35f, 0}, {-0.35f, 0.75f}});
    case Icon::chevron_down:
      return pen.triangle({-1, -0.5f}, {1, -0.5f}, {0, 0.6f});
    case Icon::expand:
      return draw_corners(pen);
    case Icon::menu_dots:
      for (const float x : {-0.75f, 0.0f, 0.75f})
        pen.list.AddCircleFilled(pen.at({x, 0}), pen.half * 0.2f, pen.ink, 10);
      return;
    case Icon::sidebar:
      pen.box({-0.95f, -0.8f}, {0.95f, 0.8f}, 0.25f);
      return pen.line({{-0.35f, -0.8f}, {-0.35f, 0.8f}});
    case Icon::search:
      pen.arc({-0.15f, -0.15f}, 0.6f, 0, 2 * pi);
      return pen.line({{0.3f, 0.3f}, {0.9f, 0.9f}});
    case Icon::folder:
      return pen.line(
          {{-0.95f, 0.75f}, {-0.95f, -0.7f}, {-0.3f, -0.7f}, {-0.05f, -0.4f}, {0.95f, -0.4f}, {0.95f, 0.75f}}, true);
    case Icon::file:
      pen.line({{-0.7f, -0.95f}, {0.25f, -0.95f}, {0.7f, -0.5f}, {0.7f, 0.95f}, {-0.7f, 0.95f}}, true);
      return pen.line({{0.25f, -0.95f}, {0.25f, -0.5f}, {0.7f, -0.5f}});
    case Icon::check: {
      const Pen bold{pen.list, pen.center, pen.half, pen.ink, std::max(1.5f, size / 6)};
      return bold.line({{-0.85f, 0.05f}, {-0.25f, 0.65f}, {0.85f, -0.6f}});
    }
    case Icon::reset:
      pen.arc({0, 0}, 0.8f, -pi * 0.75f, pi);
      return pen.triangle({-0.95f, -0.95f}, {-0.2f, -0.65f}, {-0.8f, -0.2f});
  }
}

}  // namespace headscope::ui
