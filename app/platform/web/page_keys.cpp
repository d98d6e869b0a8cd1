#include "app/platform/web/page_keys.h"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "app/platform/key_sign.h"

namespace headscope {

namespace {

// The key of one printed character of ASCII.
KeyName key_of_character(char printed) {
  if (printed == ' ') return KeyName::space;
  const bool capital = printed >= 'A' && printed <= 'Z';
  return key_of_sign(capital ? static_cast<char>(printed - 'A' + 'a') : printed).value_or(KeyName::unknown);
}

KeyName key_called(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, KeyName>, 14> kNames = {{
      {"Enter", KeyName::enter},
      {"Escape", KeyName::escape},
      {"Tab", KeyName::tab},
      {"Backspace", KeyName::backspace},
      {"Delete", KeyName::del},
      {"Insert", KeyName::insert},
      {"ArrowLeft", KeyName::left},
      {"ArrowRight", KeyName::right},
      {"ArrowUp", KeyName::up},
      {"ArrowDown", KeyName::down},
      {"Home", KeyName::home},
      {"End", KeyName::end},
      {"PageUp", KeyName::page_up},
      {"PageDown", KeyName::page_down},
  }};
  for (const auto& [word, key] : kNames) {
    if (word == name) return key;
  }
  if (!name.starts_with('F')) return KeyName::unknown;
  int number = 0;
  const char* const end = name.data() + name.size();
  const std::from_chars_result read = std::from_chars(name.data() + 1, end, number);
  return read.ptr == end && number >= 1 && number <= 12 ? nth_key(KeyName::f1, number - 1) : KeyName::unknown;
}

KeyName name_of(const PageKey& pressed) {
  const std::string_view key = pressed.key, code = pressed.code;
  if (key.size() == 1) {
    if (const KeyName name = key_of_character(key[0]); name != KeyName::unknown) return name;
  }
  if (const KeyName name = key_called(key); name != KeyName::unknown) return name;
  // Where the layout prints no letter or sign of ours (AZERTY's digit row, Cyrillic): the place on a US keyboard.
  if (code.size() == 4 && code.starts_with("Key")) return key_of_character(code[3]);
  if (code.size() == 6 && code.starts_with("Digit")) return key_of_character(code[5]);
  return KeyName::unknown;
}

bool is_of_browser(const KeyEvent& event) {
  if (event.key == KeyName::f11) return true;
  if (!event.ctrl) return false;
  if (event.key == KeyName::v || event.key == KeyName::r) return true;
  return event.shift && (event.key == KeyName::i || event.key == KeyName::j);
}

bool is_kept_by_browsers(const KeyEvent& event) {
  switch (event.key) {
    case KeyName::n:
    case KeyName::t:
    case KeyName::w:
    case KeyName::r:
    case KeyName::page_up:
    case KeyName::page_down:
      return true;
    default:
      return event.shift && event.key == KeyName::j;
  }
}

}  // namespace

bool types_text(const PageKey& key) {
  const std::string_view printed = key.key;
  // One character of UTF-8; names have more bytes, and begin with a letter.
  const bool one = printed.size() == 1 || (!printed.empty() && (printed[0] & 0x80) != 0);
  if (!one || key.meta) return false;
  if (key.ctrl && key.alt) return key_of_character(printed[0]) == KeyName::unknown;
  return !key.ctrl && !key.alt;
}

std::optional<KeyEvent> key_event(const PageKey& key) {
  KeyEvent event{
      .key = name_of(key), .repeat = key.repeat, .ctrl = key.ctrl || key.meta, .shift = key.shift, .alt = key.alt};
  if (event.key == KeyName::unknown || is_of_browser(event)) return std::nullopt;
  if (event.alt && !event.ctrl && is_kept_by_browsers(event)) std::swap(event.alt, event.ctrl);
  // Plus is a shifted key on many layouts: a shortcut with plus must not ask for Shift too.
  if (event.key == KeyName::plus && key.key[0] == '+') event.shift = false;
  return event;
}

}  // namespace headscope
