// Keys by their name, independent of window library and of Dear ImGui (whose 1.86 knows 22 of them).
#pragma once

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

// What came in since the last frame. Key presses only; releases matter to nobody here.
struct InputEvents {
  std::vector<KeyEvent> keys;
  std::vector<char32_t> characters;  // typed text, layout and dead keys applied
  std::vector<std::string> dropped;  // paths
};

}  // namespace headscope
