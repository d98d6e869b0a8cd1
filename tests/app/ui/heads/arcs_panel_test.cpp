// Arcs and neurons: the segments of the heads' header, chips, the least weight, tokens, keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

#include "app/ui/export_dialog_state.h"
#include "app/ui/heads/arcs.h"
#include "app/ui/panel_data.h"
#include "app/ui/widgets/control_states.h"
#include "core/io/atomic_file.h"
#include "core/io/svg.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

Document phrase(const std::string& words, std::int64_t heads = 8, std::int64_t d_model = 64) {
  Document document = phrase_document(words, heads, d_model);
  document.request.init_gain = 3;
  document.view.heads_show = HeadsShow::arcs;
  return document;
}

bool shows(const Driver& d, const std::string& line) {
  return std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& text) { return text.words == line; });
}

TEST(ArcsPanel, TheSegmentsSwitchBetweenTheViews) {
  Driver d;
  EXPECT_TRUE(d.has("heads/0"));
  EXPECT_TRUE(d.has("concat"));
  d.click("heads/show/arcs");
  EXPECT_EQ(d.session.view.heads_show, HeadsShow::arcs);
  EXPECT_TRUE(d.has("heads/lines"));
  EXPECT_TRUE(d.has("neurons")) << "beside the arcs";
  EXPECT_FALSE(d.has("heads/0"));
  EXPECT_FALSE(d.has("concat"));
  d.click("heads/show/neurons");
  EXPECT_FALSE(d.has("heads/lines"));
  EXPECT_TRUE(d.has("neurons"));
  EXPECT_TRUE(d.has("inspector/picture")) << "the inspector is back";
  d.click("heads/show/grid");
  EXPECT_TRUE(d.has("heads/0"));
  EXPECT_FALSE(d.has("neurons"));
}

TEST(ArcsPanel, FirstShowsTheSelectedHeadAlone) {
  Driver d(phrase("a b c d"));
  d.session.view.head = 6;
  d.step();
  EXPECT_EQ(arcs_heads(d.session.view, 8), std::vector<std::int64_t>{6});
  EXPECT_TRUE(shows(d, "head 6   width: weight.  Click a token: its lines stand out."));
  d.session.view.head = 2;
  EXPECT_EQ(arcs_heads(d.session.view, 8), std::vector<std::int64_t>{2}) << "until heads are chosen";
  d.click("heads/arcs/7");
  EXPECT_EQ(arcs_heads(d.session.view, 8), (std::vector<std::int64_t>{2, 7}));
  d.session.view.head = 0;
  d.step();
  EXPECT_EQ(arcs_heads(d.session.view, 8), (std::vector<std::int64_t>{2, 7})) << "chosen by hand";
  EXPECT_TRUE(shows(d, "head 2, 7   width: weight.  Click a token: its lines stand out."));
}

TEST(ArcsPanel, ChipsAndTheirDigitsSwitchHeads) {
  Driver d(phrase("a b c d"));
  d.click("heads/arcs/all");
  EXPECT_TRUE(d.session.view.arcs_chosen);
  EXPECT_FALSE(d.session.view.arcs_heads.has_value()) << "all";
  d.click("heads/arcs/2");
  EXPECT_EQ(d.session.view.arcs_heads, (std::vector<std::int64_t>{0, 1, 3, 4, 5, 6, 7}));
  d.key(KeyName::zero);
  EXPECT_EQ(d.session.view.arcs_heads, (std::vector<std::int64_t>{1, 3, 4, 5, 6, 7})) << "the digit on the chip";
  d.key(KeyName::zero);
  d.key(KeyName::two);
  EXPECT_FALSE(d.session.view.arcs_heads.has_value()) << "all again";
  d.key(KeyName::eight);
  EXPECT_FALSE(d.session.view.arcs_heads.has_value()) << "there is no head 8";
  d.click("heads/arcs/none");
  EXPECT_TRUE(arcs_heads(d.session.view, 8).empty());
  EXPECT_TRUE(shows(d, "No head is shown: switch one on above."));
}

TEST(ArcsPanel, ADoubleClickOnAChipShowsItsHeadAlone) {
  Driver d(phrase("a b c d"));
  d.click("heads/arcs/all");
  d.double_click("heads/arcs/5");
  EXPECT_EQ(arcs_heads(d.session.view, 8), std::vector<std::int64_t>{5});
  d.click("heads/arcs/5");
  EXPECT_TRUE(arcs_heads(d.session.view, 8).empty()) << "one more click is a plain one";
}

TEST(ArcsPanel, TheChipsOfManyHeadsScroll) {
  Driver d(phrase("a b c d", 64, 64), 1280, 800);
  const Rect lines = d.rect("heads/lines"), panel = d.rect("heads");
  EXPECT_LT(lines.min.y - panel.min.y, 220) << "the lines keep their room";
  EXPECT_GT(d.rect("heads/arcs/63").min.y, lines.min.y) << "below what is seen";
  d.state.panels.get<ScrollOffsets>().down["heads/arcs"] = 1e6;
  d.step();
  EXPECT_LT(d.rect("heads/arcs/63").max.y, lines.min.y);
  d.click("heads/arcs/63");
  EXPECT_EQ(arcs_heads(d.session.view, 64), (std::vector<std::int64_t>{0, 63}));
}

TEST(ArcsPanel, DigitsThatAreTypedIntoThePhraseSwitchNothing) {
  Driver d(phrase("a b c d"));
  d.click("phrase");
  d.key(KeyName::one);
  d.key(KeyName::s);
  EXPECT_FALSE(d.session.view.arcs_chosen);
  EXPECT_FALSE(d.session.jobs.current().running);
}

TEST(ArcsPanel, AClickPinsAQueryWithItsStrongestKeyAndLetsItGo) {
  Driver d(phrase("a b c d e"));
  d.session.view.head = 3;
  d.step();
  d.click("heads/query/2");
  ASSERT_TRUE(d.session.view.cell.has_value());
  EXPECT_EQ(d.session.view.cell->row, 2);
  const Tensor row = matrix_at(d.trace().tensor(StageId::weights), 0, 3);
  for (std::int64_t j = 0; j < 5; ++j) EXPECT_LE(row.at({2, j}), row.at({2, d.session.view.cell->column}));
  d.click("heads/key/4");
  EXPECT_EQ(d.session.view.cell, (Cell{2, 4}));
  d.key(KeyName::down);
  EXPECT_EQ(d.session.view.cell->row, 3);
  d.click("heads/query/3");
  EXPECT_FALSE(d.session.view.cell.has_value()) << "the chosen one is let go";
}

TEST(ArcsPanel, HoveringATokenLinksThePanels) {
  Driver d(phrase("a b c d e"));
  d.hover("heads/query/1");
  EXPECT_EQ(d.state.hover.query, 1);
  d.hover("heads/key/3");
  EXPECT_EQ(d.state.hover.key, 3);
  EXPECT_EQ(d.state.hover.query, -1);
  d.hover("neurons/2");
  EXPECT_EQ(d.state.hover.key, 2);
}

TEST(ArcsPanel, TheLeastWeightDecidesHowManyArcsThereAre) {
  Driver d(phrase("a b c d e"));
  const auto found = [&](double least) {
    ArcRequest request{0, arcs_heads(d.session.view, 8), {0, 5}, {0, 5}, least, 1000};
    return strongest_arcs(d.trace(), request).found;
  };
  EXPECT_GT(found(0.05), found(0.5));
  d.click("heads/hide_below", 0.5f);
  EXPECT_NEAR(d.session.view.arcs_hide_below, 0.5, 0.02);
  EXPECT_TRUE(d.has("heads/links"));
}

TEST(ArcsPanel, SentencesAreOfferedForTwoParts) {
  {
    Driver one(phrase("a b c d"));
    EXPECT_FALSE(one.has("heads/sentences"));
  }
  Driver two(phrase("[CLS] a b [SEP] c d [SEP]"));
  two.click("heads/sentences/A to B");
  EXPECT_EQ(two.session.view.arcs_sentences, SentencePair::a_to_b);
  // The filter rests where there is one part.
  two.session.draft.phrase = "a b c d";
  two.step(4);
  EXPECT_FALSE(two.has("heads/sentences"));
  EXPECT_TRUE(two.has("heads/lines"));
}

TEST(ArcsPanel, SavesAnSvgThatOpensAsThisView) {
  const TemporaryFolder folder;
  Driver d(phrase("a b c d"));
  d.settings.export_folder = folder.path();
  d.click("heads/query/1");
  d.key(KeyName::s);
  d.step(3);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files.push_back(entry.path().string());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_TRUE(is_svg(read_small_file(files[0], 1 << 20))) << files[0];
  const Document document = open_document(files[0], {}, {});
  EXPECT_EQ(document.view.heads_show, HeadsShow::arcs);
  ASSERT_TRUE(document.view.cell.has_value());
  EXPECT_EQ(document.view.cell->row, 1);
  d.key(KeyName::s);
  d.step(3);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2) << "nothing is replaced";
}

TEST(ArcsPanel, LongPhrasesScrollAndTheChosenTokenComesIntoSight) {
  Driver d(phrase(words(400), 4));
  EXPECT_TRUE(d.has("heads/query/0"));
  EXPECT_FALSE(d.has("heads/query/399"));
  d.session.view.cell = Cell{399, 0};
  d.step(3);
  EXPECT_TRUE(d.has("heads/query/399"));
}

TEST(ArcsPanel, EveryLengthAndSizeDraws) {
  for (const int count : {1, 2, 12, 64, 400}) {
    for (const HeadsShow shows : {HeadsShow::arcs, HeadsShow::neurons}) {
      Document document = phrase(words(count));
      document.view.heads_show = shows;
      Driver d(document);
      for (const auto& [width, height] : {std::pair(960, 640), std::pair(1280, 800), std::pair(2560, 1440)}) {
        d.resize(width, height);
        d.step(2);
        EXPECT_TRUE(d.has("heads/show")) << count << ' ' << width;
      }
    }
  }
}

TEST(NeuronsPanel, KeysWalkThroughKeysAndQueries) {
  Document document = phrase("a b c d e");
  document.view.heads_show = HeadsShow::neurons;
  Driver d(document);
  d.click("neurons/3");
  ASSERT_TRUE(d.session.view.cell.has_value());
  EXPECT_EQ(d.session.view.cell->column, 3);
  const std::int64_t query = d.session.view.cell->row;
  d.key(KeyName::down);
  EXPECT_EQ(d.session.view.cell, (Cell{query, 4}));
  d.key(KeyName::down);
  EXPECT_EQ(d.session.view.cell, (Cell{query, 4})) << "it is the last one";
  d.key(KeyName::home);
  d.key(query < 4 ? KeyName::right : KeyName::left);
  EXPECT_EQ(d.session.view.cell, (Cell{query < 4 ? query + 1 : query - 1, 0}));
  d.choose("neurons/head", "head 6");
  EXPECT_EQ(d.session.view.head, 6);
}

TEST(ArcsPanel, TheExportOffersTheViewThatIsShown) {
  Driver d(phrase("a b c d"));
  d.ctrl(KeyName::e);
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().choice.subject, ExportSubject::arcs);
  EXPECT_TRUE(d.has("export/what/neurons"));
  d.click("export/what/neurons");
  EXPECT_EQ(d.state.panels.get<ExportDialogState>().choice.subject, ExportSubject::neurons);
  EXPECT_TRUE(d.state.panels.get<ExportDialogState>().forecast.problem.empty());
}

TEST(ArcsPanel, LinesAreThoseOfTheShownWeights) {
  Driver d(phrase("a b c d"));
  d.session.draft.hide_tokens = HideTokens::first;
  d.step();
  EXPECT_TRUE(d.has("heads/shown"));
  EXPECT_TRUE(d.has("heads/query/3"));
  EXPECT_TRUE(d.has("heads/key/2"));
  EXPECT_FALSE(d.has("heads/key/3")) << "one column less";
  d.session.view.cell.reset();
  d.click("heads/query/2");
  EXPECT_FALSE(d.session.view.cell.has_value());
}

}  // namespace
}  // namespace headscope::ui
