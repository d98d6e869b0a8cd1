// Matrices, and how a picture of the shader is compared with that of core/picture.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/picture/heatmap.h"
#include "tests/app/gl/gl_fixture.h"
#include "tests/app/gl/not_finite.h"
#include "tests/app/gl/texture_pixels.h"

namespace headscope {

inline Tensor matrix_of(std::int64_t rows, std::int64_t columns, std::vector<float> values) {
  return Tensor::of({rows, columns}, {Axis::query, Axis::key}, std::move(values));
}

// Values in [low, high), a fixed sequence for each seed.
inline Tensor random_matrix(std::int64_t rows, std::int64_t columns, float low, float high, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (float& v : values) v = low + (high - low) * static_cast<float>(generator() >> 8) / 16777216.0F;
  return matrix_of(rows, columns, std::move(values));
}

// The whole matrix in width x height pixels.
inline HeatmapSpec spec_of(const Tensor& matrix, int width, int height) {
  HeatmapSpec spec;
  spec.matrix = matrix;
  spec.rows = static_cast<double>(matrix.dim(0));
  spec.columns = static_cast<double>(matrix.dim(1));
  spec.width = width;
  spec.height = height;
  return spec;
}

// Hides what is right of the diagonal.
inline std::shared_ptr<const Mask> causal(std::int64_t rows, std::int64_t columns) {
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 1, rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = i + 1; j < columns; ++j) mask->hidden.mutable_row(0, 0, i)[j] = 1;
  }
  mask->hidden.refresh_any();
  return mask;
}

inline int difference(std::uint8_t a, std::uint8_t b) {
  return a > b ? a - b : b - a;
}

class HeatmapGlTest : public GlTest {
 protected:
  // The shader's picture is the one of core/picture, up to one step of a colour. varied: it must show several colours.
  void expect_same(const HeatmapSpec& spec, const std::string& what, bool varied = true) {
    const Image expected = draw_heatmap(spec);
    const TextureId id = store_->heatmap(spec);
    ASSERT_NE(id, 0U) << what;
    const Image actual = read_back(id);
    ASSERT_EQ(actual.width, expected.width) << what;
    ASSERT_EQ(actual.height, expected.height) << what;
    int wrong = 0;
    std::string first;
    for (int y = 0; y < expected.height; ++y) {
      for (int x = 0; x < expected.width; ++x) {
        const Rgba a = actual.at(x, y), e = expected.at(x, y);
        const int worst = std::max({difference(a.r, e.r), difference(a.g, e.g), difference(a.b, e.b)});
        if (worst <= 1 && a.a == 255) continue;
        if (++wrong == 1) {
          first = fmt::format("at ({}, {}): {} {} {} {}, expected {} {} {}", x, y, a.r, a.g, a.b, a.a, e.r, e.g, e.b);
        }
      }
    }
    EXPECT_EQ(wrong, 0) << what << ": " << wrong << " pixels differ, the first " << first;
    // A picture of one colour would agree with nearly anything.
    if (varied && spec.width * spec.height > 400) {
      EXPECT_TRUE(std::any_of(expected.pixels.begin(), expected.pixels.end(), [&](Rgba p) {
        return !(p == expected.pixels.front());
      })) << what;
    }
  }
};

}  // namespace headscope
