// [-] number [+]: the buttons and arrows offer values that can run; the user may type any value, to see why it cannot
// run.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "app/ui/widgets/text_line.h"

namespace headscope::ui {

namespace {

template <typename Number>
bool parse_whole(const std::string& text, Number& value) {
  Number parsed = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size()) return false;
  value = parsed;
  return true;
}

// The parts of a stepper, and which of its buttons is under the mouse.
struct StepperParts {
  Rect rect, minus, plus, middle;
  bool on_minus = false, on_plus = false;
};

StepperParts parts_of(Ui& ui, const std::string& name, const Rect& rect, bool typing, bool hovered) {
  const float side = ui.px(24);
  StepperParts parts;
  parts.rect = rect;
  parts.minus = {rect.min, {rect.min.x + side, rect.max.y}};
  parts.plus = {{rect.max.x - side, rect.min.y}, rect.max};
  parts.middle = typing ? Rect{{rect.min.x + ui.px(8), rect.min.y}, {rect.max.x - ui.px(8), rect.max.y}}
                        : Rect{{parts.minus.max.x, rect.min.y}, {parts.plus.min.x, rect.max.y}};
  ui.mark(name + "/-", parts.minus);
  ui.mark(name + "/+", parts.plus);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  parts.on_minus = hovered && !typing && parts.minus.contains(mouse);
  parts.on_plus = hovered && !typing && parts.plus.contains(mouse);
  return parts;
}

// A disabled one: its value, and a lock.
void draw_locked_number(Ui& ui, const Rect& rect, const std::string& number) {
  const Palette& c = ui.colors;
  outline(ui, rect, c.line, 1, ui.px(size::radius_control));
  text_in(ui, {rect.min, {rect.max.x - ui.px(22), rect.max.y}}, Type::mono12, c.text3, number, 0.5f);
  draw_icon(ui, Icon::lock, {rect.max.x - ui.px(13), std::round(rect.center().y)}, ui.px(11), c.text3);
}

// Ground, edge, buttons and number. A button that has nothing to step to is faint.
void draw_number(Ui& ui, const StepperParts& parts, bool hovered, const std::string& number, bool can_down,
                 bool can_up) {
  const Palette& c = ui.colors;
  const Rect& rect = parts.rect;
  const float radius = ui.px(size::radius_control);
  fill(rect, c.well, radius);
  if (parts.on_minus) fill(parts.minus, c.hover, radius);
  if (parts.on_plus) fill(parts.plus, c.hover, radius);
  outline(ui, rect, hovered ? c.text2 : c.edge, 1, radius);
  const float top = rect.min.y + ui.px(5), bottom = rect.max.y - ui.px(5);
  vertical_line(ui, parts.minus.max.x, top, bottom, c.line);
  vertical_line(ui, parts.plus.min.x - ui.px(1), top, bottom, c.line);
  draw_icon(ui, Icon::minus, parts.minus.center(), ui.px(6), !can_down ? c.edge : parts.on_minus ? c.text : c.text2);
  draw_icon(ui, Icon::plus, parts.plus.center(), ui.px(6), !can_up ? c.edge : parts.on_plus ? c.text : c.text2);
  text_in(ui, parts.middle, Type::mono12, c.text, number, 0.5f);
}

// Up and Down step, characters edit the text, Enter begins and ends the editing, Escape ends it.
template <typename Number, typename Step>
void take_number_keys(Ui& ui, const std::string& name, TextEdit& edit, Number before, Number& value, const Step& step) {
  while (ui.take_key(KeyName::up)) value = step(value, +1);
  while (ui.take_key(KeyName::down)) value = step(value, -1);
  if (value != before) {
    ui.state.editing.clear();
    replace_text(edit, std::to_string(value));
    select_all(edit);
  }
  if (edit_by_keys(ui, edit, false)) {
    ui.state.editing = name;
    parse_whole(edit.buffer, value);
  }
  if (ui.take_key(KeyName::enter)) {
    ui.state.editing = ui.state.editing == name ? "" : name;
    select_all(edit);
  }
  if (ui.state.editing == name && ui.take_key(KeyName::escape)) ui.state.editing.clear();
}

// `step(value, +1 or -1)` gives the neighbour that is offered, or the same number when there is none.
template <typename Number, typename Step>
bool step_and_type(Ui& ui, const std::string& name, const Rect& rect, Number& value, const Step& step,
                   const ControlState& state) {
  const Number before = value;
  TextEdit& edit = ui.state.edits[name];
  const bool typing = ui.state.editing == name && ui.state.focus == name && ui.on_top();
  Number parsed{};
  const bool readable = parse_whole(edit.buffer, parsed);
  ControlState shown = state;
  shown.problem = state.problem || (typing && !readable);

  const Interaction it = interact_mouse(ui, name, rect, shown);
  const bool focused = it.focused && state.enabled;
  const StepperParts parts = parts_of(ui, name, rect, typing, it.hovered);
  if (!typing || (readable && parsed != value)) replace_text(edit, std::to_string(value));
  select_on_focus(ui, name, edit, focused);

  if (it.clicked && parts.on_minus) value = step(value, -1);
  if (it.clicked && parts.on_plus) value = step(value, +1);
  if (state.enabled && !parts.on_minus && !parts.on_plus) {
    if (it.hovered && ImGui::GetIO().MouseClicked[0]) ui.state.editing = name;
    const Rect& middle = parts.middle;
    const float left =
        typing ? middle.min.x - edit.scroll : middle.center().x - text_width(ui, Type::mono12, edit.buffer) / 2;
    edit_by_mouse(ui, edit, it, byte_at(ui, Type::mono12, edit.buffer, ImGui::GetIO().MousePos.x - left));
  }
  if (focused) take_number_keys(ui, name, edit, before, value, step);
  if (!focused && ui.state.editing == name) ui.state.editing.clear();

  if (!state.enabled) {
    draw_locked_number(ui, rect, std::to_string(value));
    return false;
  }
  const float radius = ui.px(size::radius_control);
  if (typing) {
    field_box(ui, rect, shown, it, radius);
    draw_edited_line(ui, parts.middle, Type::mono12, edit, true);
    return value != before;
  }
  const bool can_down = step(value, -1) != value, can_up = step(value, +1) != value;
  draw_number(ui, parts, it.hovered, std::to_string(value), can_down, can_up);
  if (shown.problem) outline(ui, rect, ui.colors.bad, 2, radius);
  if (focused && ui.state.focus_by_keyboard) focus_ring(ui, rect, radius);
  return value != before;
}

}  // namespace

bool stepper(Ui& ui, const std::string& name, const Rect& rect, std::int64_t& value, const StepRange& range,
             const ControlState& state) {
  const std::vector<std::int64_t>& choices = range.choices;
  const auto step = [&](std::int64_t at, int direction) -> std::int64_t {
    if (choices.empty()) {
      if (direction > 0) return at >= range.high ? at : std::max(range.low, at + 1);
      return at <= range.low ? at : std::min(range.high, at - 1);
    }
    if (direction > 0) {
      const auto next = std::upper_bound(choices.begin(), choices.end(), at);
      return next == choices.end() ? at : *next;
    }
    const auto next = std::lower_bound(choices.begin(), choices.end(), at);
    return next == choices.begin() ? at : *(next - 1);
  };
  return step_and_type(ui, name, rect, value, step, state);
}

bool index_stepper(Ui& ui, const std::string& name, const Rect& rect, std::int64_t& value, std::int64_t count,
                   const ControlState& state) {
  const std::int64_t before = value, last = std::max<std::int64_t>(count, 1) - 1;
  stepper(ui, name, rect, value, {.low = 0, .high = last}, state);
  value = std::clamp<std::int64_t>(value, 0, last);
  return value != before;
}

bool seed_stepper(Ui& ui, const std::string& name, const Rect& rect, std::uint64_t& value, const ControlState& state) {
  const auto step = [](std::uint64_t at, int direction) -> std::uint64_t {
    if (direction > 0) return at == std::numeric_limits<std::uint64_t>::max() ? at : at + 1;
    return at == 0 ? 0 : at - 1;
  };
  return step_and_type(ui, name, rect, value, step, state);
}

}  // namespace headscope::ui
