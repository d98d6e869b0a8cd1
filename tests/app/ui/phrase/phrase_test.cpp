// Typing into the phrase: the string is the user's, every keystroke is computed, undo is one list.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

const std::string kSmile = "\xF0\x9F\x98\x80";

TEST(Phrase, HasTheFocusAtTheStartAndFollowsEveryKeystroke) {
  Driver d;
  EXPECT_EQ(d.focus(), "phrase");
  d.type(" hoy");
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex hoy");
  EXPECT_EQ(d.trace().query_len(), 6);
  EXPECT_TRUE(d.has("phrase/tokens/5"));
}

TEST(Phrase, KeepsEmojiAndCharactersOfAnyScriptToTheByte) {
  Driver d;
  d.ctrl(KeyName::a);
  const std::string text = kSmile +
                           " \xE6\xB3\xA8\xE6\x84\x8F\xE5\x8A\x9B \xD8\xA7\xD9\x84\xD8\xA7 caf\xC3\xA9 "
                           "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9";
  d.type(text);
  EXPECT_EQ(d.session.draft.phrase, text);
  EXPECT_EQ(d.trace().inputs->tokens[0], kSmile);
  EXPECT_GT(d.textures.images, 0) << "what the atlas cannot hold is drawn as a picture";
}

// A phrase that no session could hold would be lost with the window.
TEST(Phrase, ANulIsLeftOutOfWhatIsPasted) {
  Driver d;
  d.tab_to("phrase");
  d.ctrl(KeyName::a);
  d.clipboard = std::string("one\0 two\0", 9);
  d.ctrl(KeyName::v);
  EXPECT_EQ(d.session.draft.phrase, "one two");
}

TEST(Phrase, PastesEmojiAndLineBreaksUnaltered) {
  Driver d;
  d.ctrl(KeyName::a);
  d.clipboard = "one " + kSmile + "\ntwo\tthree";
  d.ctrl(KeyName::v);
  EXPECT_EQ(d.session.draft.phrase, d.clipboard);
  EXPECT_EQ(d.trace().query_len(), 4);
  d.ctrl(KeyName::a);
  d.clipboard.clear();
  d.ctrl(KeyName::x);
  EXPECT_EQ(d.clipboard, "one " + kSmile + "\ntwo\tthree");
  EXPECT_EQ(d.session.draft.phrase, "");
}

TEST(Phrase, SaysWhenItIsEmptyAndKeepsTheLastPicture) {
  Driver d;
  d.ctrl(KeyName::a);
  d.key(KeyName::backspace);
  ASSERT_TRUE(d.session.problem());
  EXPECT_EQ(d.session.problem()->option, "phrase");
  EXPECT_EQ(d.trace().query_len(), 5);
  EXPECT_TRUE(d.has("status/Shows the last good result"));
  d.type("a");
  EXPECT_FALSE(d.session.problem());
  EXPECT_TRUE(d.has("status/Live"));
}

TEST(Phrase, UndoesTypingAndOtherChangesAsOneList) {
  Driver d;
  d.type(" hoy");
  d.wait(5);
  d.click("request/num_heads/+");
  EXPECT_EQ(d.trace().num_heads(), 16);
  d.click("phrase", 0.9f);
  d.key(KeyName::end);
  d.type("!");
  d.wait(5);
  d.ctrl(KeyName::z);
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex hoy");
  EXPECT_EQ(d.trace().num_heads(), 16);
  d.ctrl(KeyName::z);
  EXPECT_EQ(d.trace().num_heads(), 8);
  d.ctrl(KeyName::z);
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex") << "what was typed together is one step";
  d.key(KeyName::z, true, true);
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex hoy");
  d.ctrl(KeyName::y);
  EXPECT_EQ(d.trace().num_heads(), 16);
}

TEST(Phrase, SelectsByMouseWordAndWhole) {
  Driver d;
  const Rect box = d.rect("phrase");
  d.double_click("phrase", 20 / box.width());
  d.ctrl(KeyName::c);
  EXPECT_EQ(d.clipboard, "Hola");
  d.triple_click("phrase", 20 / box.width());
  d.ctrl(KeyName::c);
  EXPECT_EQ(d.clipboard, "Hola mi nombre es Alex");
  d.drag({box.min.x + 14, box.center().y}, {box.min.x + 600, box.center().y});
  d.ctrl(KeyName::c);
  EXPECT_EQ(d.clipboard, "Hola mi nombre es Alex");
}

TEST(Phrase, MovesByWordsAndErasesThem) {
  Driver d;
  d.key(KeyName::end);
  d.key(KeyName::left, true);
  d.type("x");
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es xAlex");
  d.key(KeyName::backspace, true);
  EXPECT_EQ(d.session.draft.phrase, "Hola mi nombre es Alex");
  d.key(KeyName::home);
  d.key(KeyName::right, true, true);
  d.key(KeyName::del);
  EXPECT_EQ(d.session.draft.phrase, " mi nombre es Alex");
}

TEST(Phrase, WrapsAndGrowsWhileItIsEditedAndMovesByLines) {
  Driver d;
  d.key(KeyName::end);
  d.clipboard.clear();
  for (int i = 0; i < 120; ++i) d.clipboard += " word" + std::to_string(i);
  d.ctrl(KeyName::v);
  const float grown = d.rect("phrase").height();
  EXPECT_GT(grown, 100);
  EXPECT_EQ(d.trace().query_len(), 125);
  const std::size_t end = d.state.edits["phrase"].caret;
  d.key(KeyName::up);
  EXPECT_LT(d.state.edits["phrase"].caret, end - 40);
  d.key(KeyName::down);
  EXPECT_EQ(d.state.edits["phrase"].caret, end);
  // What lies below the grown box sees no clicks.
  const Rect box = d.rect("phrase");
  const auto cell = d.session.view.cell;
  d.click_at({box.min.x + 40, box.min.y + 55});
  EXPECT_EQ(d.session.view.cell, cell);
  EXPECT_EQ(d.focus(), "phrase");
  d.click("request/mask/window");
  EXPECT_EQ(d.rect("phrase").height(), 34);
}

TEST(Phrase, OfOneLineShowsWhereTheCaretWasAndTheNewlyPickedToken) {
  Driver d(phrase_document(words(400)));
  const auto line = [&] { return d.state.edits["phrase"].scroll; };
  d.key(KeyName::end, true);
  EXPECT_GT(d.rect("phrase").height(), 34);
  d.state.focus = "heads/0";
  d.step();
  EXPECT_EQ(d.rect("phrase").height(), 34);
  const float last = line();
  EXPECT_GE(last, 5) << "where typing ended";
  d.session.view.cell = Cell{2, 1};
  d.step();
  EXPECT_EQ(line(), 0);
  d.session.view.cell = Cell{399, 1};
  d.step();
  EXPECT_EQ(line(), last);
  d.wheel("phrase", 1);
  EXPECT_EQ(line(), last - 1) << "the wheel moves on from there";
}

TEST(Phrase, StaysQuickWithTenThousandWords) {
  Driver d;
  Request request = d.session.draft;
  request.d_model = 16;
  request.heads = 1;
  request.phrase.clear();
  // The engine is not the subject here: a problem keeps it from running.
  request.heads = 7;
  for (int i = 0; i < 10000; ++i) request.phrase += "w" + std::to_string(i) + " ";
  d.session.open(request, d.session.view);
  const int before = ImGui::GetDrawData()->TotalVtxCount;
  d.step(3);
  d.key(KeyName::end, true);
  d.type("end");
  EXPECT_TRUE(d.session.draft.phrase.ends_with("end"));
  EXPECT_LT(ImGui::GetDrawData()->TotalVtxCount, before + 60000) << "only what is seen is drawn";
}

TEST(Phrase, PicksQueryAndKeyByItsChips) {
  Driver d;
  d.click("phrase/tokens/3");
  ASSERT_TRUE(d.session.view.cell);
  EXPECT_EQ(d.session.view.cell->row, 3);
  d.right_click("phrase/tokens/1");
  EXPECT_EQ(d.session.view.cell->column, 1);
  EXPECT_EQ(d.session.view.cell->row, 3);
  d.hover("phrase/tokens/4");
  EXPECT_EQ(d.state.hover.query, 4);
  d.click("phrase/tokens/3");
  d.tab_to("phrase/tokens");
  d.key(KeyName::left);
  EXPECT_EQ(d.session.view.cell->row, 2);
  d.key(KeyName::right, false, true);
  EXPECT_EQ(d.session.view.cell->column, 2);
}

TEST(Phrase, OpensAndClosesTheKeyPhrase) {
  Driver d;
  d.click("phrase/key_phrase");
  ASSERT_TRUE(d.session.draft.key_phrase);
  EXPECT_EQ(d.focus(), "key_phrase");
  d.ctrl(KeyName::a);
  d.type("uno dos tres");
  EXPECT_EQ(d.trace().inputs->key_tokens.size(), 3u);
  d.click("key_phrase/tokens/2");
  EXPECT_EQ(d.session.view.cell->column, 2);
  d.click("phrase/tokens/4");
  EXPECT_EQ(d.session.view.cell->row, 4);
  EXPECT_EQ(d.session.view.cell->column, 2);
  d.click("key_phrase/close");
  EXPECT_FALSE(d.session.draft.key_phrase);
  d.key(KeyName::k, true);
  EXPECT_TRUE(d.session.draft.key_phrase);
}

TEST(Phrase, AModelThatReadsPairsGetsASecondText) {
  const std::string folder = std::string(HEADSCOPE_SOURCE_DIR) + "/tests/golden/models/bert-pair";
  Document document = open_document(folder, demo_document().request, demo_document().view);
  document.request.phrase = "the cat sat";
  Driver d(document);
  d.click("phrase/key_phrase");
  ASSERT_TRUE(d.session.draft.second_phrase);
  EXPECT_FALSE(d.session.draft.key_phrase);
  EXPECT_EQ(d.focus(), "second_phrase");
  d.ctrl(KeyName::a);
  d.type("it ran");
  const std::vector<std::string> pair = {"[CLS]", "the", "cat", "sat", "[SEP]", "it", "ran", "[SEP]"};
  EXPECT_EQ(d.trace().inputs->tokens, pair);
  EXPECT_EQ(d.trace().inputs->token_types, (std::vector<std::int64_t>{0, 0, 0, 0, 0, 1, 1, 1}));
  d.double_click("phrase/tokens/6");
  EXPECT_EQ(d.session.draft.second_phrase, "it [MASK]");
  EXPECT_EQ(d.session.draft.phrase, "the cat sat");
  d.double_click("phrase/tokens/2");
  EXPECT_EQ(d.session.draft.phrase, "the [MASK] sat");
  d.click("second_phrase/close");
  EXPECT_FALSE(d.session.draft.second_phrase);
  EXPECT_EQ(d.trace().query_len(), 5);
}

TEST(Phrase, ShowsBytesThatAreNoTextAndKeepsThem) {
  Document document = demo_document();
  document.request.phrase = "ok \xFF\xC3 end";
  Driver d(document);
  ASSERT_TRUE(d.session.problem());
  EXPECT_EQ(d.session.problem()->option, "phrase");
  d.key(KeyName::end);
  d.type("s");
  EXPECT_EQ(d.session.draft.phrase, "ok \xFF\xC3 ends");
}

}  // namespace
}  // namespace headscope::ui
