// One line of text, and a number typed as text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/text_line.h"

namespace headscope::ui {

void select_on_focus(Ui& ui, const std::string& name, TextEdit& edit, bool focused) {
  bool& had = ui.state.panels.get<FocusedFields>().had_focus[name];
  if (focused && !had && ui.state.focus_by_keyboard) select_all(edit);
  if (focused && !had) ui.state.caret_time = ui.state.time;
  had = focused;
}

bool text_field(Ui& ui, const std::string& name, const Rect& rect, std::string& value, std::string_view hint,
                const ControlState& state) {
  const Interaction it = interact_mouse(ui, name, rect, state);
  const bool focused = it.focused && state.enabled;
  field_box(ui, rect, state, it, ui.px(size::radius_control));
  const Rect inner{{rect.min.x + ui.px(8), rect.min.y}, {rect.max.x - ui.px(8), rect.max.y}};
  TextEdit& edit = ui.state.edits[name];
  replace_text(edit, value);
  select_on_focus(ui, name, edit, focused);
  bool changed = false;
  if (state.enabled)
    edit_by_mouse(ui, edit, it,
                  byte_at(ui, Type::mono12, edit.buffer, ImGui::GetIO().MousePos.x - inner.min.x + edit.scroll));
  if (focused && edit_by_keys(ui, edit, false)) {
    value = edit.buffer;
    changed = true;
  }
  if (edit.buffer.empty()) {
    text_in(ui, inner, Type::words12, ui.colors.text3, hint);
    if (focused) draw_edited_line(ui, inner, Type::mono12, edit, true);
  } else if (!state.enabled) {
    text_in(ui, inner, Type::mono12, ui.colors.text3, given(edit.buffer));
  } else {
    draw_edited_line(ui, inner, Type::mono12, edit, focused);
  }
  return changed;
}

std::string plain_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end.ptr);
}

bool parse_number(std::string_view text, bool allow_infinite, double& value) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("\xE2\x88\x92")) {
      plain += '-';
      i += 2;
    } else if (text[i] != ' ') {
      plain += text[i];
    }
  }
  if (plain == "-inf" || plain == "inf" || plain == "+inf") {
    if (!allow_infinite) return false;
    value = plain[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return true;
  }
  const char* begin = plain.data();
  const char* end = begin + plain.size();
  if (begin != end && *begin == '+') ++begin;
  double parsed = 0;
  const auto result = std::from_chars(begin, end, parsed);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(parsed)) return false;
  value = parsed;
  return true;
}

bool number_field(Ui& ui, const std::string& name, const Rect& rect, double& value, bool allow_infinite,
                  const ControlState& state) {
  TextEdit& edit = ui.state.edits[name];
  const bool typing = ui.state.editing == name && ui.state.focus == name && ui.on_top();
  double parsed = 0;
  const bool readable = parse_number(edit.buffer, allow_infinite, parsed);
  ControlState shown = state;
  shown.problem = state.problem || (typing && !readable);
  const Interaction it = interact_mouse(ui, name, rect, shown);
  const bool focused = it.focused && state.enabled;
  // While typing the text is the user's ("0." on the way to "0.5"); else it is the value's.
  if (!typing || (readable && parsed != value)) replace_text(edit, plain_number(value));
  select_on_focus(ui, name, edit, focused);
  field_box(ui, rect, shown, it, ui.px(size::radius_control));
  const Rect inner{{rect.min.x + ui.px(8), rect.min.y}, {rect.max.x - ui.px(8), rect.max.y}};
  bool changed = false;
  if (state.enabled)
    edit_by_mouse(ui, edit, it,
                  byte_at(ui, Type::mono12, edit.buffer, ImGui::GetIO().MousePos.x - inner.min.x + edit.scroll));
  if (focused) {
    if (edit_by_keys(ui, edit, false)) {
      ui.state.editing = name;
      double typed = 0;
      if (parse_number(edit.buffer, allow_infinite, typed) && typed != value) {
        value = typed;
        changed = true;
      }
    }
    if (ui.take_key(KeyName::enter)) {
      ui.state.editing.clear();
      select_all(edit);
    }
  }
  if (!focused && ui.state.editing == name) ui.state.editing.clear();
  if (!state.enabled) {
    text_in(ui, inner, Type::mono12, ui.colors.text3, given(edit.buffer));
  } else {
    draw_edited_line(ui, inner, Type::mono12, edit, focused);
  }
  return changed;
}

bool slider(Ui& ui, const std::string& name, const Rect& rect, double& value, const SliderRange& range,
            const ControlState& state) {
  const double low = range.low, high = range.high;
  const Interaction it = interact_mouse(ui, name, rect, state);
  const Palette& c = ui.colors;
  const float radius = ui.px(size::radius_control);
  const double before = value;
  const Rect inner = inset(rect, ui.px(2));
  const double step = (high - low) / 100;
  if (it.held && inner.width() > 1) {
    const double share = static_cast<double>((ImGui::GetIO().MousePos.x - inner.min.x) / inner.width());
    value = low + std::round(std::clamp(share, 0.0, 1.0) * 100) * step;
  }
  if (it.focused && state.enabled) {
    if (ui.take_key(KeyName::right) || ui.take_key(KeyName::up)) value = std::min(high, value + step);
    if (ui.take_key(KeyName::left) || ui.take_key(KeyName::down)) value = std::max(low, value - step);
    if (ui.take_key(KeyName::page_up)) value = std::min(high, value + 10 * step);
    if (ui.take_key(KeyName::page_down)) value = std::max(low, value - 10 * step);
    if (ui.take_key(KeyName::home)) value = low;
    if (ui.take_key(KeyName::end)) value = high;
    // A typed digit: tenths of the range.
    for (const char32_t typed : ui.input.characters) {
      if (typed >= U'0' && typed <= U'9') value = low + (high - low) * static_cast<double>(typed - U'0') / 10;
    }
    ui.input.characters.clear();
    // Steps of a hundredth land on the same doubles whichever way they are reached.
    if (value != before) value = low + std::round((value - low) / step) * step;
  }
  if (value != before) value = std::round(value * 1e6) / 1e6;
  if (state.enabled) fill(rect, c.well, radius);
  const float share = static_cast<float>(high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0);
  const float handle = ui.px(3);
  const float x = std::round(inner.min.x + share * (inner.width() - handle));
  if (state.enabled && x > inner.min.x) fill({inner.min, {x, inner.max.y}}, c.accent_fill, ui.px(2));
  fill({{x, inner.min.y}, {x + handle, inner.max.y}}, state.enabled ? c.accent : c.edge);
  outline(ui, rect, !state.enabled ? c.line : it.hovered || it.held ? c.text2 : c.edge, 1, radius);
  text_in(ui, {rect.min, {rect.max.x - ui.px(8), rect.max.y}}, Type::mono12, state.enabled ? c.text : c.text3,
          fmt::format(fmt::runtime(range.format), value), 1);
  if (state.problem) outline(ui, rect, c.bad, 2, radius);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, rect, radius);
  return value != before;
}

}  // namespace headscope::ui
