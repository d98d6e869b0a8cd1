// Megabytes pasted into the phrase: what a frame does to them is counted, not timed.
#include <gtest/gtest.h>

#include <string>

#include "app/ui/phrase/wrapped_text.h"
#include "app/ui/shortcuts.h"
#include "app/ui/stage_facts.h"
#include "app/ui/widgets/shown_line.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

const std::string kMark = "\xCC\x81";

std::string repeated(const std::string& unit, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += unit;
  return text;
}

// Long texts are refused without work: what is left is the frame's own.
SessionOptions refusing() {
  SessionOptions options;
  options.compute = [](const Request& request, Engine& by, const CancelToken& cancel, const EarlyTrace& early) {
    if (request.phrase.size() > kLongText) throw ProblemError({"phrase", "too long a phrase", "", {}});
    return by.run(request, cancel, early);
  };
  return options;
}

struct LongText : ::testing::Test {
  LongText() : d(phrase_document("a b c"), 1600, 1000, 1, refusing()) { d.click("phrase"); }

  const WrappedText& wrapped() { return d.state.panels.get<WrappedTexts>().by_name["phrase"]; }
  void paste(const std::string& text) {
    d.clipboard = text;
    d.ctrl(KeyName::v);
    while (wrapped().done < d.session.draft.phrase.size()) d.step(1);
  }
  // Bytes of all lines that were laid out or shaped since the last call.
  std::size_t shaped() {
    std::size_t bytes = 0;
    ShownLines& known = d.state.panels.get<ShownLines>();
    for (const auto& [line, shown] : known.lines) bytes += line.size();
    known.lines.clear();
    return bytes;
  }

  Driver d;
};

TEST_F(LongText, LinesAreShortWhateverTheTextHolds) {
  for (const std::string& unit : {std::string("x"), kMark, std::string(" "), std::string("i\t"), std::string("ab ")}) {
    paste(repeated(unit, 300'000));
    const WrappedText& lines = wrapped();
    ASSERT_EQ(lines.done, d.session.draft.phrase.size());
    for (std::size_t k = 1; k < lines.begins.size(); ++k) {
      ASSERT_GT(lines.begins[k], lines.begins[k - 1]);
      ASSERT_LE(lines.begins[k] - lines.begins[k - 1], 2 * kMostLineBytes) << "line " << k;
    }
    d.ctrl(KeyName::z);
    EXPECT_EQ(d.session.draft.phrase, "a b c") << "undo takes it back";
  }
}

TEST_F(LongText, ALetterMeasuresTheLinesAroundItAlone) {
  paste(repeated("The animal was too tired. ", 2'000'000));
  d.type("y");
  EXPECT_LE(wrapped().measured, 10 * kMostLineBytes) << "at the end";
  d.key(KeyName::home, true);
  d.type("z");
  EXPECT_LE(wrapped().measured, 10 * kMostLineBytes) << "at the beginning";
  EXPECT_TRUE(d.session.draft.phrase.starts_with("za b c"));
  const std::vector<std::size_t> begins = wrapped().begins;
  d.state.panels.get<WrappedTexts>().by_name.clear();
  while (wrapped().done < d.session.draft.phrase.size()) d.step(1);
  EXPECT_EQ(wrapped().begins, begins) << "the lines of the whole text, broken anew";
}

TEST_F(LongText, AFrameMeasuresAPartOfALongText) {
  d.clipboard = repeated("x", 5 * kBytesPerFrame);
  d.ctrl(KeyName::a);
  d.ctrl(KeyName::v);
  EXPECT_EQ(d.session.draft.phrase.size(), 5 * kBytesPerFrame);
  EXPECT_LE(wrapped().measured, 6 * kBytesPerFrame) << "each byte once";
  EXPECT_EQ(wrapped().done, d.session.draft.phrase.size());
}

TEST_F(LongText, OnlyWhatIsSeenIsShaped) {
  paste(repeated(kMark, 1'000'000));
  EXPECT_LE(shaped(), 64 * kMostLineBytes);
  d.key(KeyName::left);
  d.key(KeyName::home, true);
  EXPECT_LE(shaped(), 64 * kMostLineBytes);
  d.key(KeyName::backspace);
  d.key(KeyName::del);
  EXPECT_LE(shaped(), 64 * kMostLineBytes);
}

TEST_F(LongText, TheProblemIsSaidAndUndoTakesItBack) {
  paste(repeated("x", 3'000'000));
  ASSERT_TRUE(d.session.problem());
  EXPECT_EQ(d.session.problem()->title, "too long a phrase");
  d.ctrl(KeyName::z);
  EXPECT_FALSE(d.session.problem());
  EXPECT_EQ(d.session.draft.phrase, "a b c");
}

TEST(LongToken, IsNamedByItsBeginning) {
  Driver d(phrase_document("a " + repeated("x", 1'000'000)));
  EXPECT_EQ(d.trace().inputs->tokens[1].size(), 1'000'000u);
  for (const std::string& name : row_names(d.trace(), StageId::weights)) EXPECT_LE(name.size(), 300u);
  for (const DrawnText& text : d.texts) EXPECT_LE(text.words.size(), 4096u) << text.words.substr(0, 80);
  EXPECT_NE(copied_text(d.session, CopyWhat::matrix).find(repeated("x", 1'000'000)), std::string::npos)
      << "what is copied has all of it";
}

}  // namespace
}  // namespace headscope::ui
