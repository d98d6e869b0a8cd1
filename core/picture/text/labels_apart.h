// Names that are cut to a width, so that those that differ have labels that differ.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// How the text of a label is measured and cut: with the fonts of a picture, or of the window.
struct LabelFit {
  double width = 0;                                           // that a label may have
  std::function<double(std::string_view)> width_of;           // of one line
  std::function<std::string(const std::string&)> cut_at_end;  // to `width`, with an ellipsis at its end
};

// A name of an axis and its place there.
struct AxisName {
  std::int64_t index = 0;
  std::string name;
};

// Beginning and end of the text around an ellipsis, on grapheme boundaries, within the width; "" where nothing fits.
std::string cut_in_the_middle(std::string_view text, const LabelFit& fit);

// A label for each of the names: the name where it fits, else cut at its end. Where two names that differ would get the
// same label, both are cut in the middle; where those are the same, too, they stand behind their index: "11
// counterre…".
std::vector<std::string> labels_apart(const std::vector<AxisName>& names, const LabelFit& fit);

}  // namespace headscope
