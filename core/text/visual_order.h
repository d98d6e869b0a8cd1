// Right-to-left text on a line that runs from left to right.
#pragma once

#include <string_view>
#include <vector>

#include "core/tensor/shape.h"

namespace headscope {

// A grapheme where it stands on the line. `right_to_left`: it belongs to a turned stretch (digits in it do not), so
// that its beginning is its right edge.
struct VisualCluster {
  Range bytes;
  bool right_to_left = false;
};

// The graphemes from left to right as they are seen: every stretch from a right-to-left letter to the last one before a
// left-to-right letter is turned round, the digits within it are not. Empty when nothing is turned.
std::vector<VisualCluster> visual_order(std::string_view utf8);

}  // namespace headscope
