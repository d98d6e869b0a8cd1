// Hidden cells of a heatmap: the hatch, and what a pixel over hidden and seen cells shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "core/picture/heatmap.h"
#include "tests/core/picture/small_maps.h"

namespace headscope {
namespace {

TEST(Heatmap, hatches_hidden_cells_at_45_degrees_five_pixels_apart) {
  HeatmapSpec spec = spec_of(matrix_of(1, 2, {0.0F, 1.0F}), 20);
  spec.mask = mask_of(1, 2, {1, 0});
  const Image image = draw_heatmap(spec);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) {
      EXPECT_EQ(image.at(x, y), (x + y) % 5 == 0 ? kDark.hatch : kDark.well) << x << ' ' << y;
    }
    for (int x = 20; x < 40; ++x) EXPECT_EQ(image.at(x, y), shade(ColorMap::viridis, 1));
  }
}

TEST(Heatmap, the_hatch_joins_across_cells_and_pictures) {
  HeatmapSpec spec = spec_of(matrix_of(2, 2, {0, 0, 0, 0}), 9);
  spec.mask = mask_of(2, 2, {1, 1, 1, 1});
  const Image whole = draw_heatmap(spec);
  spec.hatch_x = -7;  // also negative places on the screen
  spec.hatch_y = -11;
  const Image moved = draw_heatmap(spec);
  for (int y = 0; y < 18; ++y) {
    for (int x = 0; x < 18; ++x) {
      EXPECT_EQ(whole.at(x, y) == kDark.hatch, (x + y) % 5 == 0);
      EXPECT_EQ(moved.at(x, y) == kDark.hatch, (x + y - 18 + 50) % 5 == 0);
    }
  }
}

TEST(Heatmap, below_eight_pixels_a_cell_hidden_cells_are_plain) {
  HeatmapSpec spec = spec_of(matrix_of(1, 1, {0.0F}), 7);
  spec.mask = mask_of(1, 1, {1});
  EXPECT_EQ(count_of(draw_heatmap(spec), kDark.well), 49);
  spec.width = spec.height = 8;
  EXPECT_GT(count_of(draw_heatmap(spec), kDark.hatch), 0);
  spec.pixel_scale = 2;  // 8 device pixels are 4 at twice the scale
  EXPECT_EQ(count_of(draw_heatmap(spec), kDark.hatch), 0);
}

// A hidden cell whose number is not 0 is no hidden one: it has its colour, and a corner says what the mask does.
TEST(Heatmap, marked_cells_have_their_colour_and_a_corner_unless_they_are_0) {
  HeatmapSpec spec = spec_of(matrix_of(1, 3, {0.25F, 0.0F, 0.25F}), 30);
  auto mask = std::make_shared<Mask>(*mask_of(1, 3, {0, 0, 0}));
  mask->marked = mask_of(1, 3, {1, 1, 0})->hidden;
  spec.mask = mask;
  const Rgba black{0, 0, 0, 255}, color = shade(ColorMap::viridis, 0.25);
  const Image image = draw_heatmap(spec);
  for (int y = 0; y < 30; ++y) {
    for (int x = 0; x < 30; ++x) {
      EXPECT_EQ(image.at(x, y), x + y + 1 < 6.3 ? kWhite : x + y + 1 < 8.3 ? black : color) << x << ' ' << y;
      EXPECT_EQ(image.at(x + 30, y), shade(ColorMap::viridis, 0)) << x << ' ' << y;
      EXPECT_EQ(image.at(x + 60, y), color) << x << ' ' << y;
    }
  }
  spec.width = 21;  // 7 pixels a cell have no marks
  spec.height = 7;
  EXPECT_EQ(count_of(draw_heatmap(spec), kWhite), 0);
}

// The low end of the map must never stand for what is hidden or not a number.
TEST(Heatmap, hidden_cells_and_nan_never_have_a_colour_of_the_map) {
  for (const Theme theme : {Theme::dark, Theme::light}) {
    for (const ColorMap map : all_color_maps()) {
      for (int cell = 1; cell < 30; ++cell) {
        HeatmapSpec spec = spec_of(matrix_of(1, 2, {-kInf, kNan}), cell);
        spec.mask = mask_of(1, 2, {1, 0});
        spec.map = map;
        spec.theme = theme;
        const Image image = draw_heatmap(spec);
        const Palette& colors = palette(theme);
        for (int y = 0; y < cell; ++y) {
          for (int x = 0; x < 2 * cell; ++x) {
            const Rgba pixel = image.at(x, y);
            if (x < cell) {
              EXPECT_TRUE(pixel == colors.well || pixel == colors.hatch);
            } else {
              EXPECT_TRUE(pixel == kNanColor || pixel == kWhite);
            }
          }
        }
      }
    }
  }
}

TEST(Heatmap, a_pixel_over_several_cells_is_empty_only_when_all_are_hidden) {
  HeatmapSpec spec = spec_of(matrix_of(1, 4, {9, 0.2F, 9, 9}), 1);
  spec.mask = mask_of(1, 4, {1, 0, 1, 1});
  spec.width = 2;
  const Image image = draw_heatmap(spec);
  EXPECT_EQ(image.at(0, 0), shade(ColorMap::viridis, 0.2));
  EXPECT_EQ(image.at(1, 0), kDark.well);
}

// Every pixel by the rule as it is written, cell by cell.
TEST(Heatmap, a_pixel_over_several_cells_shows_the_largest_that_is_seen) {
  constexpr int kAcross = 5, kDown = 3, kWidth = 8, kHeight = 10;
  constexpr int kColumns = kAcross * kWidth, kRows = kDown * kHeight;
  std::mt19937 random(7);
  for (int turn = 0; turn < 24; ++turn) {
    std::vector<float> values(kRows * kColumns);
    std::vector<std::uint8_t> hidden(values.size(), 0);
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<float>(static_cast<int>(random() % 41) - 20) / 20;
      if (turn % 3 == 1 && random() % 300 == 0) values[k] = kNan;
      if (turn % 4 == 1 && random() % 200 == 0) values[k] = random() % 2 == 0 ? kInf : -kInf;
      if (turn % 2 == 1) hidden[k] = static_cast<std::uint8_t>(random() % 8 != 0);
    }
    HeatmapSpec spec = spec_of(matrix_of(kRows, kColumns, values), 1);
    if (turn % 2 == 1) spec.mask = mask_of(kRows, kColumns, hidden);
    spec.range = {-1, 1};
    spec.width = kWidth;
    spec.height = kHeight;
    const Image image = draw_heatmap(spec);
    const auto table = color_table(spec.map);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        bool any_nan = false;
        std::optional<float> best;
        for (int k = 0; k < kAcross * kDown; ++k) {
          const auto at = static_cast<std::size_t>((y * kDown + k / kAcross) * kColumns + x * kAcross + k % kAcross);
          const float value = values[at];
          any_nan = any_nan || std::isnan(value);
          if (hidden[at] != 0 || std::isnan(value)) continue;
          const bool larger =
              !best || std::fabs(value) > std::fabs(*best) || (std::fabs(value) == std::fabs(*best) && value > *best);
          if (larger) best = value;
        }
        const Rgba expected = any_nan || (best && std::isinf(*best)) ? kNanColor
                              : !best                                ? kDark.well
                                      : table[static_cast<std::size_t>(value_scale(spec.range).entry(*best))];
        EXPECT_EQ(image.at(x, y), expected) << turn << ": " << x << ' ' << y;
      }
    }
  }
}

TEST(Heatmap, a_hidden_nan_is_drawn_as_nan_and_a_hidden_infinity_as_hidden) {
  HeatmapSpec spec = spec_of(matrix_of(1, 2, {kNan, -kInf}), 6);
  spec.mask = mask_of(1, 2, {1, 1});
  const Image image = draw_heatmap(spec);
  EXPECT_EQ(image.at(2, 2), kNanColor);
  EXPECT_EQ(image.at(8, 2), kDark.well);
}

}  // namespace
}  // namespace headscope
