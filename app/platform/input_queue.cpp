#include "app/platform/input_queue.h"

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

InputEvents InputQueue::take() {
  InputEvents portion;
  portion.dropped = std::exchange(dropped_, {});
  const KeyEvent* command = nullptr;  // the held key that this portion is; null: it is typing, or empty
  KeyEvent kept;
  while (!events_.empty()) {
    if (const char32_t* character = std::get_if<char32_t>(&events_.front())) {
      if (command != nullptr) break;
      portion.characters.push_back(*character);
    } else {
      const KeyEvent key = std::get<KeyEvent>(events_.front());
      if (types(key)) {
        if (command != nullptr) break;
      } else {
        const bool first = portion.keys.empty() && portion.characters.empty();
        if (!first && (command == nullptr || !key.repeat || !same_key(key, *command))) break;
        kept = key;
        command = &kept;
      }
      portion.keys.push_back(key);
    }
    events_.pop_front();
  }
  return portion;
}

}  // namespace headscope
