#include "core/io/png_strip.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace headscope {
namespace {

// What zlib makes of strips one after the other: the rows of a PNG, filter bytes included.
std::vector<std::uint8_t> inflated(const std::string& blocks, std::size_t most) {
  std::vector<std::uint8_t> plain(most + 1);
  z_stream stream{};
  inflateInit2(&stream, -15);  // deflate without zlib's frame
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(blocks.data()));
  stream.avail_in = static_cast<uInt>(blocks.size());
  stream.next_out = plain.data();
  stream.avail_out = static_cast<uInt>(plain.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END) << (stream.msg ? stream.msg : "");
  EXPECT_EQ(stream.avail_in, 0U) << "bytes after the end";
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  return plain;
}

// Compresses the picture in strips of `strip_rows`, reads it back by zlib and compares all of it.
std::size_t round_trip(const std::vector<Rgba>& pixels, std::int64_t width, std::int64_t strip_rows, bool thorough) {
  const std::int64_t rows = std::ssize(pixels) / width;
  std::string blocks;
  uLong adler = 1;
  for (std::int64_t row = 0; row < rows; row += strip_rows) {
    const std::int64_t end = std::min(row + strip_rows, rows);
    const std::span<const Rgba> part =
        std::span(pixels).subspan(std::size_t(row * width), std::size_t((end - row) * width));
    const PngStrip strip = png_strip(part, width, end == rows, thorough);
    EXPECT_EQ(strip.plain_bytes, (end - row) * (3 * width + 1));
    adler = adler32_combine(adler, strip.adler, strip.plain_bytes);
    blocks += strip.blocks;
  }
  const std::vector<std::uint8_t> plain = inflated(blocks, std::size_t(rows * (3 * width + 1)));
  EXPECT_EQ(plain.size(), std::size_t(rows * (3 * width + 1)));
  if (plain.size() != std::size_t(rows * (3 * width + 1))) return 0;
  EXPECT_EQ(adler, adler32_z(1, plain.data(), plain.size()));
  std::vector<std::uint8_t> above(std::size_t(3 * width), 0), line(above);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::uint8_t* bytes = plain.data() + row * (3 * width + 1);
    EXPECT_TRUE(bytes[0] == 0 || bytes[0] == 2) << "filter " << int(bytes[0]);
    for (std::size_t k = 0; k < line.size(); ++k) {
      line[k] = static_cast<std::uint8_t>(bytes[k + 1] + (bytes[0] == 2 ? above[k] : 0));
    }
    for (std::int64_t x = 0; x < width; ++x) {
      const Rgba& pixel = pixels[std::size_t(row * width + x)];
      const std::uint8_t* at = &line[std::size_t(3 * x)];
      if (at[0] == pixel.r && at[1] == pixel.g && at[2] == pixel.b) continue;
      ADD_FAILURE() << "row " << row << " pixel " << x;
      return 0;
    }
    above = line;
  }
  return blocks.size();
}

// Runs of random length and colour, some rows repeated: what heatmaps look like. `colors` of them, `longest` a run.
std::vector<Rgba> made_picture(std::int64_t width, std::int64_t rows, int colors, int longest, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Rgba> table;
  for (int k = 0; k < colors; ++k) {
    const auto bits = random();
    table.push_back({std::uint8_t(bits), std::uint8_t(bits >> 8), std::uint8_t(bits >> 16), std::uint8_t(bits >> 24)});
  }
  std::vector<Rgba> pixels;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row > 0 && random() % 4 == 0) {
      for (std::int64_t x = 0; x < width; ++x) pixels.push_back(pixels[pixels.size() - std::size_t(width)]);
      continue;
    }
    for (std::int64_t x = 0; x < width;) {
      const Rgba color = table[random() % table.size()];
      for (std::int64_t run = 1 + std::int64_t(random() % unsigned(longest)); run > 0 && x < width; --run, ++x) {
        pixels.push_back(color);
      }
    }
  }
  return pixels;
}

TEST(PngStrip, reads_back_as_the_same_pixels_at_every_width) {
  unsigned seed = 0;
  for (const std::int64_t width : {1, 2, 3, 7, 8, 9, 85, 86, 87, 88, 146, 147, 300, 1025, 5000, 10922, 10923, 40001}) {
    for (const int colors : {1, 2, 256, 100000}) {
      for (const int longest : {1, 3, 1000}) {
        const std::int64_t rows = std::clamp<std::int64_t>(60000 / width, 3, 5000);
        SCOPED_TRACE(testing::Message() << width << " wide, " << colors << " colours, runs up to " << longest);
        const std::vector<Rgba> pixels = made_picture(width, rows, colors, longest, ++seed);
        for (const bool thorough : {false, true}) round_trip(pixels, width, rows / 2 + 1, thorough);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(PngStrip, matches_reach_as_far_as_deflate_allows_and_no_farther) {
  // One colour comes back after `apart` pixels of others that occur once: around 32768 bytes.
  for (const std::int64_t width : {1, 2, 50, 10000, 20000}) {
    for (const std::int64_t apart : {9362, 10000, 10700, 10900, 10921, 10922, 10923, 10924}) {
      std::vector<Rgba> pixels;
      for (std::int64_t k = 0; k <= 2 * apart + width; ++k) {
        const auto count = static_cast<std::uint32_t>(k);
        pixels.push_back(k % apart == 0 ? Rgba{255, 0, 255, 255}
                                        : Rgba{std::uint8_t(count), std::uint8_t(count >> 8), 7, 255});
      }
      pixels.resize(pixels.size() / std::size_t(width) * std::size_t(width));
      SCOPED_TRACE(testing::Message() << width << " wide, " << apart << " apart");
      for (const bool thorough : {false, true}) round_trip(pixels, width, 100000, thorough);
    }
  }
}

TEST(PngStrip, rows_that_repeat_and_runs_take_next_to_nothing) {
  const std::vector<Rgba> flat(1000 * 1000, Rgba{3, 4, 5, 255});
  // Cells of 20 x 20 pixels in 50 colours.
  std::vector<Rgba> cells(1000 * 1000);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::size_t cell = k % 1000 / 20 * 7 + k / 20000 * 13;
    cells[k] = {std::uint8_t(cell % 50), std::uint8_t(cell % 50 * 3), 9, 255};
  }
  for (const bool thorough : {false, true}) {
    EXPECT_LT(round_trip(flat, 1000, 250, thorough), 6000U);
    EXPECT_LT(round_trip(cells, 1000, 250, thorough), 30000U);
  }
}

TEST(PngStrip, a_hatch_between_lines_is_found_again_some_rows_further_up) {
  std::vector<Rgba> hatch(1000 * 1000);
  for (std::size_t k = 0; k < hatch.size(); ++k) {
    const std::size_t x = k % 1000, y = k / 1000;
    const bool line = x % 22 == 21 || y % 22 == 21;
    hatch[k] = line ? Rgba{1, 2, 3, 255} : (x + y) % 5 == 0 ? Rgba{9, 9, 9, 255} : Rgba{20, 20, 20, 255};
  }
  EXPECT_LT(round_trip(hatch, 1000, 250, true), 60000U);
}

TEST(PngStrip, noise_of_256_colours_takes_half_of_its_bytes) {
  const std::vector<Rgba> noise = made_picture(4096, 64, 256, 1, 5);
  for (const bool thorough : {false, true}) {
    EXPECT_LT(round_trip(noise, 4096, 32, thorough), noise.size() * 3 / 2);
  }
}

}  // namespace
}  // namespace headscope
