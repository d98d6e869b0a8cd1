// Keys, characters, mouse events and dropped files in the order in which they came, handed out in portions within which
// the order does not matter.
#pragma once

#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "app/platform/key_event.h"

namespace headscope {

// Panels get the keys and the characters of a frame in two lists: without portions, "ab", Backspace, "c" within one
// slow frame would become "abc" and then lose its last letter. A portion is a run of typing, or one press of a key
// (with the repeats of a held key): a panel that takes one step a frame then takes as many steps as the key was
// pressed, however slow the frames are. Pointer moves and the wheel join either kind; a press or release of a button
// ends a portion, so that every frame gets at most one of them, at its place. Dear ImGui's own queue (since 1.87) is
// switched off: it would hold back events that the loop does not know of.
class InputQueue {
 public:
  void add(const KeyEvent& key) { events_.emplace_back(key); }
  void add(char32_t character) { events_.emplace_back(character); }
  // Of several moves in a row only the last one is kept.
  void add(const MouseEvent& mouse);
  void add_drop(std::string path) { dropped_.push_back(std::move(path)); }
  // Whether take() would return no event.
  bool empty() const { return events_.empty() && dropped_.empty(); }
  InputEvents take();

 private:
  std::deque<std::variant<KeyEvent, char32_t, MouseEvent>> events_;
  std::vector<std::string> dropped_;
};

}  // namespace headscope
