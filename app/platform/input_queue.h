// Keys, characters, the mouse and drops in the order in which they came, given out in portions whose inner order does
// not matter.
#pragma once

#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "app/platform/key_event.h"

namespace headscope {

// Panels see the keys and the characters of a frame in two lists: "ab", Backspace, "c" within one slow frame would
// otherwise come out as "abc" less one. A portion is a run of typing, or one press of a key (with the repeats of a key
// that is held): a panel that takes one step a frame steps as often as the key was pressed, however slow its frames
// are. The pointer's way and the wheel go with either; a press or a release of a button ends a portion, so that every
// frame sees at most one of them, at the place where it happened. Dear ImGui's own queue (since 1.87) is left off: it
// would hold events back that the loop cannot know of.
class InputQueue {
 public:
  void add(const KeyEvent& key) { events_.emplace_back(key); }
  void add(char32_t character) { events_.emplace_back(character); }
  // Of moves in a row the last one counts.
  void add(const MouseEvent& mouse);
  void add_drop(std::string path) { dropped_.push_back(std::move(path)); }
  // Whether take() would give something.
  bool empty() const { return events_.empty() && dropped_.empty(); }
  InputEvents take();

 private:
  std::deque<std::variant<KeyEvent, char32_t, MouseEvent>> events_;
  std::vector<std::string> dropped_;
};

}  // namespace headscope
