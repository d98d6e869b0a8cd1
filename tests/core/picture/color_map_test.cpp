#include "core/picture/color_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

namespace headscope {
namespace {

// Largest difference of a channel.
int difference(Rgba a, Rgba b) {
  return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

TEST(ColorMap, equals_the_published_maps_at_known_entries_within_two) {
  struct Anchor {
    ColorMap map;
    std::array<Rgba, 5> at;  // entries 0, 64, 128, 192, 255
  };
  const Anchor anchors[] = {
      {ColorMap::viridis, {{{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}}},
      {ColorMap::magma, {{{0, 0, 4}, {81, 18, 124}, {183, 55, 121}, {252, 137, 97}, {252, 253, 191}}}},
      {ColorMap::cividis, {{{0, 34, 78}, {67, 78, 108}, {125, 124, 120}, {188, 174, 108}, {254, 232, 56}}}},
      {ColorMap::gray, {{{0, 0, 0}, {64, 64, 64}, {128, 128, 128}, {192, 192, 192}, {255, 255, 255}}}},
      {ColorMap::icefire, {{{189, 231, 219}, {65, 103, 199}, {31, 30, 30}, {185, 53, 64}, {255, 212, 172}}}},
      {ColorMap::coolwarm, {{{59, 76, 192}, {141, 176, 254}, {221, 220, 220}, {244, 152, 122}, {180, 4, 38}}}},
  };
  for (const Anchor& anchor : anchors) {
    for (std::size_t k = 0; k < 5; ++k) {
      const std::size_t entry = std::min<std::size_t>(k * 64, 255);
      const Rgba found = color_table(anchor.map)[entry];
      EXPECT_LE(difference(found, anchor.at[k]), 2) << color_map_name(anchor.map) << " entry " << entry << ": "
                                                    << int{found.r} << ' ' << int{found.g} << ' ' << int{found.b};
      EXPECT_EQ(found.a, 255);
    }
  }
}

TEST(ColorMap, changes_gently_from_entry_to_entry) {
  for (const ColorMap map : all_color_maps()) {
    for (std::size_t k = 0; k + 1 < 256; ++k) {
      EXPECT_LE(difference(color_table(map)[k], color_table(map)[k + 1]), 10) << color_map_name(map) << ' ' << k;
    }
  }
}

TEST(ColorMap, sequential_maps_grow_lighter_all_the_way) {
  for (const ColorMap map : all_color_maps()) {
    if (is_diverging(map)) continue;
    for (std::size_t k = 0; k + 8 < 256; k += 8) {
      EXPECT_LT(relative_luminance(color_table(map)[k]), relative_luminance(color_table(map)[k + 8]))
          << color_map_name(map) << ' ' << k;
    }
  }
}

TEST(ColorMap, diverging_maps_have_a_colourless_middle_dark_in_icefire_and_light_in_coolwarm) {
  for (const ColorMap map : {ColorMap::icefire, ColorMap::coolwarm}) {
    const Rgba middle = color_table(map)[128];
    EXPECT_LE(std::max({middle.r, middle.g, middle.b}) - std::min({middle.r, middle.g, middle.b}), 4);
  }
  EXPECT_LT(relative_luminance(color_table(ColorMap::icefire)[128]), 0.02);
  EXPECT_GT(relative_luminance(color_table(ColorMap::coolwarm)[128]), 0.65);
}

TEST(ColorMap, looks_up_the_nearest_entry_and_clamps) {
  for (const ColorMap map : all_color_maps()) {
    const auto& table = color_table(map);
    EXPECT_EQ(color_at(map, 0), table[0]);
    EXPECT_EQ(color_at(map, 1), table[255]);
    EXPECT_EQ(color_at(map, 0.5), table[128]);  // floor(127.5 + 0.5)
    EXPECT_EQ(color_at(map, 100.4 / 255), table[100]);
    EXPECT_EQ(color_at(map, 100.6 / 255), table[101]);
    EXPECT_EQ(color_at(map, -3), table[0]);
    EXPECT_EQ(color_at(map, 3), table[255]);
    EXPECT_EQ(color_at(map, std::numeric_limits<double>::infinity()), table[255]);
  }
}

TEST(ColorMap, names_go_both_ways) {
  EXPECT_EQ(all_color_maps().size(), 6U);
  for (const ColorMap map : all_color_maps()) EXPECT_EQ(color_map_named(color_map_name(map)), map);
  EXPECT_EQ(color_map_named("jet"), std::nullopt);
  EXPECT_EQ(color_map_named(""), std::nullopt);
  EXPECT_EQ(color_map_named("Viridis"), std::nullopt);
}

TEST(ColorMap, defaults_follow_quantity_and_theme) {
  EXPECT_EQ(default_color_map(false, Theme::dark), ColorMap::viridis);
  EXPECT_EQ(default_color_map(false, Theme::light), ColorMap::viridis);
  EXPECT_EQ(default_color_map(true, Theme::dark), ColorMap::icefire);
  EXPECT_EQ(default_color_map(true, Theme::light), ColorMap::coolwarm);
}

}  // namespace
}  // namespace headscope
