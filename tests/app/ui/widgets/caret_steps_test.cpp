// Where the arrow keys lead in lines that run in both directions.
#include "app/ui/widgets/caret_steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headscope::ui {
namespace {

// Capitals are Hebrew letters.
std::string typed(const std::string& line) {
  std::string text;
  for (const char c : line) {
    if (c >= 'A' && c <= 'Z') {
      text += "\xD7";
      text += static_cast<char>(0x90 + (c - 'A'));
    } else {
      text += c;
    }
  }
  return text;
}

// The places of the caret, counted in letters, on the way from `begin` until it stands still.
std::vector<std::size_t> way(const std::string& line, std::size_t begin, void (*step)(TextEdit&, bool)) {
  std::vector<std::size_t> bytes;
  for (std::size_t k = 0; k <= line.size(); ++k) bytes.push_back(typed(line.substr(0, k)).size());
  TextEdit edit;
  edit.buffer = typed(line);
  edit.caret = edit.anchor = bytes[begin];
  std::vector<std::size_t> letters = {begin};
  for (std::size_t k = 0; k < 4 * line.size(); ++k) {
    const std::size_t before = edit.caret;
    step(edit, false);
    if (edit.caret == before) break;
    std::size_t letter = 0;
    while (letter < bytes.size() && bytes[letter] != edit.caret) ++letter;
    letters.push_back(letter);
  }
  return letters;
}
using Way = std::vector<std::size_t>;

TEST(CaretSteps, FollowTheTextThatRunsFromLeftToRight) {
  EXPECT_EQ(way("abc", 0, step_right), (Way{0, 1, 2, 3}));
  EXPECT_EQ(way("abc", 3, step_left), (Way{3, 2, 1, 0}));
  EXPECT_EQ(way("", 0, step_left), (Way{0}));
}

TEST(CaretSteps, GoAgainstTheTextThatRunsFromRightToLeft) {
  EXPECT_EQ(way("ABC", 0, step_left), (Way{0, 1, 2, 3}));
  EXPECT_EQ(way("ABC", 3, step_right), (Way{3, 2, 1, 0}));
  EXPECT_EQ(way("ABC", 0, step_right), (Way{0})) << "nothing is to the right of the beginning";
}

TEST(CaretSteps, VisitEveryPlaceOfALineInBothDirectionsOnce) {
  // Seen: a b _ E D _ c, with carets at 0 1 2 | 4 | 3 and 5 | 6 | 7. Before the D stands the caret at its right edge,
  // where the blank behind E begins too.
  EXPECT_EQ(way("ab DE c", 0, step_right), (Way{0, 1, 2, 4, 3, 6, 7}));
  EXPECT_EQ(way("ab DE c", 7, step_left), (Way{7, 6, 5, 4, 2, 1, 0}));
}

TEST(CaretSteps, KeepNumbersInTheirOrder) {
  // Seen: 1 2 _ A; the number's last place is that before the blank, at its right edge.
  EXPECT_EQ(way("A 12", 0, step_left), (Way{0, 1, 4, 3, 2}));
}

TEST(CaretSteps, LeadIntoTheNextLine) {
  TextEdit edit;
  edit.buffer = typed("AB\nCD");
  edit.caret = edit.anchor = 4;
  step_left(edit, false);
  EXPECT_EQ(edit.caret, 5U) << "the line ends at the left";
  step_right(edit, false);
  EXPECT_EQ(edit.caret, 4U) << "the next one begins at the right";
}

TEST(CaretSteps, ASelectionCollapsesToTheSideThatIsSeen) {
  TextEdit edit;
  edit.buffer = typed("ABC");
  edit.anchor = 0;
  edit.caret = 4;
  step_left(edit, false);
  EXPECT_EQ(edit.caret, 4U) << "behind B, which is seen left of A";
  edit.anchor = 0;
  step_right(edit, false);
  EXPECT_EQ(edit.caret, 0U);
  edit.caret = edit.anchor = 0;
  step_left(edit, true);
  EXPECT_EQ(selected_text(edit), typed("A"));
}

TEST(CaretSteps, WordsFollowTheDirectionOfTheLettersBeforeTheCaret) {
  TextEdit edit;
  edit.buffer = typed("AB CD");
  edit.caret = edit.anchor = 0;
  step_word_left(edit, false);
  EXPECT_EQ(edit.caret, 4U);
  step_word_left(edit, false);
  EXPECT_EQ(edit.caret, 9U);
  step_word_right(edit, false);
  EXPECT_EQ(edit.caret, 5U);
}

TEST(CaretSteps, NeverSplitAGraphemeAndNeverLeaveTheText) {
  const std::string text = "\xD7\x90\xD6\xB8\xFF e\xCC\x81\xD7\xA9\n\xD9\x84\xD8\xA7 12";  // a pointed alef, a bad byte
  for (std::size_t at = 0; at <= text.size(); ++at) {
    for (const auto step : {step_left, step_right, step_word_left, step_word_right}) {
      TextEdit edit;
      edit.buffer = text;
      move_caret(edit, at, false);
      step(edit, true);
      ASSERT_LE(edit.caret, text.size());
      const std::size_t caret = edit.caret;
      move_caret(edit, caret, true);
      EXPECT_EQ(edit.caret, caret) << "on a boundary of graphemes";
    }
  }
}

}  // namespace
}  // namespace headscope::ui
