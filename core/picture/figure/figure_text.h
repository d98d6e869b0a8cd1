// What the text view draws, shared by its words and its image. Internal to core/picture.
#pragma once

#include <vector>

#include "core/heads/image_patches.h"
#include "core/heads/text_weights.h"
#include "core/picture/figure/figure_sheet.h"
#include "core/picture/text/text_flow.h"

namespace headscope {

// What is drawn, and where.
struct TextDrawing {
  Sheet& sheet;
  TextWeightsRequest request;
  std::vector<TextToken> tokens;
  TextFlow flow;
  std::vector<double> widths;  // of each word's box, pixels
  TextWeights weights;         // empty while measuring
  ColorMap map;
  ValueRange range;
};

// Two units thick, around a word or a patch.
void add_frame(Sheet& sheet, int x, int y, int width, int height, Rgba color);

// figure_patches.cpp: the image under the weights of the chosen heads, beside it (on narrow pictures below it) under
// those of every head by itself; above them the tokens that are no patches. Returns the height.
int add_patches(const TextDrawing& drawn, const ImagePatches& patches, int y, int width);

}  // namespace headscope
