// The model of an editable text: what a caret may do to a string, and what it may never do.
#include "app/ui/widgets/text_edit.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/utf8.h"

namespace headscope::ui {
namespace {

TextEdit with(const std::string& text, std::size_t caret) {
  TextEdit edit;
  edit.buffer = text;
  edit.caret = edit.anchor = caret;
  return edit;
}

const std::string kFamily =
    "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7";  // woman ZWJ woman ZWJ girl
const std::string kAccent = "e\xCC\x81";                                         // e + combining acute
const std::string kFlag = "\xF0\x9F\x87\xAA\xF0\x9F\x87\xB8";                    // regional indicators E S

TEST(TextEdit, StepsOverWholeGraphemes) {
  TextEdit edit = with("a" + kFamily + kAccent + kFlag + "b", 0);
  std::vector<std::size_t> stops = {0};
  while (edit.caret < edit.buffer.size()) {
    move_right(edit, false);
    stops.push_back(edit.caret);
  }
  EXPECT_EQ(stops, (std::vector<std::size_t>{0, 1, 1 + kFamily.size(), 1 + kFamily.size() + 3,
                                             1 + kFamily.size() + 3 + kFlag.size(), edit.buffer.size()}));
  for (std::size_t i = stops.size(); i-- > 0;) {
    EXPECT_EQ(edit.caret, stops[i]);
    move_left(edit, false);
  }
}

TEST(TextEdit, ErasesOneGraphemeWithBackspaceAndDelete) {
  TextEdit edit = with("a" + kFamily + "b", 1 + kFamily.size());
  erase_left(edit);
  EXPECT_EQ(edit.buffer, "ab");
  edit = with(kAccent + "x", 0);
  erase_right(edit);
  EXPECT_EQ(edit.buffer, "x");
}

TEST(TextEdit, KeepsInvalidBytesAndStepsOverThemOneByOne) {
  const std::string broken = "a\xFF\xC3(\xE2\x82z";
  TextEdit edit = with(broken, 0);
  int steps = 0;
  while (edit.caret < edit.buffer.size() && steps < 20) {
    const std::size_t before = edit.caret;
    move_right(edit, false);
    ASSERT_GT(edit.caret, before);
    ++steps;
  }
  EXPECT_EQ(edit.caret, broken.size());
  EXPECT_EQ(edit.buffer, broken);
  move_caret(edit, 1, false);
  type_text(edit, "b");
  EXPECT_EQ(edit.buffer, "ab\xFF\xC3(\xE2\x82z");
}

TEST(TextEdit, MovesAndErasesByWords) {
  TextEdit edit = with("one  two, three", 0);
  move_word_right(edit, false);
  EXPECT_EQ(edit.caret, 3u);
  move_word_right(edit, false);
  EXPECT_EQ(edit.caret, 8u);
  move_word_right(edit, false);
  EXPECT_EQ(edit.caret, 9u) << "punctuation is a word of its own";
  move_end(edit, false);
  erase_word_left(edit);
  EXPECT_EQ(edit.buffer, "one  two, ");
  erase_word_left(edit);
  EXPECT_EQ(edit.buffer, "one  two");
  move_home(edit, false);
  erase_word_right(edit);
  EXPECT_EQ(edit.buffer, "  two");
}

TEST(TextEdit, TreatsRightToLeftTextInItsLogicalOrder) {
  const std::string hebrew = "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xD7\xA2\xD7\x95\xD7\x9C\xD7\x9D";  // shalom olam
  TextEdit edit = with(hebrew, 0);
  move_right(edit, false);
  EXPECT_EQ(edit.caret, 2u);
  move_word_right(edit, false);
  EXPECT_EQ(edit.caret, 8u);
  erase_word_right(edit);
  EXPECT_EQ(edit.buffer, "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D");
}

TEST(TextEdit, CollapsesASelectionToTheSideOfTheMove) {
  TextEdit edit = with("abcdef", 2);
  move_right(edit, true);
  move_right(edit, true);
  EXPECT_EQ(selected_text(edit), "cd");
  TextEdit left = edit, right = edit;
  move_left(left, false);
  EXPECT_EQ(left.caret, 2u);
  move_right(right, false);
  EXPECT_EQ(right.caret, 4u);
  type_text(edit, "X");
  EXPECT_EQ(edit.buffer, "abXef");
}

TEST(TextEdit, SelectsTheWordUnderTheMouse) {
  TextEdit edit = with("one two three", 0);
  select_word(edit, 5);
  EXPECT_EQ(selected_text(edit), "two");
  select_word(edit, edit.buffer.size());
  EXPECT_EQ(selected_text(edit), "three");
  select_word(edit, 3);
  EXPECT_EQ(selected_text(edit), " ");
  TextEdit empty;
  select_word(empty, 0);
  EXPECT_FALSE(has_selection(empty));
}

TEST(TextEdit, UndoesTypingByWordsAndPastesWhole) {
  TextEdit edit;
  for (const char c : std::string("one two")) type_text(edit, std::string(1, c));
  paste_text(edit, " three four");
  EXPECT_EQ(edit.buffer, "one two three four");
  ASSERT_TRUE(undo(edit));
  EXPECT_EQ(edit.buffer, "one two");
  ASSERT_TRUE(undo(edit));
  EXPECT_EQ(edit.buffer, "one ");
  ASSERT_TRUE(undo(edit));
  EXPECT_EQ(edit.buffer, "");
  EXPECT_FALSE(undo(edit));
  ASSERT_TRUE(redo(edit));
  ASSERT_TRUE(redo(edit));
  EXPECT_EQ(edit.buffer, "one two");
  type_text(edit, "!");
  EXPECT_FALSE(redo(edit)) << "a change forgets what was undone";
}

TEST(TextEdit, PutsTheCaretBehindWhatChangedFromOutside) {
  TextEdit edit = with("one two three", 13);
  replace_text(edit, "one 2 three");
  EXPECT_EQ(edit.caret, 5u);
  replace_text(edit, "one 2 three");
  EXPECT_EQ(edit.caret, 5u) << "the same text moves nothing";
  replace_text(edit, "");
  EXPECT_EQ(edit.caret, 0u);
}

TEST(TextEdit, MakesOneLineOfWhatIsPastedIntoAField) {
  EXPECT_EQ(single_line("a\r\nb\tc\x01\x7F"), "a b c");
  EXPECT_EQ(single_line("\xF0\x9F\x98\x80\n"), "\xF0\x9F\x98\x80 ");
  EXPECT_EQ(single_line("a\xED\xA0\x80z\xFF"), "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\xEF\xBF\xBD");
}

TEST(TextEdit, BoundsTheMemoryOfItsUndo) {
  TextEdit edit;
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < 40; ++i) paste_text(edit, i % 2 == 0 ? large : "y ");
  std::size_t bytes = 0;
  for (const auto& [text, caret] : edit.undo) bytes += text.size();
  EXPECT_LE(bytes, (std::size_t{8} << 20) + edit.buffer.size());
  EXPECT_TRUE(undo(edit));
}

// Whatever is done in whatever order: caret and anchor stay on boundaries, and bytes that nobody touched stay.
TEST(TextEdit, SurvivesTenThousandRandomActions) {
  std::mt19937 random(7);
  const std::string pieces[] = {"a", " ", kFamily, kAccent, kFlag, "\xFF", "\xE2\x82", "\xD7\xA9", "\xE4\xB8\xAD", ","};
  TextEdit edit;
  for (int i = 0; i < 10000; ++i) {
    const bool select = random() % 3 == 0;
    switch (random() % 12) {
      case 0:
        move_left(edit, select);
        break;
      case 1:
        move_right(edit, select);
        break;
      case 2:
        move_word_left(edit, select);
        break;
      case 3:
        move_word_right(edit, select);
        break;
      case 4:
        erase_left(edit);
        break;
      case 5:
        erase_right(edit);
        break;
      case 6:
        select_word(edit, random() % (edit.buffer.size() + 3));
        break;
      case 7:
        undo(edit);
        break;
      case 8:
        redo(edit);
        break;
      case 9:
        move_caret(edit, random() % (edit.buffer.size() + 3), select);
        break;
      default:
        (random() % 2 ? type_text : paste_text)(edit, pieces[random() % 10]);
        break;
    }
    ASSERT_LE(edit.caret, edit.buffer.size());
    ASSERT_LE(edit.anchor, edit.buffer.size());
    if (edit.buffer.size() > 400) erase_word_left(edit);
  }
}

}  // namespace
}  // namespace headscope::ui
