#include "app/platform/input_queue.h"

#include <optional>
#include <utility>

namespace headscope {
namespace {

// A press that types: it goes with the characters around it.
bool types(const KeyEvent& key) {
  return !key.ctrl && !key.alt && key.key >= KeyName::a && key.key <= KeyName::space;
}

bool same_key(const KeyEvent& a, const KeyEvent& b) {
  return a.key == b.key && a.ctrl == b.ctrl && a.shift == b.shift && a.alt == b.alt;
}

}  // namespace

void InputQueue::add(const MouseEvent& mouse) {
  if (mouse.kind == MouseEvent::Kind::move && !events_.empty()) {
    MouseEvent* last = std::get_if<MouseEvent>(&events_.back());
    if (last != nullptr && last->kind == MouseEvent::Kind::move) {
      *last = mouse;
      return;
    }
  }
  events_.emplace_back(mouse);
}

InputEvents InputQueue::take() {
  InputEvents portion;
  portion.dropped = std::exchange(dropped_, {});
  std::optional<KeyEvent> command;  // the held key that this portion is; none: it is typing, or the mouse alone
  while (!events_.empty()) {
    const bool has_keys = !portion.keys.empty() || !portion.characters.empty();
    if (const MouseEvent* mouse = std::get_if<MouseEvent>(&events_.front())) {
      const bool button = mouse->kind == MouseEvent::Kind::button;
      if (button && has_keys) break;
      portion.mouse.push_back(*mouse);
      events_.pop_front();
      if (button) break;
      continue;
    }
    if (const char32_t* character = std::get_if<char32_t>(&events_.front())) {
      if (command) break;
      portion.characters.push_back(*character);
    } else {
      const KeyEvent key = std::get<KeyEvent>(events_.front());
      if (types(key)) {
        if (command) break;
      } else {
        if (has_keys && (!command || !key.repeat || !same_key(key, *command))) break;
        command = key;
      }
      portion.keys.push_back(key);
    }
    events_.pop_front();
  }
  return portion;
}

}  // namespace headscope
