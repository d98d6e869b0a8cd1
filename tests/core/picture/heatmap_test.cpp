#include "core/picture/heatmap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "core/base/assert.h"
#include "tests/core/picture/small_maps.h"

namespace headscope {
namespace {

TEST(Heatmap, fills_each_cell_with_the_colour_of_its_value) {
  const Image image = draw_heatmap(spec_of(matrix_of(2, 3, {0, 0.25F, 0.5F, 0.75F, 1, 0.1F}), 4));
  ASSERT_EQ(image.width, 12);
  ASSERT_EQ(image.height, 8);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 12; ++x) {
      const float value =
          (std::vector<float>{0, 0.25F, 0.5F, 0.75F, 1, 0.1F})[static_cast<std::size_t>(y / 4 * 3 + x / 4)];
      EXPECT_EQ(image.at(x, y), shade(ColorMap::viridis, value)) << x << ' ' << y;
    }
  }
}

TEST(Heatmap, clamps_values_outside_the_range_to_its_ends) {
  HeatmapSpec spec = spec_of(matrix_of(1, 4, {-5, 7, 3e38F, -3e38F}), 1);
  spec.map = ColorMap::magma;
  spec.range = {-1, 2};
  const Image image = draw_heatmap(spec);
  EXPECT_EQ(image.at(0, 0), shade(ColorMap::magma, 0));
  EXPECT_EQ(image.at(1, 0), shade(ColorMap::magma, 1));
  EXPECT_EQ(image.at(2, 0), shade(ColorMap::magma, 1));
  EXPECT_EQ(image.at(3, 0), shade(ColorMap::magma, 0));
}

TEST(Heatmap, keeps_a_lone_spike_when_many_cells_share_a_pixel) {
  for (const float spike : {0.9F, -0.9F}) {
    for (int place = 0; place < 100 * 100; place += 397) {
      std::vector<float> values(100 * 100, 0.01F);
      values[static_cast<std::size_t>(place)] = spike;
      HeatmapSpec spec = spec_of(matrix_of(100, 100, values), 1);
      spec.width = 7;
      spec.height = 13;
      spec.range = {-1, 1};
      spec.map = ColorMap::icefire;
      const Rgba wanted = color_table(spec.map)[static_cast<std::size_t>(value_scale(spec.range).entry(spike))];
      const int shown = count_of(draw_heatmap(spec), wanted);
      EXPECT_GE(shown, 1) << place;
      EXPECT_LE(shown, 4) << place;  // a cell may reach into neighbouring pixels
    }
  }
}

TEST(Heatmap, loses_no_cell_at_any_awkward_ratio_of_cells_to_pixels) {
  for (const int cells : {3, 10, 97, 1000, 4093}) {
    for (const int pixels : {1, 2, 3, 9, 64, 96, 333, 1000}) {
      if (pixels > cells) continue;
      const AxisWindow window = axis_window(0, cells, pixels);
      std::int64_t covered = 0;
      for (int p = 0; p < pixels; ++p) {
        EXPECT_LE(window.first_cell(p), covered) << cells << ' ' << pixels << ' ' << p;
        EXPECT_GT(window.end_cell(p), window.first_cell(p));
        covered = std::max(covered, window.end_cell(p));
      }
      EXPECT_EQ(covered, cells) << pixels;
    }
  }
}

TEST(Heatmap, of_equally_large_values_the_positive_one_shows) {
  for (const bool positive_first : {true, false}) {
    const float first = positive_first ? 0.5F : -0.5F;
    HeatmapSpec spec = spec_of(matrix_of(1, 2, {first, -first}), 1);
    spec.width = 1;
    spec.map = ColorMap::coolwarm;
    spec.range = {-1, 1};
    EXPECT_EQ(draw_heatmap(spec).at(0, 0), shade(ColorMap::coolwarm, 0.75));
  }
}

TEST(Heatmap, a_pixel_over_several_cells_shows_nan_before_infinity_before_values) {
  HeatmapSpec spec = spec_of(matrix_of(1, 6, {1, kNan, kInf, 0.5F, 1, -kInf}), 1);
  spec.width = 2;  // [1, NaN, inf] and [.5, 1, -inf]
  const Image both = draw_heatmap(spec);
  EXPECT_EQ(both.at(0, 0), kNanColor);
  EXPECT_EQ(both.at(1, 0), kNanColor);
  EXPECT_NE(draw_heatmap(spec_of(matrix_of(1, 1, {1}), 1)).at(0, 0), kNanColor);
}

TEST(Heatmap, the_hatch_and_the_grid_grow_with_the_scale_of_the_screen) {
  HeatmapSpec spec = spec_of(matrix_of(1, 2, {0.0F, 0.0F}), 40);
  spec.mask = mask_of(1, 2, {1, 0});
  spec.pixel_scale = 2;
  spec.grid = true;
  const Image image = draw_heatmap(spec);
  for (int x = 0; x < 38; ++x) EXPECT_EQ(image.at(x, 0) == kDark.hatch, x % 10 < 2) << x;
  for (const int x : {38, 39, 78, 79}) EXPECT_EQ(image.at(x, 0), kDark.panel) << x;
  for (const int y : {38, 39}) EXPECT_EQ(image.at(50, y), kDark.panel);
  EXPECT_EQ(image.at(50, 37), shade(ColorMap::viridis, 0));
}

TEST(Heatmap, crosses_nan_from_corner_to_corner) {
  const Image image = draw_heatmap(spec_of(matrix_of(1, 1, {kNan}), 16));
  for (int k = 0; k < 16; ++k) {
    EXPECT_EQ(image.at(k, k), kWhite);
    EXPECT_EQ(image.at(15 - k, k), kWhite);
  }
  EXPECT_EQ(count_of(image, kWhite), 32);
  EXPECT_EQ(count_of(image, kNanColor), 16 * 16 - 32);
  EXPECT_EQ(count_of(draw_heatmap(spec_of(matrix_of(1, 1, {kNan}), 7)), kNanColor), 49);  // no mark below 8
}

TEST(Heatmap, infinities_are_triangles_that_point_their_way) {
  const Image up = draw_heatmap(spec_of(matrix_of(1, 1, {kInf}), 24));
  const Image down = draw_heatmap(spec_of(matrix_of(1, 1, {-kInf}), 24));
  const auto white_in_row = [](const Image& image, int y) {
    int count = 0;
    for (int x = 0; x < image.width; ++x) count += image.at(x, y) == kWhite ? 1 : 0;
    return count;
  };
  int widest = 0;
  for (int y = 0; y < 24; ++y) {
    EXPECT_EQ(white_in_row(up, y), white_in_row(down, 23 - y)) << y;
    if (white_in_row(up, y) > 0) {
      EXPECT_GE(white_in_row(up, y), widest);
    }
    widest = std::max(widest, white_in_row(up, y));
  }
  EXPECT_GT(widest, 8);
  EXPECT_LT(widest, 20);
  EXPECT_EQ(up.at(0, 0), kNanColor);
}

TEST(Heatmap, draws_a_grid_from_twelve_pixels_a_cell) {
  HeatmapSpec spec = spec_of(matrix_of(2, 2, {0, 0, 0, 0}), 12);
  spec.grid = true;
  const Image image = draw_heatmap(spec);
  for (int k = 0; k < 24; ++k) {
    EXPECT_EQ(image.at(11, k), kDark.panel);
    EXPECT_EQ(image.at(23, k), kDark.panel);
    EXPECT_EQ(image.at(k, 11), kDark.panel);
    EXPECT_EQ(image.at(k, 23), kDark.panel);
  }
  EXPECT_EQ(count_of(image, shade(ColorMap::viridis, 0)), 4 * 11 * 11);
  HeatmapSpec small = spec_of(matrix_of(2, 2, {0, 0, 0, 0}), 11);
  small.grid = true;
  EXPECT_EQ(count_of(draw_heatmap(small), kDark.panel), 0);
  // The smaller side of a cell decides.
  spec.height = 22;
  EXPECT_EQ(count_of(draw_heatmap(spec), kDark.panel), 0);
}

TEST(Heatmap, shows_a_part_and_leaves_what_is_outside_of_the_matrix_empty) {
  HeatmapSpec spec = spec_of(matrix_of(3, 3, {0, 0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F, 0.8F}), 4);
  spec.row0 = 1;
  spec.column0 = 1.5;
  spec.rows = 3;
  spec.columns = 3;
  const Image image = draw_heatmap(spec);
  EXPECT_EQ(image.at(0, 0), shade(ColorMap::viridis, 0.4F));
  EXPECT_EQ(image.at(1, 0), shade(ColorMap::viridis, 0.4F));
  EXPECT_EQ(image.at(2, 0), shade(ColorMap::viridis, 0.5F));
  EXPECT_EQ(image.at(5, 7), shade(ColorMap::viridis, 0.8F));
  EXPECT_EQ(image.at(6, 0), kDark.well);
  EXPECT_EQ(image.at(0, 8), kDark.well);
  spec.row0 = -2;
  EXPECT_EQ(draw_heatmap(spec).at(0, 0), kDark.well);
  EXPECT_EQ(draw_heatmap(spec).at(0, 8), shade(ColorMap::viridis, 0.1F));
  spec.row0 = 100;
  EXPECT_EQ(count_of(draw_heatmap(spec), kDark.well), 144);
}

TEST(Heatmap, a_computed_matrix_gives_the_pixels_of_a_stored_one_and_is_read_in_parts) {
  std::vector<float> values(50 * 70);
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = static_cast<float>(std::sin(0.37 * static_cast<double>(k)));
  const Tensor stored = matrix_of(50, 70, values);
  std::int64_t most = 0;
  const Tensor computed =
      Tensor::computed({50, 70}, {Axis::query, Axis::key}, [&](const Region& region, std::span<float> out) {
        most = std::max(most, element_count(region));
        stored.read(region, out);
      });
  HeatmapSpec spec = spec_of(stored, 1);
  spec.range = {-1, 1};
  spec.column0 = 10.25;
  spec.columns = 40;
  for (const auto& [width, height] : {std::pair(23, 17), std::pair(160, 9), std::pair(40, 50)}) {
    spec.width = width;
    spec.height = height;
    spec.matrix = stored;
    const Image expected = draw_heatmap(spec);
    spec.matrix = computed;
    EXPECT_EQ(draw_heatmap(spec).pixels, expected.pixels);
  }
  EXPECT_LE(most, 50 * 41);  // the columns that are seen, all rows at once when they are few
}

TEST(Heatmap, a_large_matrix_is_never_read_whole) {
  std::int64_t most = 0, cells = 0;
  HeatmapSpec spec = spec_of(matrix_of(1, 1, {0}), 1);
  spec.matrix =
      Tensor::computed({5000, 4000}, {Axis::query, Axis::key}, [&](const Region& region, std::span<float> out) {
        most = std::max(most, element_count(region));
        cells += element_count(region);
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(region[0].begin) / 5000;
      });
  spec.rows = 5000;
  spec.columns = 4000;
  spec.width = 40;
  spec.height = 50;
  const Image image = draw_heatmap(spec);
  EXPECT_LE(most, std::int64_t{1} << 23);
  EXPECT_GE(most, std::int64_t{1} << 21);  // and in few pieces
  EXPECT_EQ(cells, 5000 * 4000);
  EXPECT_EQ(image.at(0, 0), shade(ColorMap::viridis, 0));
}

TEST(Heatmap, equal_specs_are_equal_and_a_changed_field_is_seen) {
  const HeatmapSpec spec = spec_of(matrix_of(2, 2, {1, 2, 3, 4}), 4);
  EXPECT_TRUE(spec == HeatmapSpec(spec));
  const std::vector<void (*)(HeatmapSpec&)> changes = {
      [](HeatmapSpec& s) { s.matrix = s.matrix.sliced(0, 0, 1); },
      [](HeatmapSpec& s) {
        s.mask = mask_of(2, 2, {0, 0, 0, 0});
      },
      [](HeatmapSpec& s) { s.batch = 1; },
      [](HeatmapSpec& s) { s.head = 1; },
      [](HeatmapSpec& s) { s.row0 = 1; },
      [](HeatmapSpec& s) { s.column0 = 1; },
      [](HeatmapSpec& s) { s.rows = 1; },
      [](HeatmapSpec& s) { s.columns = 1; },
      [](HeatmapSpec& s) { s.width = 1; },
      [](HeatmapSpec& s) { s.height = 1; },
      [](HeatmapSpec& s) { s.map = ColorMap::gray; },
      [](HeatmapSpec& s) { s.range.per_row = true; },
      [](HeatmapSpec& s) { s.theme = Theme::light; },
      [](HeatmapSpec& s) { s.hatch_x = 1; },
      [](HeatmapSpec& s) { s.hatch_y = 1; },
      [](HeatmapSpec& s) { s.pixel_scale = 2; },
      [](HeatmapSpec& s) { s.grid = true; },
  };
  for (std::size_t k = 0; k < changes.size(); ++k) {
    HeatmapSpec changed = spec;
    changes[k](changed);
    EXPECT_FALSE(changed == spec) << k;
  }
}

TEST(Heatmap, a_spec_that_cannot_be_drawn_is_our_bug_and_says_both_sizes) {
  HeatmapSpec spec = spec_of(matrix_of(2, 2, {1, 2, 3, 4}), 4);
  spec.mask = mask_of(2, 3, {0, 0, 0, 0, 0, 0});
  EXPECT_THROW(draw_heatmap(spec), Bug);
  spec.mask = nullptr;
  spec.width = 0;
  EXPECT_THROW(draw_heatmap(spec), Bug);
}

}  // namespace
}  // namespace headscope
