// Weights painted over the image whose patches are the tokens: the same in the window and in exported pictures.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/image.h"
#include "core/heads/image_patches.h"
#include "core/picture/text_weights_look.h"

namespace headscope {

// The weights of the tokens that `patches` describes, one each, those before the patches too.
struct PatchValues {
  std::span<const float> values;
  std::span<const std::uint8_t> hidden;  // 1: the mask hides it; empty: none is hidden
};

// The share of a pixel that is the colour of its patch's weight; the rest is the image.
inline constexpr double kPaintShare = 0.6;

// width x height pixels (at least 1 x 1): the brightness of the nearest pixel of the image, 0.299 R + 0.587 G + 0.114
// B, without its hue, which would be taken for a weight, under the colour of its patch's weight as word_look() has it;
// hidden patches are hatched, `line` pixels thick. Without an image the colours alone. The caller gives as many values
// as there are tokens.
Image painted_patches(const ImagePatches& patches, const PatchValues& weights, const WordColors& colors, int width,
                      int height, int line = 1);

}  // namespace headscope
