#include "app/ui/shortcuts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/ui/command_list.h"

namespace headscope::ui {

KeyName key_named(std::string_view name) {
  if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') {
    return static_cast<KeyName>(static_cast<int>(KeyName::a) + (name[0] - 'A'));
  }
  if (name.size() == 1 && name[0] >= '0' && name[0] <= '9') {
    return static_cast<KeyName>(static_cast<int>(KeyName::zero) + (name[0] - '0'));
  }
  static constexpr std::array<std::pair<std::string_view, KeyName>, 27> names = {{
      {"Plus", KeyName::plus},      {"Minus", KeyName::minus},
      {"Left", KeyName::left},      {"Right", KeyName::right},
      {"Up", KeyName::up},          {"Down", KeyName::down},
      {"PageUp", KeyName::page_up}, {"PageDown", KeyName::page_down},
      {"Home", KeyName::home},      {"End", KeyName::end},
      {"Enter", KeyName::enter},    {"Esc", KeyName::escape},
      {"Space", KeyName::space},    {"Tab", KeyName::tab},
      {"F1", KeyName::f1},          {"F2", KeyName::f2},
      {"F3", KeyName::f3},          {"F4", KeyName::f4},
      {"F5", KeyName::f5},          {"F6", KeyName::f6},
      {"F7", KeyName::f7},          {"F8", KeyName::f8},
      {"F9", KeyName::f9},          {"F10", KeyName::f10},
      {"F11", KeyName::f11},        {"F12", KeyName::f12},
      {"Comma", KeyName::comma},
  }};
  for (const auto& [word, key] : names) {
    if (word == name) return key;
  }
  return KeyName::unknown;
}

bool shortcut_matches(std::string_view shortcut, const KeyEvent& event) {
  bool ctrl = false, shift = false, alt = false;
  for (;;) {
    const std::size_t plus = shortcut.find('+');
    if (plus == std::string_view::npos || plus == 0) break;
    const std::string_view modifier = shortcut.substr(0, plus);
    if (modifier == "Ctrl") {
      ctrl = true;
    } else if (modifier == "Shift") {
      shift = true;
    } else if (modifier == "Alt") {
      alt = true;
    } else {
      return false;
    }
    shortcut.remove_prefix(plus + 1);
  }
  const KeyName key = key_named(shortcut);
  if (key == KeyName::unknown || event.key != key || event.ctrl != ctrl || event.alt != alt) return false;
  // Plus is a shifted key on many keyboards.
  return event.shift == shift || key == KeyName::plus;
}

namespace {

bool works_over_dialogs(CommandId id) {
  switch (id) {
    case CommandId::toggle_theme:
    case CommandId::scale_up:
    case CommandId::scale_down:
    case CommandId::scale_reset:
    case CommandId::quit:
      return true;
    default:
      return false;
  }
}

}  // namespace

void push_shortcuts(Ui& ui) {
  const bool dialog = ui.state.dialog != DialogKind::none;
  const auto allowed = [&](CommandId id) { return !dialog || works_over_dialogs(id); };
  std::vector<KeyEvent> left;
  for (const KeyEvent& event : ui.input.keys) {
    bool taken = false;
    if (event.alt && !event.ctrl && !event.shift && event.key >= KeyName::zero && event.key <= KeyName::nine &&
        !dialog) {
      ui.push(CommandId::select_head, std::to_string(static_cast<int>(event.key) - static_cast<int>(KeyName::zero)));
      taken = true;
    }
    // Ctrl+Y is redo's second key.
    if (!taken && event.key == KeyName::y && event.ctrl && !event.shift && !event.alt && !dialog) {
      ui.push(CommandId::redo);
      taken = true;
    }
    for (const CommandInfo& info : command_list()) {
      if (taken) break;
      if (info.shortcut[0] != '\0' && allowed(info.id) && shortcut_matches(info.shortcut, event)) {
        ui.push(info.id);
        taken = true;
      }
    }
    if (!taken) left.push_back(event);
  }
  ui.input.keys = std::move(left);
  for (const char32_t typed : ui.input.characters) {
    for (const CommandInfo& info : command_list()) {
      if (info.shortcut[0] != '\0' && info.shortcut[1] == '\0' && allowed(info.id) &&
          typed == static_cast<char32_t>(info.shortcut[0])) {
        ui.push(info.id);
      }
    }
  }
}

}  // namespace headscope::ui
