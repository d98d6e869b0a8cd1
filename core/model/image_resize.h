// Images made larger or smaller by a filter, as the image processors of models do it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/image.h"

namespace headscope {

// A filter k(x) of `support` places on each side. `number` is what preprocessor_config.json calls it (PIL's constants).
struct ResampleFilter {
  int number = 0;
  const char* name = "";
  double support = 0;
  double (*weight)(double x) = nullptr;
};

// lanczos 1 (sinc(x) sinc(x / 3), |x| < 3), bilinear 2 (1 - |x|), bicubic 3 (Keys 1981 with a = -0.5), box 4,
// hamming 5 (sinc(x) (0.54 + 0.46 cos(pi x)), |x| < 1).
std::span<const ResampleFilter> resample_filters();
const ResampleFilter& bicubic_filter();

// What one place of a side of `to` places is made of: weights of the places from `begin` on, whose sum is 1.
struct ResampleRow {
  std::int64_t begin = 0;
  std::vector<double> weights;
};

// Place i of `to` has its centre at c = (i + 1/2) from / to of the other side. With s = max(from / to, 1), so that a
// smaller image is an average over all that a place covers, place x counts k((x + 1/2 - c) / s), divided by the sum
// over the places from floor(c - support s + 1/2) up to below floor(c + support s + 1/2). PIL's Image.resize, and
// torch's interpolate with antialias.
std::vector<ResampleRow> resample_rows(std::int64_t from, std::int64_t to, const ResampleFilter& filter);

// The image at another size: rows of pixels first, then columns, each rounded to 8 bits and held within 0 to 255, with
// weights that are whole multiples of 2^-22. These are PIL's numbers. Alpha becomes 255.
Image resized(const Image& image, int width, int height, const ResampleFilter& filter);

}  // namespace headscope
