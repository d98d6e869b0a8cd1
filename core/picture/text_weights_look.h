// How a word of a shaded text looks: the same in the window and in exported pictures.
#pragma once

#include "core/base/image.h"
#include "core/heads/text_weights.h"
#include "core/picture/color_map.h"
#include "core/picture/heatmap_spec.h"
#include "core/picture/palette.h"
#include "core/picture/view_spec.h"

namespace headscope {

struct WordColors {
  ColorMap map{};
  ValueRange range;
  Theme theme{};
};

struct WordLook {
  Rgba ground, ink;
  bool hatched = false;  // the mask hides the word: `ground` is under the hatch
};

// NaN and infinities have the colour of NaN, hidden words the hatch, others the colour of their value.
WordLook word_look(float value, bool hidden, const WordColors& colors);

// From 0 to the largest value that is shown, unless the view fixes the range.
ValueRange word_range(const TextWeights& weights, const ViewSpec& view);

// Of the weights of every head by itself: from 0 to the largest of them.
ValueRange head_range(const TextWeights& weights);

}  // namespace headscope
