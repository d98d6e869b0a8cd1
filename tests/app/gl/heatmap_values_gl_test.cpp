// The colour that the shader gives to a value, against core/picture, pixel by pixel.
#include <fmt/format.h>

#include <cmath>

#include "tests/app/gl/heatmap_fixture.h"

namespace headscope {
namespace {

TEST_F(HeatmapGlTest, EqualsThePictureForNanAndInfinities) {
  const Tensor matrix = matrix_of(3, 4,
                                  {kNan, 0.5F, kInfinity, -kInfinity, 0.1F, -kNan, 0.3F, kNan,  //
                                   -kInfinity, kInfinity, 0.9F, 0.0F});
  for (const auto& [width, height] : {std::pair{12, 9}, {28, 24}, {32, 24}, {200, 150}, {333, 90}, {40, 300}}) {
    for (const double scale : {1.0, 1.25, 2.0}) {
      HeatmapSpec spec = spec_of(matrix, width, height);
      spec.pixel_scale = scale;
      expect_same(spec, fmt::format("{} x {} at {}", width, height, scale));
      spec.mask = causal(3, 4);
      expect_same(spec, fmt::format("{} x {} at {}, masked", width, height, scale));
    }
  }
}

TEST_F(HeatmapGlTest, EqualsThePictureForNanAmongManyCells) {
  std::vector<float> values(90 * 90, 0.4F);
  values[17 * 90 + 31] = kNan;
  values[60 * 90 + 8] = kInfinity;
  values[61 * 90 + 9] = -kInfinity;
  expect_same(spec_of(matrix_of(90, 90, std::move(values)), 30, 30), "marked cells in 3 x 3 cells a pixel");
}

TEST_F(HeatmapGlTest, EqualsThePictureForEveryColorMapAndTheme) {
  const Tensor matrix = random_matrix(12, 12, -2, 2);
  for (const ColorMap map : all_color_maps()) {
    for (const Theme theme : {Theme::dark, Theme::light}) {
      HeatmapSpec spec = spec_of(matrix, 150, 150);
      spec.map = map;
      spec.theme = theme;
      spec.range = {-2, 2, false, false};
      spec.mask = causal(12, 12);
      expect_same(spec, std::string(color_map_name(map)) + (theme == Theme::dark ? ", dark" : ", light"));
    }
  }
}

TEST_F(HeatmapGlTest, EqualsThePictureForStrangeRanges) {
  const Tensor matrix = random_matrix(20, 20, -1, 1);
  const ValueRange ranges[] = {{0, 1, false, false},         {0.5, 0.5, false, false},    {1, -1, false, false},
                               {0, 1e-30, false, false},     {-1e30, 1e30, false, false}, {kNan, 1, false, false},
                               {0, kInfinity, false, false}, {-0.3, 0.01, false, false}};
  for (const ValueRange& range : ranges) {
    HeatmapSpec spec = spec_of(matrix, 100, 100);
    spec.range = range;
    expect_same(spec, fmt::format("range {} to {}", range.low, range.high), false);
  }
}

TEST_F(HeatmapGlTest, EqualsThePictureOnALogarithmicScale) {
  std::vector<float> values;
  for (int k = 0; k < 256 * 256; ++k) values.push_back(std::exp2(-24.0F * static_cast<float>(k) / (256 * 256)));
  values[5] = 0;
  values[6] = -0.25F;
  values[7] = 1e-42F;
  values[8] = 3;
  const Tensor matrix = matrix_of(256, 256, std::move(values));
  const ValueRange ranges[] = {{0, 1, true, false}, {1e-4, 0.5, true, false}, {0.2, 0.1, true, false},
                               {0, 0, true, false}, {-1, 1, true, false},     {0, 1e-12, true, false}};
  for (const ValueRange& range : ranges) {
    HeatmapSpec spec = spec_of(matrix, 256, 256);
    spec.range = range;
    expect_same(spec, fmt::format("log {} to {}", range.low, range.high), false);
  }
}

TEST_F(HeatmapGlTest, EqualsThePictureWithARangeForEachRow) {
  for (const bool log_scale : {false, true}) {
    for (const ColorMap map : {ColorMap::viridis, ColorMap::coolwarm}) {
      HeatmapSpec spec = spec_of(random_matrix(37, 41, -1, 5), 260, 240);
      spec.range = {0, 1, log_scale, true};
      spec.map = map;
      expect_same(spec, fmt::format("per row, log {}", log_scale));
      spec.mask = causal(37, 41);
      expect_same(spec, fmt::format("per row, log {}, masked", log_scale));
      spec.width = 20;
      spec.height = 18;
      expect_same(spec, fmt::format("per row, log {}, many cells a pixel", log_scale));
    }
  }
}

}  // namespace
}  // namespace headscope
