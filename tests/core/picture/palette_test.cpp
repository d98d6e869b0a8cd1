#include "core/picture/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "core/picture/color_map.h"
#include "core/picture/theme_words.h"

namespace headscope {
namespace {

// WCAG 2.1 contrast ratio.
double contrast(Rgba a, Rgba b) {
  const double la = relative_luminance(a), lb = relative_luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

TEST(Palette, contrasts_on_the_panel_are_those_of_the_visual_system) {
  struct Row {
    Rgba Palette::*color;
    double dark, light;
  };
  const Row rows[] = {
      {&Palette::edge, 3.9, 3.6},  {&Palette::text, 14.4, 16.1}, {&Palette::text2, 8.3, 7.3},
      {&Palette::text3, 5.5, 5.2}, {&Palette::accent, 7.2, 5.5}, {&Palette::query, 9.3, 5.3},
      {&Palette::key, 9.9, 5.5},   {&Palette::value, 7.7, 5.9},  {&Palette::ok, 8.6, 5.5},
      {&Palette::warn, 10.1, 5.7}, {&Palette::bad, 7.2, 5.6},
  };
  for (const Row& row : rows) {
    EXPECT_NEAR(contrast(palette(Theme::dark).*row.color, palette(Theme::dark).panel), row.dark, 0.1);
    EXPECT_NEAR(contrast(palette(Theme::light).*row.color, palette(Theme::light).panel), row.light, 0.1);
  }
}

TEST(Palette, text_is_legible_on_every_surface_it_is_used_on) {
  for (const Theme theme : {Theme::dark, Theme::light}) {
    const Palette& p = palette(theme);
    for (const Rgba ground : {p.chrome, p.panel, p.well, p.raised, p.tint}) {
      EXPECT_GE(contrast(p.text, ground), 4.5);
      EXPECT_GE(contrast(p.text2, ground), 4.5);
    }
    for (const Rgba ground : {p.panel, p.well}) {
      for (const Rgba word : {p.text3, p.query, p.key, p.value, p.accent, p.ok, p.warn, p.bad}) {
        EXPECT_GE(contrast(word, ground), 4.5);
      }
    }
    EXPECT_GE(contrast(Rgba{255, 255, 255, 255}, p.accent_fill), 5.5);
    for (const Rgba ground : {p.ok_ground, p.warn_ground, p.bad_ground}) EXPECT_GE(contrast(p.text, ground), 6.4);
  }
}

TEST(Palette, contrast_has_every_word_at_7_to_1_on_every_ground_and_every_outline_at_4_5) {
  const Palette& p = palette(Theme::contrast);
  const Rgba surfaces[] = {p.chrome, p.panel,     p.well,        p.raised,    p.hover,
                           p.tint,   p.ok_ground, p.warn_ground, p.bad_ground};
  for (const Rgba ground : surfaces) {
    for (const Rgba word : {p.text, p.text2, p.text3, p.accent, p.query, p.key, p.value, p.ok, p.warn, p.bad}) {
      EXPECT_GE(contrast(word, ground), 7);
    }
    EXPECT_GE(contrast(p.edge, ground), 4.5);
  }
  EXPECT_GE(contrast(Rgba{255, 255, 255, 255}, p.accent_fill), 7);
  for (const Rgba outline : {p.line, p.hatch, p.bar_positive, p.bar_negative}) {
    EXPECT_GE(contrast(outline, p.panel), 4.5);
  }
}

TEST(Palette, every_theme_has_a_word_of_its_own) {
  std::set<std::string> words;
  for (const Word<Theme>& word : kThemeWords) {
    EXPECT_EQ(theme_word(word.value), word.text);
    EXPECT_EQ(theme_named(word.text), word.value);
    words.insert(word.text);
  }
  EXPECT_EQ(words, (std::set<std::string>{"dark", "light", "contrast"}));
  EXPECT_EQ(theme_named("bright"), std::nullopt);
}

TEST(Palette, ink_on_any_colour_is_black_or_white_and_legible) {
  for (const ColorMap map : all_color_maps()) {
    for (const Rgba ground : color_table(map)) {
      const Rgba ink = ink_on(ground);
      EXPECT_TRUE((ink == Rgba{0, 0, 0, 255}) || (ink == Rgba{255, 255, 255, 255}));
      EXPECT_GE(contrast(ink, ground), 4.5) << color_map_name(map);
    }
  }
  for (int r = 0; r < 256; r += 15) {
    for (int g = 0; g < 256; g += 15) {
      for (int b = 0; b < 256; b += 15) {
        const Rgba ground{static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g), static_cast<std::uint8_t>(b),
                          255};
        EXPECT_GE(contrast(ink_on(ground), ground), 4.5) << r << ' ' << g << ' ' << b;
      }
    }
  }
}

TEST(Palette, luminance_is_that_of_srgb) {
  EXPECT_DOUBLE_EQ(relative_luminance({0, 0, 0, 255}), 0);
  EXPECT_NEAR(relative_luminance({255, 255, 255, 255}), 1, 1e-12);
  EXPECT_NEAR(relative_luminance({255, 0, 0, 255}), 0.2126, 1e-12);
  EXPECT_NEAR(relative_luminance({119, 119, 119, 255}), 0.1845, 1e-4);
}

TEST(Palette, twelve_heads_have_twelve_colours_that_repeat) {
  std::set<std::tuple<int, int, int>> seen;
  for (std::int64_t head = 0; head < 12; ++head) {
    const Rgba color = head_color(head);
    seen.insert({color.r, color.g, color.b});
    EXPECT_EQ(head_color(head + 12), color);
    EXPECT_EQ(head_color(head + 120), color);
    for (const Theme theme : {Theme::dark, Theme::light}) EXPECT_GE(contrast(color, palette(theme).panel), 1.5);
  }
  EXPECT_EQ(seen.size(), 12U);
  EXPECT_EQ(head_color(0), (Rgba{0x5b, 0x9b, 0xf5, 255}));
  EXPECT_EQ(head_color(11), (Rgba{0x8f, 0xa3, 0xb8, 255}));
}

TEST(Palette, provenance_goes_from_30_percent_to_the_full_hue) {
  EXPECT_EQ(provenance_color(2, 0, 5), (Rgba{69, 50, 17, 255}));  // 0.3 * #e5a63a
  EXPECT_EQ(provenance_color(2, 4, 5), head_color(2));
  EXPECT_EQ(provenance_color(2, 0, 1), head_color(2));  // one token is the last
  for (std::int64_t position = 1; position < 5; ++position) {
    EXPECT_GT(relative_luminance(provenance_color(7, position, 5)),
              relative_luminance(provenance_color(7, position - 1, 5)));
  }
}

}  // namespace
}  // namespace headscope
