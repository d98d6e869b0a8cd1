// Where a line of text is drawn.
#pragma once

namespace headscope {

// The left end of the baseline. quarter_turns 1: the line reads upwards, (x, y) is its lower end. The image may be a
// part of a larger picture that begins at its row `top`; x and y count in the picture.
struct LinePlace {
  double x = 0, y = 0;
  int quarter_turns = 0;
  int top = 0;
};

}  // namespace headscope
