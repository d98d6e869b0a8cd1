// The shader against core/picture, pixel by pixel: where cells lie, masks, and anything at random. Colours of values
// are in heatmap_values_gl_test.cpp.
#include <fmt/format.h>

#include <random>

#include "tests/app/gl/heatmap_fixture.h"
#include "tests/app/gl/texture_pixels.h"

namespace headscope {
namespace {

TEST_F(HeatmapGlTest, EqualsThePictureForOddSizes) {
  const std::pair<std::int64_t, std::int64_t> shapes[] = {{1, 1}, {5, 5}, {7, 3}, {1, 64}, {13, 1}, {31, 17}};
  const std::pair<int, int> sizes[] = {{1, 1}, {7, 5}, {101, 67}, {230, 230}, {33, 400}};
  for (const auto& [rows, columns] : shapes) {
    const Tensor matrix = random_matrix(rows, columns, 0, 1);
    for (const auto& [width, height] : sizes) {
      if (rows == 1 && columns == 1 && width * height > 400) continue;
      expect_same(spec_of(matrix, width, height), fmt::format("{} x {} in {} x {}", rows, columns, width, height));
    }
  }
}

TEST_F(HeatmapGlTest, OneCellFillsItsPicture) {
  HeatmapSpec spec = spec_of(matrix_of(1, 1, {0.75F}), 19, 19);
  spec.grid = false;
  const Image image = read_back(store_->heatmap(spec));
  EXPECT_EQ(image.at(9, 9), color_at(ColorMap::viridis, 0.75));
  EXPECT_EQ(image.at(0, 0), image.at(18, 18));
}

TEST_F(HeatmapGlTest, TheFirstRowIsOnTop) {
  HeatmapSpec spec = spec_of(matrix_of(2, 2, {0, 1, 0.25F, 0.5F}), 40, 40);
  spec.grid = false;
  const Image image = read_back(store_->heatmap(spec));
  EXPECT_EQ(image.at(5, 5), color_at(ColorMap::viridis, 0));
  EXPECT_EQ(image.at(35, 5), color_at(ColorMap::viridis, 1));
  EXPECT_EQ(image.at(5, 35), color_at(ColorMap::viridis, 0.25));
  EXPECT_EQ(image.at(35, 35), color_at(ColorMap::viridis, 0.5));
}

TEST_F(HeatmapGlTest, EqualsThePictureForZoomedViewports) {
  const Tensor matrix = random_matrix(40, 30, 0, 1);
  for (const double zoom : {1.0, 1.7, 3.3, 9.1, 25.0}) {
    HeatmapSpec spec = spec_of(matrix, 203, 157);
    spec.rows /= zoom;
    spec.columns /= zoom;
    spec.row0 = 0.37 * (40 - spec.rows);
    spec.column0 = 0.61 * (30 - spec.columns);
    expect_same(spec, fmt::format("zoom {}", zoom));
  }
}

TEST_F(HeatmapGlTest, EqualsThePictureBeyondTheMatrixsEdges) {
  HeatmapSpec spec = spec_of(random_matrix(6, 6, 0, 1), 120, 96);
  spec.row0 = -2.3;
  spec.column0 = 3.4;
  expect_same(spec, "moved over the edge");
  spec.row0 = spec.column0 = -4;
  spec.rows = spec.columns = 300;
  expect_same(spec, "small in the middle of nothing");
}

TEST_F(HeatmapGlTest, EqualsThePictureSpreadOverItsRoom) {
  const Tensor matrix = random_matrix(400, 400, 0, 1);
  for (const int side : {401, 523, 746}) {
    HeatmapSpec spec = spec_of(matrix, side, side);
    spec.mask = side % 2 == 0 ? nullptr : causal(400, 400);
    expect_same(spec, fmt::format("400 cells in {} pixels", side));
  }
}

TEST_F(HeatmapGlTest, EqualsThePictureForManyCellsInAPixel) {
  const Tensor matrix = random_matrix(257, 131, -3, 2);
  HeatmapSpec spec = spec_of(matrix, 40, 85);
  spec.range = {-3, 3, false, false};
  spec.map = ColorMap::icefire;
  expect_same(spec, "257 x 131 in 85 x 40 pixels");
  spec.mask = causal(257, 131);
  expect_same(spec, "with hidden cells");
  spec.rows = 3;  // one axis zoomed in, the other out
  spec.row0 = 100.2;
  expect_same(spec, "few rows, many columns");
}

TEST_F(HeatmapGlTest, NoSpikeIsLostWhenZoomedOut) {
  std::vector<float> values(1000 * 1000, 0.0F);
  values[123 * 1000 + 777] = 1.0F;
  HeatmapSpec spec = spec_of(matrix_of(1000, 1000, std::move(values)), 85, 85);
  expect_same(spec, "one cell of a million");
  const Image image = read_back(store_->heatmap(spec));
  EXPECT_EQ(image.at(777 * 85 / 1000, 123 * 85 / 1000), color_at(ColorMap::viridis, 1));
}

TEST_F(HeatmapGlTest, EqualsThePictureForHiddenCellsAtEveryCellSize) {
  const Tensor matrix = random_matrix(9, 9, 0, 1);
  for (const int side : {9, 45, 71, 72, 73, 108, 216, 301}) {
    for (const double scale : {1.0, 1.5, 2.0, 3.0}) {
      HeatmapSpec spec = spec_of(matrix, side, side);
      spec.mask = causal(9, 9);
      spec.pixel_scale = scale;
      spec.hatch_x = 13;
      spec.hatch_y = -27;
      expect_same(spec, fmt::format("{} pixels at scale {}", side, scale));
    }
  }
}

TEST_F(HeatmapGlTest, EqualsThePictureOfStridedViewsAndComputedMatrices) {
  const Tensor whole = random_matrix(24, 36, 0, 1);
  expect_same(spec_of(whole.sliced(1, 5, 30).sliced(0, 3, 20), 125, 90), "a slice");
  expect_same(spec_of(whole.permuted({1, 0}), 125, 90), "transposed");
  const Tensor computed =
      Tensor::computed({24, 36}, {Axis::query, Axis::key},
                       [whole](const Region& region, std::span<float> out) { whole.read(region, out); });
  expect_same(spec_of(computed, 125, 90), "computed when read");
  EXPECT_EQ(store_->uploads(), 3);
}

TEST_F(HeatmapGlTest, AMatrixBeyondTheDriversTexturesIsDrawnAllTheSame) {
  expect_same(spec_of(random_matrix(2, 40000, 0, 1), 300, 20), "40,000 columns");
}

TEST_F(HeatmapGlTest, EqualsThePictureForAnythingAtRandom) {
  std::mt19937 generator(20);
  const auto pick = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(generator() >> 8) / 16777216.0;
  };
  const auto pick_int = [&](int low, int high) { return low + static_cast<int>(generator() % (high - low + 1)); };
  for (int trial = 0; trial < 300; ++trial) {
    const std::int64_t rows = pick_int(1, 40), columns = pick_int(1, 40);
    std::vector<float> values;
    for (std::int64_t k = 0; k < rows * columns; ++k) {
      const int kind = pick_int(0, 40);
      values.push_back(kind == 0   ? kNan
                       : kind == 1 ? kInfinity
                       : kind == 2 ? -kInfinity
                       : kind == 3 ? 0.0F
                                   : static_cast<float>(pick(-2, 2)));
    }
    HeatmapSpec spec = spec_of(matrix_of(rows, columns, std::move(values)), pick_int(1, 150), pick_int(1, 150));
    if (trial % 2 == 0) spec.mask = causal(rows, columns);
    if (trial % 3 != 0) {
      spec.row0 = pick(-3, static_cast<double>(rows));
      spec.column0 = pick(-3, static_cast<double>(columns));
      spec.rows = pick(0.1, 50);
      spec.columns = pick(0.1, 50);
    }
    spec.map = all_color_maps().at(static_cast<std::size_t>(pick_int(0, 5)));
    spec.theme = trial % 5 == 0 ? Theme::light : Theme::dark;
    spec.range = {pick(-2, 0), pick(0, 2), trial % 7 == 0, trial % 4 == 0};
    spec.hatch_x = pick_int(-500, 2000);
    spec.hatch_y = pick_int(-500, 2000);
    spec.pixel_scale = pick(0.8, 3);
    spec.grid = trial % 6 != 0;
    expect_same(spec, fmt::format("trial {}: {} x {} in {} x {}", trial, rows, columns, spec.width, spec.height),
                false);
    if (trial % 20 == 0) store_->end_frame();
  }
}

TEST_F(HeatmapGlTest, MarkedCellsHaveACorner) {
  auto mask = std::make_shared<Mask>(*causal(6, 6));
  mask->marked = HiddenCells(1, 2, 6, 6);
  for (std::int64_t h = 0; h < 2; ++h) {
    for (std::int64_t j = h; j < 6; ++j)
      mask->hidden.mutable_row(0, 0, 0)[j] = 0, mask->marked.mutable_row(0, h, 0)[j] = 1;
  }
  mask->marked.refresh_any();
  for (const auto& [width, height] : {std::pair{96, 96}, {331, 170}, {55, 60}, {40, 40}}) {
    for (const double scale : {1.0, 1.5, 2.0}) {
      HeatmapSpec spec = spec_of(random_matrix(6, 6, 0, 1), width, height);
      spec.mask = mask;
      spec.pixel_scale = scale;
      for (spec.head = 0; spec.head < 2; ++spec.head) {
        expect_same(spec, fmt::format("head {}, {} x {} at {}", spec.head, width, height, scale));
      }
    }
  }
}

TEST_F(HeatmapGlTest, EachHeadHasItsOwnMask) {
  auto mask = std::make_shared<Mask>();
  mask->hidden = HiddenCells(1, 3, 6, 6);
  for (std::int64_t h = 0; h < 3; ++h) mask->hidden.mutable_row(0, h, h + 1)[2] = 1;
  mask->hidden.refresh_any();
  HeatmapSpec spec = spec_of(random_matrix(6, 6, 0, 1), 90, 90);
  spec.mask = mask;
  for (spec.head = 0; spec.head < 3; ++spec.head) expect_same(spec, fmt::format("head {}", spec.head));
}

}  // namespace
}  // namespace headscope
