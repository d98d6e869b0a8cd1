#include "app/ui/widgets/text_line.h"

#include <algorithm>
#include <cmath>

#include "app/ui/widgets/caret_steps.h"
#include "app/ui/widgets/text_pieces.h"
#include "core/base/utf8.h"

namespace headscope::ui {

namespace {

constexpr double kBlink = 0.53, kBlinkFor = 10;

bool take(Ui& ui, KeyName key, bool ctrl, bool& shift) {
  if (ui.take_key(key, ctrl, false)) {
    shift = false;
    return true;
  }
  if (ui.take_key(key, ctrl, true)) {
    shift = true;
    return true;
  }
  return false;
}

bool move_by_keys(Ui& ui, TextEdit& edit) {
  bool shift = false, any = false;
  const auto on = [&](KeyName key, bool ctrl, auto action) {
    while (take(ui, key, ctrl, shift)) {
      action(edit, shift);
      any = true;
    }
  };
  on(KeyName::left, false, step_left);
  on(KeyName::right, false, step_right);
  on(KeyName::left, true, step_word_left);
  on(KeyName::right, true, step_word_right);
  on(KeyName::home, false, move_home);
  on(KeyName::end, false, move_end);
  on(KeyName::home, true, move_home);
  on(KeyName::end, true, move_end);
  if (ui.take_key(KeyName::a, true)) {
    select_all(edit);
    any = true;
  }
  return any;
}

}  // namespace

bool edit_by_keys(Ui& ui, TextEdit& edit, bool allow_line_breaks) {
  // A buffer of megabytes is not copied to be compared: what is done says whether it changes.
  const bool selects = has_selection(edit);
  const std::size_t size_before = edit.buffer.size();
  bool moved = false, changed = false;
  // Keys and characters arrive in two lists; a frame with both applies the characters first, then what moves or erases.
  std::string typed;
  for (const char32_t c : ui.input.characters) {
    if (c >= 0x20 && c != 0x7F) append_utf8(typed, c);
  }
  ui.input.characters.clear();
  if (!typed.empty()) {
    changed = changed || !selects || selected_text(edit) != typed;
    type_text(edit, typed);
  }
  const auto cut_or_copy = [&](bool cut) {
    if (!has_selection(edit)) return;
    if (ui.set_clipboard) ui.set_clipboard(selected_text(edit));
    if (cut) erase_left(edit);
  };
  if (ui.take_key(KeyName::c, true) || ui.take_key(KeyName::insert, true)) cut_or_copy(false);
  if (ui.take_key(KeyName::x, true) || ui.take_key(KeyName::del, false, true)) cut_or_copy(true);
  if (ui.take_key(KeyName::v, true) || ui.take_key(KeyName::insert, false, true)) {
    const std::string pasted = ui.get_clipboard ? ui.get_clipboard() : std::string();
    const std::string line = allow_line_breaks ? without_nuls(pasted) : single_line(pasted);
    changed = changed || (!line.empty() && (!has_selection(edit) || selected_text(edit) != line));
    paste_text(edit, line);
  }
  while (ui.take_key(KeyName::backspace) || ui.take_key(KeyName::backspace, false, true)) erase_left(edit);
  while (ui.take_key(KeyName::backspace, true)) erase_word_left(edit);
  while (ui.take_key(KeyName::del)) erase_right(edit);
  while (ui.take_key(KeyName::del, true)) erase_word_right(edit);
  moved = move_by_keys(ui, edit);
  if (ui.layer > 0) {
    const bool undone = ui.take_key(KeyName::z, true) && undo(edit);
    const bool redone = (ui.take_key(KeyName::z, true, true) || ui.take_key(KeyName::y, true)) && redo(edit);
    moved = moved || undone || redone;
    changed = changed || undone || redone;
  }
  changed = changed || edit.buffer.size() != size_before;
  if (changed || moved) ui.state.caret_time = ui.state.time;
  return changed;
}

void edit_by_mouse(Ui& ui, TextEdit& edit, const Interaction& it, std::size_t at) {
  const ImGuiIO& io = ImGui::GetIO();
  if (it.hovered || it.held) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  if (!it.held) return;
  ui.state.caret_time = ui.state.time;
  const int clicks = io.MouseClicked[0] ? io.MouseClickedCount[0] : 0;
  if (clicks == 2) {
    select_word(edit, at);
  } else if (clicks >= 3) {
    select_all(edit);
  } else if (clicks == 1) {
    move_caret(edit, at, ui.shift_held);
  } else if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0) {
    move_caret(edit, at, true);
  }
}

bool caret_shown(Ui& ui) {
  const double since = ui.state.time - ui.state.caret_time;
  if (since < 0 || since > kBlinkFor) return true;
  const double phase = std::fmod(since, 2 * kBlink);
  ui.wake_in(phase < kBlink ? kBlink - phase : 2 * kBlink - phase);
  return phase < kBlink;
}

void draw_edited_line(Ui& ui, const Rect& rect, Type type, TextEdit& edit, bool focused) {
  const float caret_x = caret_place(ui, type, edit.buffer, edit.caret);
  const float whole = text_width(ui, type, given(edit.buffer));
  const float room = rect.width() - ui.px(2);
  if (focused) {
    if (caret_x - edit.scroll > room) edit.scroll = caret_x - room;
    if (caret_x < edit.scroll) edit.scroll = caret_x;
    edit.scroll = std::clamp(edit.scroll, 0.0f, std::max(0.0f, whole - room));
  } else {
    edit.scroll = 0;
  }
  const float left = rect.min.x - std::round(edit.scroll);
  const float height = ui.fonts.pixels[static_cast<int>(type)];
  const float top = text_top(ui, type, rect.center().y);
  canvas().PushClipRect(rect.min, rect.max, true);
  if (focused && has_selection(edit)) {
    for (const Stretch& part : stretches_of(ui, type, edit.buffer, selection_begin(edit), selection_end(edit))) {
      fill({{std::round(left + part.from), top}, {std::round(left + part.to), top + std::round(height)}},
           mix(ui.colors.well, ui.colors.accent, 0.38f));
    }
  }
  text(ui, {left, top}, type, ui.colors.text, given(edit.buffer));
  if (focused && caret_shown(ui)) {
    const float x = std::min(std::round(left + caret_x), rect.max.x - std::max(1.0f, ui.px(1)));
    vertical_line(ui, x, top, top + std::round(height), ui.colors.accent);
  }
  canvas().PopClipRect();
}

void field_box(Ui& ui, const Rect& rect, const ControlState& state, const Interaction& it, float radius) {
  const Palette& c = ui.colors;
  if (!state.enabled) {
    outline(ui, rect, c.line, 1, radius);
    return;
  }
  fill(rect, c.well, radius);
  if (state.problem) {
    outline(ui, rect, c.bad, 2, radius);
  } else if (it.focused) {
    outline(ui, rect, c.accent, 2, radius);
  } else {
    outline(ui, rect, it.hovered ? c.text2 : c.edge, 1, radius);
  }
}

}  // namespace headscope::ui
