// 36,000 heads, the size of what is published for 37 models: work is counted, not timed.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "tests/app/ui/driver.h"
#include "tests/core/corpus/made_records.h"

namespace headscope::ui {
namespace {

constexpr std::int64_t kLayers = 300, kHeadsEach = 120;
constexpr std::size_t kHeads = 36'000;
constexpr int kMostCells = 8'000;  // of the grid in sight, at 6 pixels each

CorpusRecord large_record() {
  CorpusRecord record = test::empty_record(0, 1);
  std::mt19937 draw(7);
  record.heads.reserve(kHeads);
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    for (std::int64_t head = 0; head < kHeadsEach; ++head) {
      CorpusRow row;
      for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
        row.values[k] = static_cast<double>(draw()) / static_cast<double>(std::mt19937::max());
        row.defined[k] = true;
      }
      record.heads.emplace_back(layer, head).add(row);
    }
  }
  return record;
}

Document large_document() {
  Document document = demo_document();
  document.view.main_view = MainView::corpus;
  document.view.corpus.file = "large.hsagg";
  return document;
}

// The file is not read: its answer is put where the panel keeps the last one, and no work is done.
CorpusPanelState& show_large(Driver& d) {
  CorpusContents contents;
  contents.record = std::make_shared<const CorpusRecord>(large_record());
  contents.table = std::make_shared<const HeadTable>(head_table(*contents.record));
  CorpusPanelState& state = d.state.panels.get<CorpusPanelState>();
  state.last = std::make_shared<const Corpora::Result>(Corpora::Result{{"large.hsagg"}, contents, "", true});
  d.step(3);
  return state;
}

TEST(CorpusSize, AFrameDrawsWhatIsInSightAndLaysOutNothing) {
  Driver d(large_document(), 1600, 1000, 1, {}, std::make_unique<ManualExecutor>());
  CorpusPanelState& state = show_large(d);
  ASSERT_TRUE(d.has(kCorpusScatter));
  EXPECT_EQ(state.plots_made, 1);
  EXPECT_EQ(state.plot.points.points.size() + state.plot.points.covered, kHeads);
  EXPECT_LT(state.cells_drawn, kMostCells);
  EXPECT_GT(state.cells_drawn, 0);
  // Four corners a point, and not many times more for all the rest.
  EXPECT_LT(ImGui::GetDrawData()->TotalVtxCount, 4 * state.points_drawn + 60'000);
  const Rect plot = d.rect(kCorpusScatter);
  for (int k = 1; k < 5; ++k) {
    d.move({plot.min.x + static_cast<float>(k) * 20, plot.center().y});
    d.step();
  }
  d.key(KeyName::down);
  d.step(3);
  EXPECT_EQ(state.plots_made, 1) << "the mouse and another head move no point";
  EXPECT_EQ(state.names.names.size(), 1U) << "of so many the picked head alone is named";
  EXPECT_EQ(state.names_made, 1) << "placed once, not in every frame";
  d.session.view.corpus.head = Cell{kLayers - 1, kHeadsEach - 1};
  d.step(3);
  EXPECT_TRUE(d.has("corpus/cell/299.119")) << "the grid scrolls to the picked head";
  EXPECT_EQ(state.names_made, 2) << "placed again for another head";
  EXPECT_LT(state.cells_drawn, kMostCells);
}

TEST(CorpusSize, AllHeadsChosenAreFourCornersEach) {
  Driver d(large_document(), 1600, 1000, 1, {}, std::make_unique<ManualExecutor>());
  CorpusPanelState& state = show_large(d);
  d.click(kCorpusFind);
  d.type("*.*");
  d.step(3);
  EXPECT_EQ(d.session.view.corpus.chosen.size(), kHeads);
  EXPECT_EQ(state.chosen.heads.size(), kHeads);
  EXPECT_EQ(state.plots_made, 1);
  EXPECT_LT(d.names("corpus/listed/").size(), 100U) << "only the lines in sight";
  // Two squares a point and two marks a cell.
  EXPECT_LT(ImGui::GetDrawData()->TotalVtxCount, 8 * state.points_drawn + 8 * state.cells_drawn + 60'000);
  d.key(KeyName::escape);
  d.step(2);
  EXPECT_TRUE(d.session.view.corpus.chosen.empty());
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
}

TEST(CorpusSize, ATreeOfAllIsRefusedPlainly) {
  Driver d(large_document(), 1600, 1000, 1, {}, std::make_unique<ManualExecutor>());
  show_large(d);
  d.click("corpus/side/clusters");
  d.step(3);
  EXPECT_FALSE(d.names("corpus/tree_says: 36000 heads are more than the 1024").empty());
}

}  // namespace
}  // namespace headscope::ui
