// Buttons, chips, check boxes, radio lines and segments.
#include <algorithm>
#include <cmath>

#include "app/ui/widgets/control_box.h"

namespace headscope::ui {

bool shows_ring(const Ui& ui, const Interaction& it) {
  return it.focused && ui.state.focus_by_keyboard;
}

// Ground and edge that buttons, combos and chips share.
void control_box(Ui& ui, const Rect& rect, const ControlState& state, const Interaction& it, bool on) {
  const Palette& c = ui.colors;
  const float radius = ui.px(size::radius_control);
  if (!state.enabled) {
    outline(ui, rect, c.line, 1, radius);
    return;
  }
  if (on) {
    fill(rect, it.hovered ? mix(c.accent_fill, c.text, 0.12f) : c.accent_fill, radius);
  } else {
    fill(rect, it.hovered ? c.hover : c.raised, radius);
    outline(ui, rect, it.hovered ? c.text2 : c.edge, 1, radius);
  }
  if (state.problem) outline(ui, rect, c.bad, 2, radius);
  if (shows_ring(ui, it)) focus_ring(ui, rect, radius);
}

namespace {

constexpr Rgba kWhite{255, 255, 255, 255};

}  // namespace

bool button(Ui& ui, const std::string& name, const Rect& rect, const Words& label, const ControlState& state,
            bool primary) {
  const Interaction it = interact(ui, name, rect, state);
  control_box(ui, rect, state, it, primary);
  const Rgba ink = !state.enabled ? ui.colors.text3 : primary ? kWhite : ui.colors.text;
  text_in(ui, inset(rect, ui.px(4)), primary ? Type::title12 : Type::words12, ink, label, 0.5f);
  return it.clicked;
}

bool icon_button(Ui& ui, const std::string& name, const Rect& rect, Icon icon, const ControlState& state) {
  const Interaction it = interact(ui, name, rect, state);
  const float radius = ui.px(size::radius_control);
  if (state.enabled && it.hovered) fill(rect, ui.colors.hover, radius);
  draw_icon(ui, icon, rect.center(), ui.px(14),
            !state.enabled ? mix(ui.colors.text3, ui.colors.panel, 0.55f)
            : it.hovered   ? ui.colors.text
                           : ui.colors.text2);
  if (shows_ring(ui, it)) focus_ring(ui, inset(rect, ui.px(2)), radius);
  return it.clicked;
}

bool chip(Ui& ui, const std::string& name, const Rect& rect, const Words& label, bool& on, const ControlState& state) {
  const Interaction it = interact(ui, name, rect, state);
  control_box(ui, rect, state, it, on && state.enabled);
  const Rgba ink = !state.enabled ? ui.colors.text3 : on ? kWhite : ui.colors.text;
  text_in(ui, inset(rect, ui.px(4)), on ? Type::title12 : Type::words12, ink, label, 0.5f);
  if (it.clicked) on = !on;
  return it.clicked;
}

bool checkbox(Ui& ui, const std::string& name, const Rect& rect, const Words& label, bool& on,
              const ControlState& state) {
  const Interaction it = interact(ui, name, rect, state);
  const Palette& c = ui.colors;
  const float side = ui.px(16), radius = ui.px(size::radius_inner);
  const float top = std::round(rect.center().y - side / 2);
  const Rect box{{rect.min.x, top}, {rect.min.x + side, top + side}};
  if (!state.enabled) {
    outline(ui, box, c.line, 1, radius);
  } else if (on) {
    fill(box, c.accent_fill, radius);
  } else {
    fill(box, it.hovered ? c.hover : c.well, radius);
    outline(ui, box, it.hovered ? c.text2 : c.edge, 1, radius);
  }
  if (on) draw_icon(ui, Icon::check, box.center(), ui.px(11), state.enabled ? kWhite : c.text3);
  if (state.problem) outline(ui, box, c.bad, 2, radius);
  if (shows_ring(ui, it)) focus_ring(ui, box, radius);
  text_in(ui, {{box.max.x + ui.px(8), rect.min.y}, rect.max}, Type::words12, state.enabled ? c.text : c.text3, label);
  if (it.clicked) on = !on;
  return it.clicked;
}

bool radio(Ui& ui, const std::string& name, const Rect& rect, const RadioLine& line, const ControlState& state) {
  const bool on = line.on;
  const Interaction it = interact(ui, name, rect, state);
  const Palette& c = ui.colors;
  if (on || (it.hovered && state.enabled)) fill(rect, on ? c.tint : c.hover, ui.px(size::radius_control));
  const float r = ui.px(8);
  const ImVec2 center{rect.min.x + ui.px(10) + r, std::round(rect.center().y)};
  ImDrawList& list = canvas();
  list.AddCircleFilled(center, r, color32(c.well), 24);
  list.AddCircle(center, r - 0.5f,
                 color32(!state.enabled ? c.line
                         : on           ? c.accent
                                        : c.edge),
                 24, on ? ui.px(2) : ui.px(1));
  if (on) list.AddCircleFilled(center, ui.px(4), color32(c.accent), 20);
  Rect rest{{center.x + r + ui.px(10), rect.min.y}, {rect.max.x - ui.px(10), rect.max.y}};
  const float fact = std::ceil(text_width(ui, Type::mono11, line.fact));
  if (!line.fact.text.empty()) text_in(ui, take_right(rest, fact, ui.px(8)), Type::mono11, c.text2, line.fact, 1);
  text_in(ui, rest, on ? Type::title13 : Type::words13, state.enabled ? c.text : c.text3, line.label);
  if (shows_ring(ui, it)) focus_ring(ui, inset(rect, ui.px(2)), ui.px(size::radius_control));
  return it.clicked && !on;
}

namespace {

// The right edges of the cells in `inner`: every item as wide as its words and the same padding.
std::vector<float> segment_ends(Ui& ui, const Rect& inner, const std::vector<std::string>& items) {
  float words = 0;
  std::vector<float> widths;
  for (const std::string& item : items) {
    widths.push_back(text_width(ui, Type::words12, item));
    words += widths.back();
  }
  const float padding =
      std::max(0.0f, (inner.width() - words) / static_cast<float>(std::max<std::size_t>(1, items.size())));
  std::vector<float> ends;
  float x = inner.min.x;
  for (const float width : widths) {
    x += width + padding;
    ends.push_back(std::round(x));
  }
  if (!ends.empty()) ends.back() = inner.max.x;
  return ends;
}

// One cell of segments. `divides`: a line parts it from the one before, where neither is on or under the mouse.
struct SegmentLook {
  bool enabled = true, on = false, hovered = false, divides = false;
};
void draw_segment(Ui& ui, const Rect& cell, const std::string& item, const SegmentLook& look) {
  const Palette& c = ui.colors;
  if (look.on) {
    fill(cell, look.enabled ? c.accent_fill : c.raised, ui.px(size::radius_inner));
  } else if (look.hovered) {
    fill(cell, c.hover, ui.px(size::radius_inner));
  } else if (look.divides) {
    const float middle = cell.center().y;
    vertical_line(ui, cell.min.x, std::round(middle - ui.px(6)), std::round(middle + ui.px(6)), c.line);
  }
  text_in(ui, cell, look.on ? Type::title12 : Type::words12,
          !look.enabled  ? c.text3
          : look.on      ? kWhite
          : look.hovered ? c.text
                         : c.text2,
          item, 0.5f);
}

// Arrows, Home and End move the selection; Space and Enter go round. True when it changed.
bool take_segment_keys(Ui& ui, int count, int& selected) {
  const int last = count - 1;
  const int before = selected;
  if (ui.take_key(KeyName::right)) selected = std::min(last, selected + 1);
  if (ui.take_key(KeyName::left)) selected = std::max(0, selected - 1);
  if (ui.take_key(KeyName::home)) selected = 0;
  if (ui.take_key(KeyName::end)) selected = last;
  if (ui.take_key(KeyName::space) || ui.take_key(KeyName::enter)) selected = selected == last ? 0 : selected + 1;
  if (selected == before) return false;
  ui.state.focus_by_keyboard = true;
  return true;
}

}  // namespace

bool segments(Ui& ui, const std::string& name, const Rect& rect, const std::vector<std::string>& items, int& selected,
              const ControlState& state) {
  const Palette& c = ui.colors;
  const Interaction it = interact_mouse(ui, name, rect, state);
  const float radius = ui.px(size::radius_control);
  if (state.enabled) fill(rect, c.well, radius);
  outline(ui, rect, !state.enabled ? c.line : c.edge, 1, radius);
  const Rect inner = inset(rect, ui.px(2));
  const std::vector<float> ends = segment_ends(ui, inner, items);
  const int count = static_cast<int>(items.size());
  bool changed = false;
  float begin = inner.min.x;
  for (int i = 0; i < count; ++i) {
    const std::string& item = items[static_cast<std::size_t>(i)];
    const Rect cell{{begin, inner.min.y}, {ends[static_cast<std::size_t>(i)], inner.max.y}};
    ui.mark(name + "/" + item, cell);
    const bool hovered = it.hovered && cell.contains(ImGui::GetIO().MousePos);
    const bool on = i == selected;
    draw_segment(ui, cell, item, {state.enabled, on, hovered, i > 0 && i != selected + 1});
    if (it.clicked && hovered && !on) {
      selected = i;
      changed = true;
    }
    begin = cell.max.x;
  }
  if (it.focused && take_segment_keys(ui, count, selected)) changed = true;
  if (state.problem) outline(ui, rect, c.bad, 2, radius);
  if (shows_ring(ui, it)) focus_ring(ui, rect, radius);
  return changed;
}

}  // namespace headscope::ui
