// One head over a corpus: the heads like it, its pattern, its tokens, and rows of every tenth.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "tests/app/session/corpus_files.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class CorpusHead : public testing::Test {
 protected:
  CorpusHead() {
    d.drop(test::write_scanned(folder, "all", true, test::scanned_lines()));
    d.step(4);
  }
  CorpusView& view() { return d.session.view.corpus; }
  const HeadRecord& head() {
    const CorpusRecord& record = test::scanned_lines();
    return record.heads[*head_table(record).find(view().head->row, view().head->column)];
  }
  bool shows(const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }
  TemporaryFolder folder;
  Driver d;
};

TEST_F(CorpusHead, HeadsLikeThisOneAreListed) {
  d.click("corpus/cell/1.7");
  d.step();
  const HeadTable table = head_table(test::scanned_lines());
  const std::vector<SimilarHead> alike = heads_like(table, *table.find(1, 7), 8);
  EXPECT_EQ(d.names("corpus/alike/").size(), 8U);
  const HeadTable::Head& nearest = table.heads[alike.front().head];
  d.click("corpus/alike/" + std::to_string(nearest.layer) + "." + std::to_string(nearest.head));
  EXPECT_EQ(view().head, (Cell{nearest.layer, nearest.head}));
}

TEST_F(CorpusHead, ThePatternAndHeadsWithOneLikeItAreShown) {
  d.click("corpus/cell/1.7");
  d.step(2);
  EXPECT_TRUE(d.has("corpus/pattern"));
  const HeadTable table = head_table(test::scanned_lines());
  const std::vector<SimilarHead> alike = heads_like(table, *table.find(1, 7), 8, AlikeBy::pattern);
  EXPECT_EQ(d.names("corpus/alike_pattern/").size(), 8U);
  const HeadTable::Head& nearest = table.heads[alike.front().head];
  d.click("corpus/alike_pattern/" + std::to_string(nearest.layer) + "." + std::to_string(nearest.head));
  EXPECT_EQ(view().head, (Cell{nearest.layer, nearest.head}));
}

TEST_F(CorpusHead, TokensThatRowsComeFromAndPointAtAreListed) {
  d.click("corpus/cell/1.7");
  d.step(2);
  ASSERT_GT(head().pointing, 0U);
  EXPECT_TRUE(shows("Looks from"));
  EXPECT_TRUE(shows("Looks at"));
  EXPECT_TRUE(shows(std::to_string(head().pointing) + " rows give half or more to one key"));
  const TokenCount first = head().key_tokens.top(1).front();
  EXPECT_TRUE(shows(std::to_string(first.rows)));
}

TEST_F(CorpusHead, RowsOfEveryTenthAreExamplesToo) {
  d.click("corpus/cell/1.7");
  d.choose("corpus/examples_of", "by tenths");
  d.step(4);
  EXPECT_EQ(view().examples, ExamplesOf::tenths);
  std::size_t drawn = 0;
  for (const auto& rows : head().samples) drawn += rows.size();
  EXPECT_TRUE(shows(std::to_string(drawn) + " rows of 1.7 by chance"));
  d.click("corpus/example/0");
  d.key(KeyName::down);
  EXPECT_EQ(view().example, 1);
  const auto& last =
      *std::find_if(head().samples.rbegin(), head().samples.rend(), [](const auto& rows) { return !rows.empty(); });
  ASSERT_GE(last.size(), 2U);
  d.key(KeyName::enter);
  d.step(4);
  EXPECT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.view.cell, (Cell{last[1].query, last[1].key}));
  EXPECT_EQ(d.trace().tensor(StageId::weights).at({0, 7, last[1].query, last[1].key}), last[1].value);
}

// In a small window a chip still has room for its head and the cosine, and the titles of the examples for each other.
TEST(CorpusHeadNarrow, NoTextLiesOnAnother) {
  const TemporaryFolder folder;
  Driver d(1000, 700);
  d.drop(test::write_scanned(folder, "all", true, test::scanned_lines()));
  d.step(4);
  const std::vector<std::string> chips = d.names("corpus/alike/");
  ASSERT_EQ(chips.size(), 8U);
  for (const std::string& chip : chips) {
    const Rect box = d.rect(chip);
    std::vector<float> starts;
    const std::string name = chip.substr(chip.rfind('/') + 1);
    for (const DrawnText& text : d.texts) {
      if (box.contains({text.at.x, text.at.y + 6})) starts.push_back(text.at.x);
    }
    ASSERT_EQ(starts.size(), 2U) << chip;
    std::sort(starts.begin(), starts.end());
    EXPECT_GE(starts[1] - starts[0], 6.0f * static_cast<float>(name.size())) << chip;
  }
  const auto legend = d.names("corpus/legend: ");
  ASSERT_EQ(legend.size(), 1U);
  EXPECT_FALSE(std::any_of(d.texts.begin(), d.texts.end(), [&](const DrawnText& text) {
    return text.words == "weight" && d.rect(legend.front()).contains({text.at.x, text.at.y + 6});
  })) << "the title of the weights stands beside the legend";
}

}  // namespace
}  // namespace headscope::ui
