// An image as a model reads it: the tokens that its patches become.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/image.h"
#include "core/model/image_grid.h"
#include "core/tensor/tensor.h"

namespace headscope {

class Checkpoint;

struct ImageInput {
  std::string path;
  ImageGrid grid;                  // of its patches, row by row
  std::int64_t leading = 0;        // tokens before the patches: the class token, registers
  Image picture;                   // resized and cropped: the pixels that the model reads
  Tensor pixels;                   // [patches, channels * patch * patch], normalised; of a patch channel by channel
  Tensor positions;                // [1 with a class token + patches, d_model], for this grid
  Tensor embedded;                 // [1, leading + patches, d_model], what enters layer 0
  std::vector<std::string> names;  // of the tokens: "[CLS]", "[REG0]", "r0c0", "r0c1", ...
};

// Reads a PNG or JPEG and makes it tokens of the checkpoint's model, which reads images (Architecture::image):
//   patch p: W pixels[p] + b + position[p];  class token: its vector + position;  registers: their vectors
// normalised where the model does so. Sums are double. Throws Error for a file that is no such picture or has
// transparent pixels, a folder without preprocessor_config.json, and a size that the model's positions do not fit.
std::shared_ptr<const ImageInput> read_image_input(const std::string& path, const Checkpoint& checkpoint);

// Learned positions of a grid of patches, [leading + patches, features], for another grid: those before the patches
// stay. Cubic convolution (Keys 1981): of the four nearest positions along each side with a = -0.75, those beyond the
// edge repeated; with `antialias` as resample_rows() has bicubic.
Tensor positions_for(const Tensor& table, const ImageGrid& learned, const ImageGrid& grid, bool antialias);

}  // namespace headscope
