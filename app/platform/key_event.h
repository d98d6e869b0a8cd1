// Keys by name and mouse events, independent of the window library and of Dear ImGui (whose version 1.86 knows only 22
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
  // move: place of the pointer, in pixels of the framebuffer; (kNoPointer, kNoPointer): it left the window.
  // wheel: turns to the right and away from the user.
  float x = 0, y = 0;
  int button = 0;  // 0 left, 1 right, 2 middle
  bool down = false;
  bool shift = false;  // was held
};
// The coordinate of a pointer outside of the window, as Dear ImGui expects it.
inline constexpr float kNoPointer = -std::numeric_limits<float>::max();

// The input of one frame. Key releases are left out: no panel reacts to them.
struct InputEvents {
  std::vector<KeyEvent> keys;
  std::vector<char32_t> characters;  // typed text, layout and dead keys applied
  std::vector<MouseEvent> mouse;     // oldest first, at most one button's change
  std::vector<std::string> dropped;  // paths
  bool woken = false;                // the window was resized, exposed or called from another thread
  bool empty() const { return keys.empty() && characters.empty() && mouse.empty() && dropped.empty(); }
};

}  // namespace headscope
