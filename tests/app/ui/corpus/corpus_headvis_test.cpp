// The folder that HeadVis shows, in the window.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/session/session.h"
#include "app/session/state_json.h"
#include "app/ui/corpus/corpus_panel.h"
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
  d.click("corpus/open");
  d.step(2);
  EXPECT_EQ(d.session.view.main_view, MainView::corpus);
  const auto notice = std::find_if(d.state.notices.begin(), d.state.notices.end(),
                                   [](const Notice& each) { return each.key == "corpus/example"; });
  ASSERT_NE(notice, d.state.notices.end());
  EXPECT_NE(notice->advice.find("opens none in the microscope"), std::string::npos);
  EXPECT_EQ(notice->button, "");
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
