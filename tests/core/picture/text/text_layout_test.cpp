// Lines of every script: which glyphs, in which order, and where a caret stands. What depends on a font that is not
// installed is skipped, and says so.
#include "core/picture/text/text_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "core/base/utf8.h"
#include "core/picture/text/text.h"

namespace headscope {
namespace {

constexpr double kSize = 24;

std::shared_ptr<const TextLayout> laid_out(std::string_view text) {
  return text_layout(text, FontRole::words, kSize);
}

bool has_font_for(std::u32string_view letters) {
  return !fallback_font_file(letters, FontRole::words).path.empty();
}

#define NEEDS_FONT(letters, package) \
  if (!has_font_for(letters)) GTEST_SKIP() << "no font has " << #letters << ": sudo apt-get install " package

// The graphemes as seen from left to right.
std::vector<std::string> seen(std::string_view text) {
  std::vector<std::string> result;
  for (const PlacedGrapheme& grapheme : laid_out(text)->graphemes) {
    result.emplace_back(text.substr(grapheme.begin, grapheme.end - grapheme.begin));
  }
  return result;
}
using Words = std::vector<std::string>;

std::vector<std::uint32_t> glyphs_of(std::string_view text) {
  std::vector<std::uint32_t> result;
  for (const PlacedGlyph& placed : laid_out(text)->glyphs) result.push_back(placed.glyph.index);
  return result;
}

// What holds for every line, whatever stands in it and whichever fonts there are.
void expect_sound(std::string_view text) {
  const auto layout = laid_out(text);
  std::vector<PlacedGrapheme> graphemes = layout->graphemes;
  double x = 0;
  std::size_t next_glyph = 0, next_grapheme_index = 0;
  for (const TextRun& run : layout->runs) {
    ASSERT_NEAR(run.left, x, 1e-6);
    ASSERT_GE(run.width, -1e-9);
    ASSERT_EQ(run.first_glyph, next_glyph);
    ASSERT_EQ(run.first_grapheme, next_grapheme_index);
    ASSERT_LT(run.begin, run.end);
    for (std::size_t k = run.first_grapheme; k < run.grapheme_end; ++k) {
      ASSERT_GE(graphemes[k].begin, run.begin);
      ASSERT_LE(graphemes[k].end, run.end);
      ASSERT_EQ(graphemes[k].right_to_left, run.right_to_left);
      ASSERT_GE(graphemes[k].left, run.left - 1e-6);
      ASSERT_LE(graphemes[k].left, graphemes[k].right + 1e-9);
      ASSERT_LE(graphemes[k].right, run.left + run.width + 1e-6);
    }
    x += run.width;
    next_glyph = run.glyph_end;
    next_grapheme_index = run.grapheme_end;
  }
  ASSERT_NEAR(layout->width, x, 1e-6);
  ASSERT_EQ(layout->glyphs.size(), next_glyph);
  ASSERT_EQ(graphemes.size(), next_grapheme_index);
  for (const PlacedGlyph& placed : layout->glyphs) ASSERT_TRUE(std::isfinite(placed.x) && std::isfinite(placed.y));
  // Every grapheme of the text stands somewhere, once.
  std::sort(graphemes.begin(), graphemes.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::size_t at = 0;
  for (const PlacedGrapheme& grapheme : graphemes) {
    ASSERT_EQ(grapheme.begin, at);
    at = next_grapheme(text, at);
    ASSERT_EQ(grapheme.end, at);
  }
  ASSERT_EQ(at, text.size());
}

TEST(TextLayout, only_what_is_more_than_a_glyph_a_code_point_needs_it) {
  for (const char* plain :
       {"", "office AV fi 0.25", "na\u00efve \u2014 \u03b1\u03b2 \u0416\u0443\u043a \u4e2d\u6587 \uac00",
        "\u2192 \u221e \u2764\ufe0f \U0001F600", "\xff\xfe", "a\u200b\u00adb\n\t"}) {
    EXPECT_FALSE(needs_layout(plain)) << plain;
  }
  for (const char* shaped :
       {"e\u0301", "\u05d0", "\u0627", "\u0661", "\u0915", "\u0e01", "\U0001F468\u200d\U0001F469",
        "\U0001F1EA\U0001F1F8", "\U0001F44D\U0001F3FD", "\u202eabc", "\u1100\u1161", "\U00010900"}) {
    EXPECT_TRUE(needs_layout(shaped)) << shaped;
  }
}

TEST(TextLayout, plain_text_is_what_draw_text_draws_without_it) {
  for (const char* text : {"office AV fi", "na\u00efve \u2192 \u4e2d\u6587", "0.25 \u2212 1"}) {
    EXPECT_NEAR(laid_out(text)->width, drawn_width(text, FontRole::words, kSize), 1e-9);
    Image drawn(400, 60, {0, 0, 0, 255}), placed = drawn;
    draw_text(drawn, {10, 40}, text, FontRole::words, kSize, {255, 255, 255, 255});
    draw_glyphs(placed, laid_out(text)->glyphs, kSize, {255, 255, 255, 255}, {10, 40, 0, 0});
    EXPECT_EQ(drawn.pixels, placed.pixels) << text;
  }
}

TEST(TextLayout, latin_words_keep_their_look_beside_other_scripts) {
  const auto alone = laid_out("office AV ");
  const auto beside = laid_out("office AV \u05d0");
  ASSERT_GT(beside->glyphs.size(), alone->glyphs.size());
  for (std::size_t k = 0; k < alone->glyphs.size(); ++k) {
    EXPECT_EQ(beside->glyphs[k].glyph.index, alone->glyphs[k].glyph.index);
    EXPECT_EQ(beside->glyphs[k].x, alone->glyphs[k].x);
  }
}

TEST(TextLayout, arabic_letters_are_joined) {
  NEEDS_FONT(U"\u0628\u0633\u0645", "fonts-dejavu-core");
  // beh, seen, meem alone, and in one word, which is seen from right to left.
  const std::string beh = "\u0628", seen_letter = "\u0633", meem = "\u0645";
  const std::vector<std::uint32_t> word = glyphs_of(beh + seen_letter + meem);
  ASSERT_EQ(word.size(), 3U);
  EXPECT_NE(word[2], glyphs_of(beh)[0]) << "beh at the beginning of a word";
  EXPECT_NE(word[1], glyphs_of(seen_letter)[0]) << "seen within";
  EXPECT_NE(word[0], glyphs_of(meem)[0]) << "meem at the end";
  EXPECT_EQ(seen(beh + seen_letter + meem), (Words{meem, seen_letter, beh}));
  // A joiner that parts them: both stand alone as they do without a neighbour.
  const std::vector<std::uint32_t> parted = glyphs_of(beh + "\u200c" + meem);
  EXPECT_NE(std::find(parted.begin(), parted.end(), glyphs_of(beh)[0]), parted.end());
  EXPECT_NE(std::find(parted.begin(), parted.end(), glyphs_of(meem)[0]), parted.end());
  // The long stroke, which every script may use, joins too.
  EXPECT_NE(glyphs_of(beh + "\u0640").back(), glyphs_of(beh)[0]);
}

TEST(TextLayout, a_ligature_is_shared_by_its_letters) {
  NEEDS_FONT(U"\u0644\u0627", "fonts-dejavu-core");
  const auto layout = laid_out("\u0644\u0627");  // lam and alef
  ASSERT_EQ(layout->graphemes.size(), 2U);
  EXPECT_EQ(layout->graphemes[0].begin, 2U);
  EXPECT_NEAR(layout->graphemes[0].right, layout->width / 2, layout->width / 4);
  EXPECT_EQ(layout->graphemes[0].right, layout->graphemes[1].left);
  EXPECT_NEAR(layout->graphemes[1].right, layout->width, 1e-9);
}

TEST(TextLayout, hebrew_with_numbers_and_brackets) {
  const std::string a = "\u05d0", b = "\u05d1";
  EXPECT_EQ(seen(a + b), (Words{b, a}));
  EXPECT_EQ(seen("x " + a + b + " y"), (Words{"x", " ", b, a, " ", "y"}));
  EXPECT_EQ(seen(a + " 12 " + b), (Words{b, " ", "1", "2", " ", a}));
  EXPECT_EQ(seen(a + "(" + b + ")"), (Words{")", b, "(", a}));
  // The bracket at the left opens to the right.
  const auto layout = laid_out(a + "(" + b + ")");
  EXPECT_EQ(layout->runs.front().plain, "(");
  EXPECT_EQ(layout->runs[2].plain, ")");
}

TEST(TextLayout, marks_stand_on_their_letter) {
  const auto accent = laid_out("xe\u0301y");
  ASSERT_EQ(accent->graphemes.size(), 3U);
  EXPECT_EQ(accent->graphemes[1].end - accent->graphemes[1].begin, 3U);
  // A vowel point below a Hebrew letter takes no room.
  NEEDS_FONT(U"\u05d0\u05b8", "fonts-dejavu-core");
  EXPECT_LT(laid_out("\u05d0\u05b8")->width, 1.3 * laid_out("\u05d0")->width);
  EXPECT_EQ(seen("\u05d0\u05b8\u05d1"), (Words{"\u05d1", "\u05d0\u05b8"}));
}

TEST(TextLayout, devanagari_is_reordered_and_its_clusters_are_whole) {
  NEEDS_FONT(U"\u0915\u093f\u094d\u0937", "fonts-noto-core");
  // ka with the vowel sign i, which is drawn before it.
  const std::vector<std::uint32_t> ki = glyphs_of("\u0915\u093f"), ka = glyphs_of("\u0915");
  ASSERT_EQ(ki.size(), 2U);
  EXPECT_EQ(ki[1], ka[0]);
  EXPECT_EQ(seen("\u0915\u093f\u0915"), (Words{"\u0915\u093f", "\u0915"}));
  // ka, virama, ssa are one sign: narrower than its letters, and less glyphs.
  const auto ksha = laid_out("\u0915\u094d\u0937");
  EXPECT_LT(ksha->width, laid_out("\u0915\u0937")->width);
  EXPECT_LT(ksha->glyphs.size(), 3U);
}

TEST(TextLayout, thai_vowels_and_tones_stand_above) {
  NEEDS_FONT(U"\u0e17\u0e35\u0e48", "fonts-noto-core");
  const auto layout = laid_out("\u0e17\u0e35\u0e48\u0e19");  // tho, vowel ii, tone; no
  ASSERT_EQ(layout->graphemes.size(), 2U);
  EXPECT_EQ(layout->graphemes[0].end, 9U);
  EXPECT_NEAR(layout->width, laid_out("\u0e17")->width + laid_out("\u0e19")->width, 1.0);
}

TEST(TextLayout, an_emoji_of_several_is_one_grapheme) {
  const std::string family = "\U0001F468\u200d\U0001F469\u200d\U0001F467";
  EXPECT_EQ(seen("a" + family + "b"), (Words{"a", family, "b"}));
  EXPECT_EQ(seen("\U0001F1EA\U0001F1F8\U0001F44D\U0001F3FD"), (Words{"\U0001F1EA\U0001F1F8", "\U0001F44D\U0001F3FD"}));
}

TEST(TextLayout, of_broken_and_hostile_text_is_sound) {
  const std::vector<std::string> texts = {"",
                                          "\xff\xd7\u05d0\xe2\x82 \x01\u0600",
                                          "\u2067\u05d0\u2066\u2068a\u202e(]b\n\u05d1\r\n\u2029)",
                                          "\u0301\u0301\u05b8\u094d\u200d\u200d\ufe0f",
                                          "\u0915\u094d\u094d\u094d\u0915\u200d\u200c\u093f\u093f",
                                          "\u0644\u0627\u0644\u0627\u064e\u0651 abc \u05d0\u05d1 12,3 \u0661\u0662",
                                          "\U000FFFFE\u05d0\U000FFFFE\u0301",
                                          "\u1100\u1161\u11a8\uac01\u11a8 \u0e19\u0e49\u0e33"};
  for (const std::string& text : texts) expect_sound(text);
}

TEST(TextLayout, a_long_line_takes_linear_time) {
  const std::vector<std::string> parts = {"\u0628",        "\u05d0a",  "\u0915\u094d",     "\u0301",
                                          "\u0644\u0627 ", "(\u05d0[", "\u2067",           "\u05d0\u2069 ",
                                          "\u0e17\u0e35",  "\xd7",     "\U0001F468\u200d", "\u202e\u05d0\u202a"};
  for (const std::string& part : parts) {
    std::string text;
    for (int k = 0; k < 100000; ++k) text += part;
    const std::clock_t start = std::clock();
    expect_sound(text);
    Image image(50, 20, {0, 0, 0, 255});
    draw_text(image, {0, 15}, text, FontRole::numbers, 12, {255, 255, 255, 255});
    EXPECT_LE(drawn_width(fit_text(text, FontRole::words, 12, 80), FontRole::words, 12), 80);
    // Seconds of this thread; what is quadratic takes minutes.
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 20) << part;
  }
}

TEST(TextLayout, lines_that_were_asked_for_long_ago_are_forgotten) {
  const auto first = text_layout("\u05d0 first", FontRole::words, 16);
  EXPECT_EQ(text_layout("\u05d0 first", FontRole::words, 16), first);
  ASSERT_EQ(first.use_count(), 2) << "kept";
  std::size_t graphemes = 0;
  for (int k = 0; k < 400; ++k) {
    graphemes += text_layout(std::to_string(k) + std::string(500, 'x'), FontRole::words, 16)->graphemes.size();
  }
  EXPECT_GT(graphemes * (sizeof(PlacedGrapheme) + sizeof(PlacedGlyph)), std::size_t{8} << 20);
  EXPECT_EQ(first.use_count(), 1) << "8 MiB of other lines take its place";
}

TEST(TextLayout, is_the_same_on_every_thread) {
  const std::string text = "abc \u05d0\u05d1 \u0628\u0633\u0645 (12) e\u0301";
  Image expected(400, 60, {0, 0, 0, 255});
  draw_text(expected, {10, 40}, text, FontRole::words, kSize, {255, 255, 255, 255});
  std::vector<std::thread> threads;
  std::vector<int> same(4, 0);
  for (std::size_t k = 0; k < same.size(); ++k) {
    threads.emplace_back([&, k] {
      Image image(400, 60, {0, 0, 0, 255});
      draw_text(image, {10, 40}, text, FontRole::words, kSize, {255, 255, 255, 255});
      same[k] = image.pixels == expected.pixels ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(same.begin(), same.end(), 1), 4);
}

TEST(FitText, cuts_between_graphemes_in_the_order_of_the_text) {
  const std::string text = "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd \u05e2\u05d5\u05dc\u05dd \u0628\u0633\u0645";
  for (double room = 0; room < 200; room += 2.5) {
    const std::string fit = fit_text(text, FontRole::words, 16, room);
    EXPECT_LE(drawn_width(fit, FontRole::words, 16), room + 1e-9);
    if (fit == text || fit.empty()) continue;
    ASSERT_TRUE(fit.ends_with("\u2026"));
    const std::string left = fit.substr(0, fit.size() - 3);
    EXPECT_EQ(text.substr(0, left.size()), left);
    if (left.empty()) continue;
    EXPECT_EQ(next_grapheme(text, previous_grapheme(text, left.size())), left.size());
  }
}

}  // namespace
}  // namespace headscope
