#include <gtest/gtest.h>

#include "tests/core/picture/small_maps.h"

namespace headscope {
namespace {

Rgba entry(ColorMap map, int k) {
  return color_table(map)[static_cast<std::size_t>(k)];
}

TEST(ValueScale, maps_the_range_onto_the_table) {
  const ValueScale scale = value_scale({-2, 3});
  EXPECT_EQ(scale.entry(-2), 0);
  EXPECT_EQ(scale.entry(3), 255);
  EXPECT_EQ(scale.entry(0.5F), 128);
  EXPECT_EQ(scale.entry(-1e30F), 0);
  EXPECT_EQ(scale.entry(1e30F), 255);
}

TEST(ValueScale, an_empty_range_puts_equal_values_in_the_middle_and_others_at_the_ends) {
  const ValueScale scale = value_scale({0.5, 0.5});
  EXPECT_EQ(scale.entry(0.5F), 128);
  EXPECT_EQ(scale.entry(0.4999F), 0);
  EXPECT_EQ(scale.entry(0.5001F), 255);
  const ValueScale broken = value_scale({std::nan(""), std::nan("")});
  EXPECT_EQ(broken.entry(0), 128);
}

TEST(ValueScale, survives_the_whole_range_of_float) {
  const ValueScale scale = value_scale({-3.4e38, 3.4e38});
  EXPECT_EQ(scale.entry(-3.4e38F), 0);
  EXPECT_EQ(scale.entry(0), 128);
  EXPECT_EQ(scale.entry(3.4e38F), 255);
  const ValueScale tiny = value_scale({0, 1e-38});
  EXPECT_GT(tiny.entry(1e-38F), 0);
  EXPECT_EQ(tiny.entry(0), 0);
}

TEST(ValueScale, a_logarithm_goes_down_to_a_millionth_of_the_top) {
  const ValueScale scale = value_scale({0, 1, true});
  EXPECT_EQ(scale.entry(1), 255);
  EXPECT_NEAR(scale.entry(1e-3F), 127.5, 0.6);
  EXPECT_EQ(scale.entry(1e-6F), 0);
  EXPECT_EQ(scale.entry(1e-12F), 0);
  EXPECT_EQ(scale.entry(0), 0);
  EXPECT_EQ(scale.entry(-1), 0);
  EXPECT_EQ(scale.entry(5), 255);
  const ValueScale floored = value_scale({0.01, 1, true});
  EXPECT_NEAR(floored.entry(0.1F), 127.5, 0.6);
  EXPECT_EQ(floored.entry(0.01F), 0);
  const ValueScale nothing = value_scale({-3, 0, true});
  EXPECT_EQ(nothing.entry(-1), 0);
  EXPECT_EQ(nothing.entry(1), 0);
}

TEST(RowRange, each_row_has_its_own_ends_taken_from_what_is_visible) {
  HeatmapSpec spec = spec_of(matrix_of(3, 3, {1, 2, 3, 10, 1e20F, 20, kNan, 5, kInf}), 1);
  spec.mask = mask_of(3, 3, {0, 0, 0, 0, 1, 0, 0, 0, 0});
  spec.range.per_row = true;
  const Image image = draw_heatmap(spec);
  EXPECT_EQ(image.at(0, 0), entry(ColorMap::viridis, 0));
  EXPECT_EQ(image.at(1, 0), entry(ColorMap::viridis, 128));
  EXPECT_EQ(image.at(2, 0), entry(ColorMap::viridis, 255));
  EXPECT_EQ(image.at(0, 1), entry(ColorMap::viridis, 0));
  EXPECT_EQ(image.at(1, 1), palette(Theme::dark).well);
  EXPECT_EQ(image.at(2, 1), entry(ColorMap::viridis, 255));
  EXPECT_EQ(image.at(0, 2), kNanColor);
  EXPECT_EQ(image.at(1, 2), entry(ColorMap::viridis, 255));  // alone: [0, 5]
}

TEST(RowRange, a_diverging_map_keeps_zero_in_its_middle) {
  HeatmapSpec spec = spec_of(matrix_of(2, 3, {-1, 0, 4, 0, 0, 0}), 1);
  spec.map = ColorMap::icefire;
  spec.range.per_row = true;
  const Image image = draw_heatmap(spec);
  EXPECT_EQ(image.at(1, 0), entry(ColorMap::icefire, 128));
  EXPECT_EQ(image.at(2, 0), entry(ColorMap::icefire, 255));
  EXPECT_EQ(image.at(0, 0), entry(ColorMap::icefire, 96));
  for (int x = 0; x < 3; ++x) EXPECT_EQ(image.at(x, 1), entry(ColorMap::icefire, 128));
}

TEST(RowRange, does_not_depend_on_which_part_of_the_row_is_seen) {
  HeatmapSpec spec = spec_of(matrix_of(4, 4, {0, 1, 2, 8, 0, 1, 2, 4, 0, 1, 2, 2, 0, 1, 2, 16}), 1);
  spec.range.per_row = true;
  const Image whole = draw_heatmap(spec);
  spec.row0 = 1;
  spec.rows = 3;
  spec.height = 3;
  spec.columns = 2;
  spec.width = 2;
  const Image part = draw_heatmap(spec);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 2; ++x) EXPECT_EQ(part.at(x, y), whole.at(x, y + 1));
  }
}

TEST(AutomaticRange, weights_go_from_zero_to_one_unless_dropout_scaled_them_up) {
  EXPECT_EQ(automatic_range(matrix_of(1, 2, {0.1F, 0.3F}), true, false), (ValueRange{0, 1}));
  EXPECT_EQ(automatic_range(matrix_of(1, 2, {0.1F, 1.0000001F}), true, false), (ValueRange{0, 1}));
  EXPECT_EQ(automatic_range(matrix_of(1, 2, {0.1F, 2}), true, false), (ValueRange{0, 2}));
  EXPECT_EQ(automatic_range(matrix_of(1, 2, {kNan, kNan}), true, false), (ValueRange{0, 1}));
}

TEST(AutomaticRange, signed_data_is_centred_on_zero) {
  EXPECT_EQ(automatic_range(matrix_of(1, 3, {-1, 0, 3}), false, true), (ValueRange{-3, 3}));
  EXPECT_EQ(automatic_range(matrix_of(1, 2, {0, 0}), false, true), (ValueRange{-1, 1}));
  EXPECT_EQ(automatic_range(matrix_of(1, 3, {2, 5, 3}), false, false), (ValueRange{2, 5}));
}

TEST(AutomaticRange, leaves_out_what_is_not_finite_or_hidden) {
  const Tensor scores = matrix_of(2, 2, {-1, -kInf, kNan, -1e20F});
  const auto mask = mask_of(2, 2, {0, 0, 0, 1});
  EXPECT_EQ(automatic_range(scores, false, true, mask.get()), (ValueRange{-1, 1}));
  EXPECT_EQ(automatic_range(matrix_of(1, 1, {kNan}), false, true), (ValueRange{0, 1}));
  // A mask of one batch and head stands for all of a 4-D stage.
  const Tensor stage =
      Tensor::of({1, 2, 2, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key}, {1, 2, 3, 1e20F, -4, 2, 3, -1e20F});
  EXPECT_EQ(automatic_range(stage, false, true, mask.get()), (ValueRange{-4, 4}));
}

TEST(AutomaticRange, reads_computed_tensors_of_any_rank) {
  const Tensor computed = Tensor::computed({2, 3, 5}, {Axis::batch, Axis::position, Axis::feature},
                                           [](const Region& region, std::span<float> out) {
                                             std::size_t k = 0;
                                             for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
                                               for (std::int64_t i = region[1].begin; i < region[1].end; ++i) {
                                                 for (std::int64_t d = region[2].begin; d < region[2].end; ++d) {
                                                   out[k++] = static_cast<float>(100 * b + 10 * i + d);
                                                 }
                                               }
                                             }
                                           });
  EXPECT_EQ(automatic_range(computed, false, false), (ValueRange{0, 124}));
}

}  // namespace
}  // namespace headscope
