// Rows of a picture, compressed for a PNG: deflate (RFC 1951) made for heatmaps, where colours are few and repeat.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/image.h"

namespace headscope {

// Whole deflate blocks that end at a byte, so that the strips of a picture, one after the other, are its pixels.
struct PngStrip {
  std::string blocks;
  std::uint32_t adler = 1;       // Adler-32 of the rows: a filter byte and red, green, blue of each pixel
  std::int64_t plain_bytes = 0;  // of the rows before compression
};

// `pixels`: whole rows of `width` (alpha is left out). `last`: no strip follows. Strips do not depend on each other, so
// that several threads can make them at the same time. `thorough`: smaller, in twice the time.
//
// Why not zlib or libdeflate: they look at each of the three bytes of a pixel and take about twice as long for a file
// of the same size (tests/bench/README.md, "Pictures"). Here a match begins at a pixel: its own colour just before (a
// run), the pixel above, or the last pixel of the same colour. A row equal to the one above is sent as PNG's filter
// "up", which is a run of zeros, other rows unfiltered. One dynamic Huffman block a strip.
PngStrip png_strip(std::span<const Rgba> pixels, std::int64_t width, bool last, bool thorough);

}  // namespace headscope
