#include "core/picture/text/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

#include "core/picture/text/missing_letters.h"
#include "core/picture/text/text_glyphs.h"

namespace headscope {
namespace {

constexpr Rgba kBlack{0, 0, 0, 255}, kWhite{255, 255, 255, 255};
constexpr FontRole kRoles[] = {FontRole::words, FontRole::words_bold, FontRole::numbers, FontRole::numbers_bold};

// Box around all pixels that differ from the ground.
struct Extent {
  int left = 1 << 20, top = 1 << 20, right = -1, bottom = -1;
  bool empty() const { return right < 0; }
  int width() const { return empty() ? 0 : right - left + 1; }
  int height() const { return empty() ? 0 : bottom - top + 1; }
};

Extent inked(const Image& image, Rgba ground) {
  Extent extent;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (image.at(x, y) == ground) continue;
      extent.left = std::min(extent.left, x);
      extent.right = std::max(extent.right, x);
      extent.top = std::min(extent.top, y);
      extent.bottom = std::max(extent.bottom, y);
    }
  }
  return extent;
}

Image drawn(std::string_view text, FontRole role = FontRole::words, double size = 16, int quarter_turns = 0) {
  Image image(400, 300, kBlack);
  draw_text(image, {100, 200, quarter_turns}, text, role, size, kWhite);
  return image;
}

TEST(Fonts, every_role_has_a_file_that_exists) {
  for (const FontRole role : kRoles) {
    const FontFile file = font_file(role);
    ASSERT_FALSE(file.path.empty()) << "install fonts-inter and fonts-jetbrains-mono, or fonts-dejavu-core";
    EXPECT_TRUE(std::ifstream(file.path).good()) << file.path;
  }
}

TEST(Fonts, a_fallback_is_the_same_every_time_and_covers_the_code_point) {
  for (const std::uint32_t code_point : {U'A', U'\u00e9', U'\u2212', U'\u2192'}) {
    const FontFile file = fallback_font_file(code_point, FontRole::words);
    EXPECT_FALSE(file.path.empty()) << std::hex << code_point;
    EXPECT_EQ(fallback_font_file(code_point, FontRole::words), file);
    EXPECT_EQ(glyph_of(code_point, FontRole::words).kind, GlyphId::Kind::outline);
  }
  // A noncharacter: no font has it.
  EXPECT_EQ(fallback_font_file(0xFFFFE, FontRole::words), FontFile{});
}

TEST(TextWidth, is_nothing_for_nothing_and_the_same_for_each_character_in_mono) {
  for (const FontRole role : kRoles) EXPECT_EQ(drawn_width("", role, 12), 0);
  const double digit = drawn_width("0", FontRole::numbers, 11);
  EXPECT_GT(digit, 4);
  EXPECT_LT(digit, 9);
  EXPECT_NEAR(drawn_width("0123456789", FontRole::numbers, 11), 10 * digit, 1e-9);
  EXPECT_NEAR(drawn_width("i.\u2212", FontRole::numbers, 11), 3 * digit, 1e-9);
}

TEST(TextWidth, grows_with_text_and_size) {
  EXPECT_LT(drawn_width("head", FontRole::words, 12), drawn_width("heads", FontRole::words, 12));
  EXPECT_NEAR(drawn_width("heads", FontRole::words, 24), 2 * drawn_width("heads", FontRole::words, 12), 1e-9);
}

TEST(TextWidth, agrees_with_what_is_drawn) {
  for (const FontRole role : kRoles) {
    for (const double size : {10.0, 11.0, 13.0, 20.0}) {
      const Extent extent = inked(drawn("Hamburgefonts 0.8965", role, size), kBlack);
      const double width = drawn_width("Hamburgefonts 0.8965", role, size);
      EXPECT_LE(extent.width(), width + 2);
      EXPECT_GE(extent.width(), width - 4);
    }
  }
}

TEST(DrawText, stands_on_the_baseline) {
  const Extent extent = inked(drawn("H"), kBlack);
  EXPECT_EQ(extent.bottom, 199);
  EXPECT_NEAR(extent.height(), font_metrics(FontRole::words, 16).cap_height, 1.01);
  EXPECT_GE(extent.left, 100);
  EXPECT_GT(inked(drawn("g"), kBlack).bottom, 200);
}

TEST(DrawText, upwards_is_the_level_line_turned_by_a_quarter) {
  const Image level = drawn("query 7", FontRole::numbers, 13), upwards = drawn("query 7", FontRole::numbers, 13, 1);
  for (int y = 150; y < 250; ++y) {
    for (int x = 60; x < 200; ++x) {
      // One pixel along the line is one pixel up; one pixel below the baseline is one to the right.
      EXPECT_EQ(level.at(x, y), upwards.at(100 + (y - 200), 199 - (x - 100))) << x << ' ' << y;
    }
  }
}

TEST(DrawText, blends_between_ground_and_ink_only) {
  Image image(200, 40, {20, 40, 60, 255});
  draw_text(image, {5, 30}, "sphinx of quartz", FontRole::words, 17, {220, 10, 60, 255});
  bool full = false;
  for (const Rgba pixel : image.pixels) {
    EXPECT_TRUE(pixel.r >= 20 && pixel.r <= 220 && pixel.g >= 10 && pixel.g <= 40);
    EXPECT_EQ(pixel.b, 60);
    EXPECT_EQ(pixel.a, 255);
    full = full || pixel.r == 220;
  }
  EXPECT_TRUE(full);
}

TEST(DrawText, stays_inside_the_image_wherever_it_starts) {
  for (const int turns : {0, 1}) {
    for (const double at : {-1000.0, -5.0, 0.0, 15.0, 19.5, 400.0}) {
      Image image(20, 20, kBlack);
      draw_text(image, {at, 10, turns}, "outside \U0001F9EC", FontRole::words, 14, kWhite);
      draw_text(image, {10, at, turns}, "outside \U0001F9EC", FontRole::words, 14, kWhite);
    }
  }
  Image nothing(0, 0);
  draw_text(nothing, {0, 0}, "x", FontRole::words, 12, kWhite);
}

TEST(DrawText, a_long_line_that_leaves_the_image_takes_no_time_for_the_rest) {
  Image image(50, 20, kBlack);
  draw_text(image, {0, 15}, std::string(20'000'000, 'a'), FontRole::numbers, 12, kWhite);
  EXPECT_FALSE(inked(image, kBlack).empty());
}

TEST(DrawText, letters_without_a_font_are_told) {
  using Letters = std::vector<std::uint32_t>;
  EXPECT_EQ(letters_without_font("plain words, 123", FontRole::words), Letters());
  EXPECT_EQ(letters_without_font("\n\u200D\uFE0F", FontRole::words), Letters()) << "boxes and joiners with any font";
  EXPECT_EQ(letters_without_font("a\U0010FFFDb\U0010FFFC\U0010FFFD", FontRole::words), (Letters{0x10FFFD, 0x10FFFC}));
}

TEST(DrawText, what_no_font_has_is_a_box_with_its_number) {
  for (const std::string& text : {std::string("\U000FFFFE"), std::string("\n"), std::string("\x01")}) {
    const Extent box = inked(drawn(text, FontRole::numbers, 12), kBlack);
    EXPECT_GE(box.width(), 5) << text.size();
    EXPECT_GE(box.height(), 13);
    EXPECT_LT(box.width(), drawn_width(text, FontRole::numbers, 12));
  }
  // Different code points are told apart.
  EXPECT_NE(drawn("\U000FFFFE").pixels, drawn("\U000EFFFE").pixels);
  EXPECT_NE(drawn("\n").pixels, drawn("\t").pixels);
  const Image box = drawn("\n", FontRole::numbers, 12);
  const Extent extent = inked(box, kBlack);
  for (int x = extent.left; x <= extent.right; ++x) {
    EXPECT_EQ(box.at(x, extent.top), kWhite);
    EXPECT_EQ(box.at(x, extent.bottom), kWhite);
  }
}

TEST(DrawText, invalid_bytes_are_drawn_and_do_no_harm) {
  EXPECT_FALSE(inked(drawn("\xff"), kBlack).empty());
  EXPECT_FALSE(inked(drawn("a\xe4\xb8"), kBlack).empty());
  EXPECT_GT(drawn_width("\xff\xfe", FontRole::words, 12), 0);
}

TEST(DrawText, joiners_and_variation_selectors_take_no_room) {
  EXPECT_EQ(drawn_width("\u200d\ufe0f\u200b", FontRole::words, 12), 0);
  EXPECT_TRUE(inked(drawn("\u200d\ufe0f"), kBlack).empty());
}

TEST(DrawText, right_to_left_letters_stand_in_visual_order) {
  // Two Hebrew letters of different widths: the first one stands at the right.
  const std::string vav = "\u05d5", shin = "\u05e9";
  const double vav_width = drawn_width(vav, FontRole::words, 16), shin_width = drawn_width(shin, FontRole::words, 16);
  if (vav_width == shin_width) GTEST_SKIP() << "the Hebrew font here is monospaced";
  Image expected(400, 300, kBlack);
  draw_text(expected, {100, 200}, shin, FontRole::words, 16, kWhite);
  draw_text(expected, {100 + shin_width, 200}, vav, FontRole::words, 16, kWhite);
  EXPECT_EQ(drawn(vav + shin).pixels, expected.pixels);
  // Digits within keep their order; a Latin word before them stays where it is.
  const double a_width = drawn_width("a ", FontRole::words, 16), digits = drawn_width(" 12 ", FontRole::words, 16);
  Image mixed(400, 300, kBlack);
  draw_text(mixed, {100, 200}, "a ", FontRole::words, 16, kWhite);
  draw_text(mixed, {100 + a_width, 200}, shin, FontRole::words, 16, kWhite);
  draw_text(mixed, {100 + a_width + shin_width, 200}, " 12 ", FontRole::words, 16, kWhite);
  draw_text(mixed, {100 + a_width + shin_width + digits, 200}, vav, FontRole::words, 16, kWhite);
  EXPECT_EQ(drawn("a " + vav + " 12 " + shin).pixels, mixed.pixels);
}

TEST(FitText, leaves_what_fits_and_cuts_on_graphemes) {
  const auto width = [](std::string_view text) { return drawn_width(text, FontRole::numbers, 11); };
  EXPECT_EQ(fit_text("animal", FontRole::numbers, 11, width("animal")), "animal");
  EXPECT_EQ(fit_text("animal", FontRole::numbers, 11, width("animal") - 0.5), "anim\u2026");
  EXPECT_EQ(fit_text("animal", FontRole::numbers, 11, width("12")), "a\u2026");
  EXPECT_EQ(fit_text("animal", FontRole::numbers, 11, width("1")), "\u2026");
  EXPECT_EQ(fit_text("animal", FontRole::numbers, 11, 1), "");
  EXPECT_EQ(fit_text("", FontRole::numbers, 11, 0), "");
  EXPECT_EQ(fit_text("two words", FontRole::numbers, 11, width("two w")), "two\u2026");
  // A letter and its accent are not torn apart.
  EXPECT_EQ(fit_text("e\u0301e\u0301e\u0301", FontRole::words, 12, drawn_width("e\u2026", FontRole::words, 12) + 1),
            "e\u0301\u2026");
}

TEST(FitText, never_exceeds_the_width_and_never_breaks_utf8) {
  const std::string text = "na\u00efve \u4e2d\u6587 \U0001F468\u200d\U0001F469\u200d\U0001F467 x\u0301 end";
  for (double room = 0; room < 220; room += 3.5) {
    const std::string fit = fit_text(text, FontRole::words, 12, room);
    EXPECT_LE(drawn_width(fit, FontRole::words, 12), room + 1e-9);
    EXPECT_EQ(fit.find("\ufffd"), std::string::npos);
    EXPECT_EQ(fit.find("\u200d\u2026"), std::string::npos) << "cut within a family";
  }
}

TEST(DrawText, many_threads_draw_the_same_pixels) {
  const Image expected = drawn("threads \u4e2d 0.25 \U0001F600", FontRole::numbers, 14);
  std::vector<std::thread> threads;
  std::vector<int> same(6, 0);
  for (std::size_t k = 0; k < same.size(); ++k) {
    threads.emplace_back([&, k] {
      same[k] = drawn("threads \u4e2d 0.25 \U0001F600", FontRole::numbers, 14).pixels == expected.pixels ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(same.begin(), same.end(), 1), 6);
}

}  // namespace
}  // namespace headscope
