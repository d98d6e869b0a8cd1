// Words in lines: wrapping, pieces of words, both directions.
#include "core/picture/text/text_flow.h"

#include <gtest/gtest.h>

#include <vector>

namespace headscope {
namespace {

std::vector<FlowWord> words_of(const std::vector<double>& widths) {
  std::vector<FlowWord> words;
  for (const double width : widths) words.push_back({width, false, 0});
  return words;
}

TEST(TextFlow, BreaksWhereTheNextWordDoesNotFit) {
  const TextFlow flow = text_flow(words_of({40, 30, 30, 50}), {110, 5, false});
  EXPECT_EQ(flow.lines, (std::vector<std::size_t>{0, 3})) << "40 + 5 + 30 + 5 + 30 is exactly 110";
  EXPECT_EQ(text_flow(words_of({40, 30, 30, 50}), {109, 5, false}).lines, (std::vector<std::size_t>{0, 2}));
}

TEST(TextFlow, WordsOfALineDoNotOverlapAndStayInside) {
  std::vector<double> widths;
  for (int k = 0; k < 60; ++k) widths.push_back(7 + 13 * (k % 5));
  const TextFlow flow = text_flow(words_of(widths), {200, 4, false});
  ASSERT_GT(flow.lines.size(), 3U);
  for (std::size_t line = 0; line < flow.lines.size(); ++line) {
    double end = -4;
    for (std::size_t k = flow.lines[line]; k < flow.end_of(line); ++k) {
      EXPECT_EQ(flow.places[k].line, line);
      EXPECT_DOUBLE_EQ(flow.places[k].x, end + 4);
      end = flow.places[k].x + widths[k];
    }
    EXPECT_LE(end, 200);
  }
}

TEST(TextFlow, PiecesOfAWordStandTogether) {
  std::vector<FlowWord> words = words_of({60, 30, 30});
  words[2].joined = true;
  const TextFlow flow = text_flow(words, {100, 5, false});
  EXPECT_EQ(flow.lines, (std::vector<std::size_t>{0, 1})) << "the whole word goes to the next line";
  EXPECT_DOUBLE_EQ(flow.places[2].x, 30) << "no gap within a word";
}

TEST(TextFlow, AWordWiderThanALineIsBroken) {
  std::vector<FlowWord> words = words_of({60, 60, 60});
  words[1].joined = words[2].joined = true;
  const TextFlow flow = text_flow(words, {100, 5, false});
  EXPECT_EQ(flow.lines, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(text_flow({}, {100, 5, false}).lines.empty());
}

TEST(TextFlow, ATextFromRightToLeftBeginsAtTheRight) {
  const std::vector<TextToken> hebrew = {{"שלום", false}, {"עולם", false}};
  const WordLevels levels = word_levels(hebrew);
  EXPECT_TRUE(levels.right_to_left);
  EXPECT_EQ(levels.levels, (std::vector<std::int8_t>{1, 1}));
  std::vector<FlowWord> words = words_of({40, 30});
  words[0].level = words[1].level = 1;
  const TextFlow flow = text_flow(words, {100, 5, true});
  EXPECT_DOUBLE_EQ(flow.places[0].x, 60) << "the first word ends at the right edge";
  EXPECT_DOUBLE_EQ(flow.places[1].x, 25);
}

TEST(TextFlow, HebrewWordsWithinEnglishKeepTheirOwnOrder) {
  const std::vector<TextToken> mixed = {{"say", false}, {"שלום", false}, {"עולם", false}, {"twice", false}};
  const WordLevels levels = word_levels(mixed);
  EXPECT_FALSE(levels.right_to_left);
  std::vector<FlowWord> words = words_of({10, 10, 10, 10});
  for (std::size_t k = 0; k < words.size(); ++k) words[k].level = levels.levels[k];
  const TextFlow flow = text_flow(words, {100, 5, false});
  EXPECT_LT(flow.places[0].x, flow.places[2].x);
  EXPECT_LT(flow.places[2].x, flow.places[1].x) << "the second Hebrew word is left of the first";
  EXPECT_LT(flow.places[1].x, flow.places[3].x);
}

}  // namespace
}  // namespace headscope
