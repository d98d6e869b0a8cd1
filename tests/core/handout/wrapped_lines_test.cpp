// Texts of many scripts in lines of paper.
#include "core/handout/wrapped_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/picture/text/text.h"

namespace headscope {
namespace {

constexpr double kSize = 38;

std::vector<std::string> lines_of(const std::string& text, double width) {
  std::vector<std::string> lines;
  for (const WrappedLine& line : wrapped_lines(text, FontRole::words, kSize, width)) lines.push_back(line.text);
  return lines;
}

std::string joined(const std::vector<std::string>& lines, const std::string& between) {
  std::string all;
  for (const std::string& line : lines) all += (all.empty() ? "" : between) + line;
  return all;
}

void expect_within(const std::vector<std::string>& lines, double width) {
  for (const std::string& line : lines) EXPECT_LE(drawn_width(line, FontRole::words, kSize), width) << line;
}

TEST(WrappedLines, BreakBetweenWordsAndKeepEveryOne) {
  const std::string text = "The picked word looks back at the noun that it stands for, four words before.";
  const std::vector<std::string> lines = lines_of(text, 500);
  EXPECT_GT(lines.size(), 2u);
  expect_within(lines, 500);
  EXPECT_EQ(joined(lines, " "), text);
}

TEST(WrappedLines, NothingHasNoLineAndBlanksCountAsOne) {
  EXPECT_TRUE(lines_of("", 500).empty());
  EXPECT_TRUE(lines_of(" \t ", 500).empty());
  EXPECT_EQ(lines_of("  a \t b ", 500), (std::vector<std::string>{"a b"}));
  EXPECT_EQ(lines_of("a\nb", 500), (std::vector<std::string>{"a", "b"})) << "a line feed ends a paragraph";
}

TEST(WrappedLines, AWordThatIsWiderThanALineIsCutBetweenLetters) {
  const std::string word = "Donaudampfschifffahrtsgesellschaftskapitaensmuetze";
  const std::vector<std::string> lines = lines_of("The " + word + " is long", 300);
  expect_within(lines, 300);
  EXPECT_EQ(lines.front(), "The");
  EXPECT_EQ(joined(lines, "").find(word), 3u) << "no letter is lost";
  // A letter that is wider than the line is drawn all the same.
  EXPECT_EQ(lines_of("ab", 1).size(), 2u);
}

TEST(WrappedLines, ChineseBreaksAnywhereButBeforeAMark) {
  std::string text;
  for (int k = 0; k < 30; ++k) text += "注意力。";
  for (const double width : {200.0, 217.0, 241.0, 260.0}) {
    const std::vector<std::string> lines = lines_of(text, width);
    expect_within(lines, width);
    EXPECT_EQ(joined(lines, ""), text);
    for (const std::string& line : lines) EXPECT_FALSE(line.starts_with("。")) << line;
  }
}

TEST(WrappedLines, ArabicBeginsAtTheRight) {
  const std::vector<WrappedLine> lines = wrapped_lines("القطة جلست on the mat", FontRole::words, kSize, 2000);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].right_to_left);
  EXPECT_NEAR(drawn_width(lines[0].text, FontRole::words, kSize),
              drawn_width("القطة جلست on the mat", FontRole::words, kSize), 0.01)
      << "what turns the line takes no room";
  EXPECT_FALSE(wrapped_lines("the القطة", FontRole::words, kSize, 2000)[0].right_to_left);
}

TEST(WrappedLines, WhatIsNoUtf8IsAMark) {
  EXPECT_EQ(lines_of("a\xFF", 500), (std::vector<std::string>{"a\uFFFD"}));
}

}  // namespace
}  // namespace headscope
