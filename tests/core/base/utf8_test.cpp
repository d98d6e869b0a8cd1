#include "core/base/utf8.h"

#include <gtest/gtest.h>

#include <iomanip>
#include <random>
#include <string>
#include <vector>

namespace headscope {
namespace {

using namespace std::string_literals;

std::string encoded(std::initializer_list<std::uint32_t> code_points) {
  std::string text;
  for (const std::uint32_t point : code_points) append_utf8(text, point);
  return text;
}

// Lengths of the grapheme clusters, walked forwards.
std::vector<std::size_t> cluster_ends(const std::string& text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < text.size();) {
    at = next_grapheme(text, at);
    ends.push_back(at);
  }
  return ends;
}

TEST(Utf8, EveryCodePointSurvivesTheRoundTrip) {
  for (std::uint32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    const std::string text = encoded({value});
    const CodePoint point = code_point_at(text, 0);
    ASSERT_TRUE(point.valid) << std::hex << value;
    ASSERT_EQ(point.value, value);
    ASSERT_EQ(static_cast<std::size_t>(point.bytes), text.size());
  }
}

TEST(Utf8, WhatIsNoCodePointIsWrittenAsTheReplacementCharacter) {
  EXPECT_EQ(encoded({0xD800}), "\xEF\xBF\xBD");
  EXPECT_EQ(encoded({0xDFFF}), "\xEF\xBF\xBD");
  EXPECT_EQ(encoded({0x110000}), "\xEF\xBF\xBD");
  EXPECT_EQ(encoded({0xFFFFFFFF}), "\xEF\xBF\xBD");
}

TEST(Utf8, OverlongFormsSurrogatesAndStrayBytesAreInvalid) {
  for (const std::string& text :
       {"\x80"s, "\xBF"s, "\xC0\x80"s, "\xC1\xBF"s, "\xC2"s, "\xE0\x80\x80"s, "\xE0\x9F\xBF"s, "\xE1\x80"s,
        "\xED\xA0\x80"s, "\xED\xBF\xBF"s, "\xF0\x80\x80\x80"s, "\xF0\x8F\xBF\xBF"s, "\xF4\x90\x80\x80"s,
        "\xF5\x80\x80\x80"s, "\xF8\x88\x80\x80\x80"s, "\xFE"s, "\xFF"s, "\xE2\x28\xA1"s, "\xF0\x9F\x98"s}) {
    EXPECT_FALSE(is_valid_utf8(text));
    EXPECT_EQ(first_invalid_byte(text), 0u);
    const CodePoint point = code_point_at(text, 0);
    EXPECT_FALSE(point.valid);
    EXPECT_EQ(point.bytes, 1);
    EXPECT_EQ(point.value, 0xFFFDu);
  }
}

TEST(Utf8, TheFirstInvalidByteIsFoundBehindValidText) {
  EXPECT_EQ(first_invalid_byte("ab\xC3\xA9\xFF"), 4u);
  EXPECT_EQ(first_invalid_byte("ab\xC3\xA9"), std::string_view::npos);
  EXPECT_EQ(first_invalid_byte(""), std::string_view::npos);
  EXPECT_TRUE(is_valid_utf8("a\0b"s));
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'a');
    EXPECT_TRUE(is_valid_utf8(text));
    text[at] = '\x80';
    EXPECT_EQ(first_invalid_byte(text), at);
    EXPECT_EQ(first_invalid_byte(text + "\xC3\xA9 and more \xFF"), at);
  }
}

TEST(Utf8, ACaretStepsOverWholeCharacters) {
  const std::string accent = encoded({'e', 0x301});
  const std::string family = encoded({0x1F468, 0x200D, 0x1F469, 0x200D, 0x1F467});
  const std::string flags = encoded({0x1F1EA, 0x1F1F8, 0x1F1EB, 0x1F1F7});
  const std::string hangul = encoded({0x1112, 0x1161, 0x11AB});
  EXPECT_EQ(cluster_ends("abc"), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(cluster_ends(accent + "x"), (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(cluster_ends(family + "!"), (std::vector<std::size_t>{family.size(), family.size() + 1}));
  EXPECT_EQ(cluster_ends(flags), (std::vector<std::size_t>{8, 16}));
  EXPECT_EQ(cluster_ends(hangul), (std::vector<std::size_t>{9}));
  EXPECT_EQ(cluster_ends("a\r\nb"), (std::vector<std::size_t>{1, 3, 4}));
}

TEST(Utf8, SteppingBackMeetsTheSameBoundariesAsSteppingForward) {
  std::vector<std::string> texts = {
      encoded({0x1F1EA, 0x1F1F8, 0x1F1EB, 0x1F1F7, 0x1F1E9, 0x1F1EA, 'a'}),
      encoded({'a', 0x1F1EA, 0x1F1F8, 0x1F1EB}),
      encoded({0x1F44D, 0x1F3FD, 0x1F468, 0x200D, 0x1F469, 0x200D, 0x1F467, 0x4E2D, 0x6587}),
      encoded({0x4E2D, 0x301, 0x301, 0x301, '\r', '\n', '\n', 0x1112, 0x1161, 0x11AB, 0x11AB}),
      "plain \xFF\xC3 bytes \xE2\x82",
  };
  std::mt19937 random(1);
  const std::uint32_t alphabet[] = {'a',    ' ',    '\r',   '\n',   0x301, 0x200D, 0x1F468, 0x1F3FD, 0x1F1EA, 0x1F1F8,
                                    0x1112, 0x1161, 0x11AB, 0xAC00, 0x600, 0x903,  0xFE0F,  0x4E2D,  0x0D4E};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int j = 0; j < 12; ++j) {
      const std::uint32_t choice = static_cast<std::uint32_t>(random() % 20);
      if (choice == 19)
        text.push_back(static_cast<char>(random() % 256));
      else
        append_utf8(text, alphabet[choice]);
    }
    texts.push_back(text);
  }
  for (const std::string& text : texts) {
    const std::vector<std::size_t> ends = cluster_ends(text);
    std::vector<std::size_t> back;
    for (std::size_t at = text.size(); at > 0;) {
      back.insert(back.begin(), at);
      const std::size_t previous = previous_grapheme(text, at);
      ASSERT_LT(previous, at);
      at = previous;
    }
    ASSERT_EQ(back, ends);
  }
}

TEST(Utf8, StepsClampToTheText) {
  EXPECT_EQ(next_grapheme("ab", 2), 2u);
  EXPECT_EQ(next_grapheme("ab", 99), 2u);
  // From within a character the boundary is still one between characters.
  const std::string hard = "x" + encoded({0x65E5, 0x672C, 0x1F600, 0xE9, 0x10FFFF, 0x7FF}) + "y";
  for (std::size_t at = 1; at <= hard.size(); ++at) {
    const std::size_t previous = previous_grapheme(hard, at);
    EXPECT_LT(previous, at);
    EXPECT_TRUE(is_valid_utf8(hard.substr(0, previous))) << at;
  }
  EXPECT_EQ(previous_grapheme("ab", 99), 1u);
  EXPECT_EQ(previous_grapheme("ab", 0), 0u);
  EXPECT_EQ(next_grapheme("", 0), 0u);
  EXPECT_EQ(previous_grapheme("", 5), 0u);
}

TEST(Utf8, TwentyFiveCodePointsAreWhiteSpace) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t value = 0; value <= 0x10FFFF; ++value) {
    if (is_space(value)) found.push_back(value);
  }
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0x9,    0xA,    0xB,    0xC,    0xD,    0x20,   0x85,   0xA0,   0x1680,
                                               0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                               0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}));
}

}  // namespace
}  // namespace headscope
