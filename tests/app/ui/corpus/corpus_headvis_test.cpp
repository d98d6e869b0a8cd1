// The folder that HeadVis shows, in the window.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/session/session.h"
#include "app/session/state_json.h"
#include "app/ui/corpus/corpus_panel.h"
#include "core/corpus/phrase_scan.h"
#include "core/headvis/headvis_of_corpus.h"
#include "core/headvis/headvis_sequences.h"
#include "core/headvis/headvis_write.h"
#include "tests/app/ui/driver.h"
#include "tests/core/headvis/documented_tree.h"

namespace headscope::ui {
namespace {

class CorpusHeadVis : public testing::Test {
 protected:
  CorpusHeadVis() {
    test::write_documented_tree(folder, "data");
    d.drop(folder / "data");
    d.step(4);
  }
  CorpusView& view() { return d.session.view.corpus; }
  bool shows(const std::string& words) {
    return std::any_of(d.texts.begin(), d.texts.end(),
                       [&](const DrawnText& text) { return text.words.find(words) != std::string::npos; });
  }
  TemporaryFolder folder;
  Driver d;
};

TEST_F(CorpusHeadVis, ADroppedFolderShowsItsHeadsByItsMetrics) {
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  EXPECT_EQ(d.names("corpus/cell/").size(), 2U);
  EXPECT_FALSE(d.names("corpus/fact: 2 heads of gemma, from a folder that HeadVis shows: no counts").empty())
      << "what it lacks is said";
  d.choose("corpus/grid_metric", "logit std");
  EXPECT_EQ(view().grid, "logit_std") << "a metric of its own";
  EXPECT_EQ(view().x, "induction") << "its induction_score is ours; it has no distance";
  EXPECT_EQ(view().y, "logit_std");
  EXPECT_EQ(parse_view_state(view_state_json(d.session.view)).corpus, view());
}

TEST_F(CorpusHeadVis, AHeadHasItsPlotsTablesAndSequences) {
  d.click("corpus/cell/2.0");
  d.step(3);
  EXPECT_TRUE(d.has("corpus/histogram/Q-K distance"));
  EXPECT_TRUE(shows("Top query tokens"));
  EXPECT_TRUE(shows("The"));
  EXPECT_EQ(d.names("corpus/example/").size(), 2U);
  EXPECT_TRUE(shows("0.6250")) << "the largest weight behind the first token: sat to cat";
  EXPECT_TRUE(shows("query 2 \u00b7 key 1"));
  // The folder's weights of that row are painted: one of 0.625, on cat; of the first and third token it has none.
  const std::vector<ExampleLine>& lines = d.state.panels.get<CorpusPanelState>().lines.lines;
  ASSERT_EQ(lines.size(), 2U);
  std::vector<float> weights;
  for (const ExampleLine::Piece& piece : lines[0].pieces) weights.push_back(piece.weight);
  EXPECT_EQ(weights, (std::vector<float>{-1, 0.625F, -1}));
  EXPECT_FALSE(d.names("corpus/legend: query framed, its row painted by weight").empty());
  d.click("corpus/open");
  d.step(2);
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  const auto notice = std::find_if(d.state.notices.begin(), d.state.notices.end(),
                                   [](const Notice& each) { return each.key == "corpus/example"; });
  ASSERT_NE(notice, d.state.notices.end());
  EXPECT_NE(notice->advice.find("open the model first, gemma"), std::string::npos) << notice->advice;
  EXPECT_EQ(notice->button, "");
}

constexpr const char* kScannedModel = "demo:pronouns";

// As `report` writes it, with the words of its phrases.
CorpusRecord write_scanned_tree(const TemporaryFolder& folder) {
  const PhraseList list = PhraseList::of_text("the cat sat because it was tired\nthe dog ran because it was late\n");
  ScanOptions options;
  options.model = kScannedModel;
  PhraseScan scan(options, {});
  CorpusRecord record = scan.new_record(list);
  list.visit({0, 2}, [&](const ListedPhrase& phrase) { scan.add(phrase, record, {}); });
  PhraseModel model(options.model, 1, {});
  const auto sequences = headvis_sequences(record, model, list, {}, {});
  write_headvis_tree(folder / "data", headvis_tree_of(record, true),
                     [&](std::size_t head) { return headvis_head_of(record, head, sequences.of(head)); });
  return record;
}

// Its phrases open on the model that it names.
TEST(CorpusHeadVisOpens, ASequenceOnAModelThatHasItsHeads) {
  const TemporaryFolder folder;
  const CorpusRecord record = write_scanned_tree(folder);
  PhraseModel model(kScannedModel, 1, {});
  Driver d;
  d.drop(folder / "data");
  d.step(4);
  d.click("corpus/cell/1.7");
  d.step(4);
  ASSERT_GE(d.names("corpus/example/").size(), 3U) << "two phrases, and rows of tenths";
  const CorpusExample& wanted = record.heads[*head_table(record).find(1, 7)].top[0];
  d.click("corpus/open");
  d.step(4);
  ASSERT_EQ(d.session.view.main_view, MainView::layer);
  EXPECT_EQ(d.session.draft.model, "demo:pronouns");
  EXPECT_EQ(d.session.draft.layer, 1);
  EXPECT_EQ(d.session.view.head, 7);
  EXPECT_EQ(d.session.draft.token_ids.size(),
            model.tokenizer().tokenize("the cat sat because it was tired").ids.size());
  ASSERT_TRUE(d.session.view.cell.has_value());
  const float weight =
      d.session.trace()->tensor(StageId::weights).at({0, 7, d.session.view.cell->row, d.session.view.cell->column});
  EXPECT_NEAR(weight, wanted.value, 0.6) << "a weight of this head";
  EXPECT_TRUE(std::any_of(d.state.notices.begin(), d.state.notices.end(), [](const Notice& each) {
    return each.key == "opened sequence" && each.fact.find("demo:pronouns") != std::string::npos;
  })) << "that nothing says whether it is the same model";
}

// Every word of a row has its weight, as an engine computes it: here 0.005 and more, with four decimals.
TEST(CorpusHeadVisOpens, TheWholeRowIsPainted) {
  const TemporaryFolder folder;
  write_scanned_tree(folder);
  Driver d;
  d.drop(folder / "data");
  d.step(4);
  d.click("corpus/cell/1.7");
  d.step(4);
  const CorpusPanelState& state = d.state.panels.get<CorpusPanelState>();
  ASSERT_FALSE(state.headvis.rows.empty());
  for (std::size_t k = 0; k < state.headvis.rows.size(); ++k) {
    double sum = 0, largest = 0;
    for (const TokenWeight& each : state.headvis.rows[k]) {
      sum += static_cast<double>(each.weight);
      if (each.token > 0) largest = std::max(largest, static_cast<double>(each.weight));
    }
    EXPECT_TRUE(sum > 0.9 && sum < 1.001) << sum << ": weights of one row";
    EXPECT_LE(largest, static_cast<double>(state.headvis.examples[k].value));
  }
  std::ptrdiff_t most = 0;
  for (const ExampleLine& line : state.lines.lines) {
    most = std::max(most, std::count_if(line.pieces.begin(), line.pieces.end(),
                                        [](const ExampleLine::Piece& piece) { return piece.weight >= 0; }));
  }
  EXPECT_GE(most, 2) << "more words than the key alone";
}

TEST_F(CorpusHeadVis, AHeadWhoseFileIsMissingIsNamed) {
  std::filesystem::remove(folder / "data/heads/L2H0.json");
  d.click("corpus/cell/2.0");
  d.step(3);
  const auto says = d.names("corpus/headvis_says: ");
  ASSERT_FALSE(says.empty());
  EXPECT_NE(says.front().find("L2H0.json"), std::string::npos) << says.front();
  EXPECT_EQ(d.names("corpus/cell/").size(), 2U) << "the others are shown";
}

TEST_F(CorpusHeadVis, ItsTableIsCopiedAndItsHeadsAreFound) {
  d.click("corpus/copy");
  d.step(2);
  EXPECT_EQ(d.clipboard, "layer,head,induction,logit_std\n0,1,0.01,nan\n2,0,0.42,nan\n");
  d.click(kCorpusFind);
  d.type("induction > .1");
  d.step(2);
  EXPECT_EQ(view().chosen, (std::vector<LayerHead>{{2, 0}}));
}

}  // namespace
}  // namespace headscope::ui
