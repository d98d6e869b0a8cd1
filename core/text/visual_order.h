// Right-to-left text on a line that runs from left to right.
#pragma once

#include <string_view>
#include <vector>

#include "core/tensor/shape.h"

namespace headscope {

// A grapheme at its place on the line. `right_to_left`: it belongs to a reversed stretch (digits in it do not), so that
// its beginning is its right edge.
struct VisualCluster {
  Range bytes;
  bool right_to_left = false;
};

// The graphemes in the order in which they are seen, left to right: every stretch from a right-to-left letter to the
// last one before a left-to-right letter is reversed, except for the digits within it. Empty when the text has no
// right-to-left letter.
std::vector<VisualCluster> visual_order(std::string_view utf8);

}  // namespace headscope
