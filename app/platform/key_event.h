// Keys by their name and what the mouse does, independent of window library and of Dear ImGui (whose 1.86 knows 22
// keys).
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace headscope {

enum class KeyName {
  unknown,
  a,
  b,
  c,
  d,
  e,
  f,
  g,
  h,
  i,
  j,
  k,
  l,
  m,
  n,
  o,
  p,
  q,
  r,
  s,
  t,
  u,
  v,
  w,
  x,
  y,
  z,
  zero,
  one,
  two,
  three,
  four,
  five,
  six,
  seven,
  eight,
  nine,
  plus,
  minus,
  slash,
  comma,
  period,
  space,
  enter,
  escape,
  tab,
  backspace,
  del,
  insert,
  left,
  right,
  up,
  down,
  home,
  end,
  page_up,
  page_down,
  f1,
  f2,
  f3,
  f4,
  f5,
  f6,
  f7,
  f8,
  f9,
  f10,
  f11,
  f12,
};

struct KeyEvent {
  KeyName key = KeyName::unknown;
  bool repeat = false;
  bool ctrl = false, shift = false, alt = false;
};

struct MouseEvent {
  enum class Kind { move, button, wheel };
  Kind kind = Kind::move;
  // move: where the pointer is, in pixels of the framebuffer; kNoPointer, kNoPointer: it left the window.
  // wheel: turns to the right and away from the user.
  float x = 0, y = 0;
  int button = 0;  // 0 left, 1 right, 2 middle
  bool down = false;
  bool shift = false;  // held while it happened
};
// The place of a pointer that is nowhere: what Dear ImGui takes for that.
inline constexpr float kNoPointer = -std::numeric_limits<float>::max();

// What one frame takes in. Of keys only presses: no panel reacts to a release.
struct InputEvents {
  std::vector<KeyEvent> keys;
  std::vector<char32_t> characters;  // typed text, layout and dead keys applied
  std::vector<MouseEvent> mouse;     // oldest first, at most one button's change
  std::vector<std::string> dropped;  // paths
  bool woken = false;                // the window was resized, exposed or called from another thread
  bool empty() const { return keys.empty() && characters.empty() && mouse.empty() && dropped.empty(); }
};

}  // namespace headscope
