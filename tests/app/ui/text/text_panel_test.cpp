// The view 'text': words on the colours of their weights, picked by mouse and keys, heads chosen.
#include "app/ui/text/text_panel.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/widgets/widgets.h"
#include "core/picture/text_weights_look.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

Driver& opened(Driver& d) {
  d.key(KeyName::u, true);
  EXPECT_EQ(d.session.view.main_view, MainView::text);
  EXPECT_EQ(d.focus(), kTextWords);
  return d;
}

std::string number(const Driver& d, std::int64_t head, std::int64_t query, std::int64_t key) {
  const auto value = static_cast<double>(d.trace().tensor(StageId::weights).at({0, head, query, key}));
  return number_label(value, 4);
}

bool shows(const Driver& d, const std::string& words) {
  for (const DrawnText& text : d.texts) {
    if (text.words == words) return true;
  }
  return false;
}

TEST(TextPanel, AWordIsPickedByMouseAndKeys) {
  Driver d(phrase_document(kTwelve));
  opened(d);
  d.click("text/word/7");
  EXPECT_EQ(d.session.view.cell->row, 7);
  const std::int64_t strongest = d.session.view.cell->column;
  const TextWeights weights =
      text_weights(d.trace(), {0, {0, 1, 2, 3, 4, 5, 6, 7}, 7, TextAlong::row, HeadsCombined::sum});
  EXPECT_EQ(strongest, weights.strongest.front()) << "its strongest key is the other end of the pair";
  for (std::int64_t head = 0; head < 8; ++head) {
    EXPECT_LE(weights.by_head.at({head, strongest}), weights.by_head.at({d.session.view.head, strongest}))
        << "the head that adds most is explained";
  }
  d.key(KeyName::right);
  EXPECT_EQ(d.session.view.cell->row, 8);
  d.key(KeyName::home);
  EXPECT_EQ(d.session.view.cell->row, 0);
  d.key(KeyName::left);
  EXPECT_EQ(d.session.view.cell->row, 0) << "there is nothing before the first word";
  d.key(KeyName::end);
  EXPECT_EQ(d.session.view.cell->row, 11);
  d.shift_held = true;
  d.click("text/word/4");
  d.shift_held = false;
  EXPECT_EQ(d.session.view.cell, (Cell{11, 4})) << "Shift picks the key";
}

TEST(TextPanel, TheReadoutAddsTheChosenHeads) {
  Driver d(phrase_document(kTwelve));
  opened(d);
  d.click("text/word/5");
  d.click("text/none");
  EXPECT_EQ(d.session.view.text.heads, std::vector<std::int64_t>());
  d.key(KeyName::three);
  d.click("text/head/6");
  EXPECT_EQ(d.session.view.text.heads, (std::vector<std::int64_t>{2, 6}));
  d.shift_held = true;
  d.click("text/word/1");
  d.shift_held = false;
  EXPECT_TRUE(shows(d, number(d, 2, 5, 1)));
  EXPECT_TRUE(shows(d, number(d, 6, 5, 1)));
  const TextWeights sum = text_weights(d.trace(), {0, {2, 6}, 5, TextAlong::row, HeadsCombined::sum});
  EXPECT_TRUE(shows(d, number_label(static_cast<double>(sum.values[1]), 4)));
  d.click("text/combined", 0.75f);
  EXPECT_EQ(d.session.view.text.combined, HeadsCombined::mean);
  EXPECT_TRUE(shows(d, number_label(static_cast<double>(sum.values[1]) / 2, 4)));
  d.click("text/all");
  EXPECT_EQ(d.session.view.text.heads, std::nullopt);
}

TEST(TextPanel, AColumnIsOfThePickedKey) {
  Driver d(phrase_document(kTwelve));
  opened(d);
  d.click("text/along", 0.75f);
  d.click("text/word/3");
  EXPECT_EQ(d.session.view.cell->column, 3);
  const TextWeights weights =
      text_weights(d.trace(), {0, {0, 1, 2, 3, 4, 5, 6, 7}, 3, TextAlong::column, HeadsCombined::sum});
  EXPECT_EQ(d.session.view.cell->row, weights.strongest.front());
}

TEST(TextPanel, TwoTextsStandBelowEachOther) {
  Document document = phrase_document("one two three");
  document.request.key_phrase = "a b c d e";
  Driver d(document);
  opened(d);
  EXPECT_EQ(d.names("text/other/").size(), 3U);
  EXPECT_EQ(d.names("text/word/").size(), 5U);
  d.click("text/other/1");
  EXPECT_EQ(d.session.view.cell->row, 1);
  d.click("text/word/4");
  EXPECT_EQ(d.session.view.cell, (Cell{1, 4}));
}

TEST(TextPanel, OfALongTextTheVisibleLinesAreDrawn) {
  Driver d(phrase_document(words(900), 1, 8), 1280, 800);
  opened(d);
  d.key(KeyName::home);
  const std::vector<std::string> first = d.names("text/word/");
  EXPECT_LT(first.size(), 600U);
  EXPECT_TRUE(d.has("text/word/0"));
  d.key(KeyName::end);
  EXPECT_TRUE(d.has("text/word/899")) << "the picked word is scrolled into sight";
  EXPECT_FALSE(d.has("text/word/0"));
}

TEST(TextPanel, ItsStateIsKeptAndItsPictureIsTheSame) {
  Driver d(phrase_document(kTwelve));
  opened(d);
  d.click("text/word/7");
  d.click("text/head/0");
  const ViewSpec spec = view_spec_of(d.session.view, Theme::dark);
  EXPECT_EQ(spec.view, ViewKind::text);
  EXPECT_EQ(spec.token, 7);
  EXPECT_EQ(spec.heads_shown, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7}));
  ViewState again;
  apply_view_spec(again, spec);
  EXPECT_EQ(again.main_view, MainView::text);
  EXPECT_EQ(again.text, d.session.view.text);
  d.key(KeyName::e, true);
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().choice.subject, ExportSubject::text);
}

TEST(TextPanel, TheStepUnderTheMouseIsLitInTheFormula) {
  Driver d(phrase_document(kTwelve));
  opened(d);
  d.click("text/word/7");
  ASSERT_TRUE(d.has("inspector/where/formula"));
  ASSERT_FALSE(d.names("inspector/where/step/").empty());
  EXPECT_TRUE(d.names("inspector/where/lit/").empty());
  d.hover("inspector/where/step/0");
  d.step();
  EXPECT_TRUE(d.has("inspector/where/lit/source")) << "the score was made earlier";
  const std::string last = d.names("inspector/where/step/").back();
  d.hover(last);
  d.step();
  EXPECT_TRUE(d.has("inspector/where/lit/÷ row sum"));
}

}  // namespace
}  // namespace headscope::ui
