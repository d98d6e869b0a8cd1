#include "core/model/image_resize.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "core/io/png.h"
#include "tests/core/model/vision_files.h"

namespace headscope {
namespace {

// Every filter at sizes smaller, larger and both, against the filters' formulas (tests/golden/make_vision_golden.py).
TEST(ImageResize, PixelsAreThoseOfTheFormulas) {
  const Image image = read_png(vision_image());
  const SafetensorsFile expected = SafetensorsFile::open(kVisionModels + "resized.safetensors");
  int checked = 0;
  for (const ResampleFilter& filter : resample_filters()) {
    for (const auto& [height, width] : {std::pair(12, 18), {33, 40}, {7, 50}, {1, 1}}) {
      const std::string name = fmt::format("{}.{}x{}", filter.number, height, width);
      const std::vector<float> numbers = expected.tensor(*expected.find(name)).values();
      const Image found = resized(image, width, height, filter);
      const std::size_t pixels = found.pixels.size();
      ASSERT_EQ(numbers.size(), 3 * pixels) << name;
      for (std::size_t k = 0; k < pixels; ++k) {
        const Rgba& pixel = found.pixels[k];
        ASSERT_EQ(static_cast<float>(pixel.r), numbers[k]) << name << ", pixel " << k;
        ASSERT_EQ(static_cast<float>(pixel.g), numbers[pixels + k]) << name << ", pixel " << k;
        ASSERT_EQ(static_cast<float>(pixel.b), numbers[2 * pixels + k]) << name << ", pixel " << k;
      }
      ++checked;
    }
  }
  EXPECT_EQ(checked, 20);
}

TEST(ImageResize, TheSameSizeIsTheSameImage) {
  const Image image = read_png(vision_image());
  for (const ResampleFilter& filter : resample_filters()) {
    if (filter.number == 5) continue;  // hamming is not 0 at its neighbours
    EXPECT_TRUE(resized(image, image.width, image.height, filter).pixels == image.pixels) << filter.name;
  }
}

TEST(ImageResize, WeightsSumToOneAndStayInside) {
  for (const ResampleFilter& filter : resample_filters()) {
    for (const auto& [from, to] : {std::pair(1, 9), {9, 1}, {7, 3}, {3, 7}, {1000, 13}}) {
      const std::vector<ResampleRow> rows = resample_rows(from, to, filter);
      ASSERT_EQ(std::ssize(rows), to);
      for (const ResampleRow& row : rows) {
        double sum = 0;
        for (const double weight : row.weights) sum += weight;
        EXPECT_TRUE(std::abs(sum - 1) <= 1e-12) << filter.name << ", " << from << " to " << to;
        EXPECT_TRUE(0 <= row.begin && row.begin + std::ssize(row.weights) <= from);
      }
    }
  }
}

}  // namespace
}  // namespace headscope
