// Heads as a tree of clusters.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "tests/app/session/corpus_files.h"
#include "tests/app/ui/driver.h"

namespace headscope::ui {
namespace {

class CorpusTree : public testing::Test {
 protected:
  CorpusTree() {
    d.drop(test::write_scanned(folder, "all", true));
    d.step(4);
    d.click("corpus/side/clusters");
    d.step(3);
  }
  CorpusView& view() { return d.session.view.corpus; }
  HeadTree tree() {
    const HeadTable table = head_table(test::scanned_lines());
    std::vector<std::size_t> all(table.heads.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return head_tree(table, all);
  }
  std::size_t clusters() {
    const std::vector<std::size_t> numbers = clusters_at(tree(), view().cut);
    return std::set<std::size_t>(numbers.begin(), numbers.end()).size();
  }
  bool says(std::size_t count, std::size_t heads) {
    return !d.names("corpus/tree_fact: " + std::to_string(count) + " of " + std::to_string(heads) + " heads").empty();
  }
  TemporaryFolder folder;
  Driver d;
};

TEST_F(CorpusTree, ShowsALeafAHeadAndItsClusters) {
  EXPECT_EQ(d.names("corpus/leaf/").size(), 16U);
  EXPECT_TRUE(says(clusters(), 16)) << clusters();
  d.click("corpus/leaf/1.3", 0.9f);
  EXPECT_EQ(view().head, (Cell{1, 3}));
  d.step(2);
  const HeadTable table = head_table(test::scanned_lines());
  const std::string number = std::to_string(clusters_at(tree(), view().cut)[*table.find(1, 3)] + 1);
  const std::vector<std::string> readout = d.names("corpus/readout: 1.3 ");
  ASSERT_FALSE(readout.empty());
  EXPECT_TRUE(readout.front().ends_with("cluster " + number)) << readout.front();
}

TEST_F(CorpusTree, TheCutMovesByKeysAClusterAStep) {
  d.click("corpus/leaf/1.3", 0.9f);
  const std::size_t before = clusters();
  d.key(KeyName::right);
  d.step(2);
  EXPECT_EQ(clusters(), before + 1);
  EXPECT_TRUE(says(before + 1, 16));
  for (int k = 0; k < 30; ++k) d.key(KeyName::left);
  EXPECT_EQ(clusters(), 1U);
  for (int k = 0; k < 30; ++k) d.key(KeyName::right);
  EXPECT_EQ(clusters(), 16U);
}

TEST_F(CorpusTree, TheCutMovesByMouse) {
  const Rect axis = d.rect("corpus/cut");
  d.move({axis.min.x + 40, axis.center().y});
  d.button(0, true);
  const double first = view().cut;
  d.move({axis.min.x + 90, axis.center().y});
  d.step(1);
  EXPECT_LT(view().cut, first) << "to the right heads are nearer";
  const double second = view().cut;
  d.button(0, false);
  d.move({axis.min.x + 60, axis.center().y});
  d.step(2);
  EXPECT_EQ(view().cut, second) << "let go";
}

TEST_F(CorpusTree, AClusterIsChosen) {
  d.click("corpus/leaf/1.3", 0.9f);
  d.key(KeyName::enter);
  const HeadTable table = head_table(test::scanned_lines());
  const std::vector<std::size_t> numbers = clusters_at(tree(), view().cut);
  std::vector<LayerHead> expected;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k] == numbers[*table.find(1, 3)]) expected.push_back({table.heads[k].layer, table.heads[k].head});
  }
  EXPECT_EQ(view().chosen, expected);
  EXPECT_EQ(view().side, CorpusSide::tree) << "the tree stays";
}

TEST_F(CorpusTree, IsOfALayerOrOfTheChosenToo) {
  d.click("corpus/leaf/1.3", 0.9f);
  d.choose("corpus/clusters_of", "layer 1");
  d.step(3);
  EXPECT_EQ(d.names("corpus/leaf/1.").size(), 8U);
  EXPECT_TRUE(d.names("corpus/leaf/0.").empty());
  d.choose("corpus/clusters_of", "0 chosen");
  d.step(3);
  EXPECT_FALSE(d.names("corpus/tree_says: A tree needs two heads").empty());
  view().chosen = {{0, 1}, {0, 2}, {1, 7}};
  d.step(3);
  EXPECT_EQ(d.names("corpus/leaf/").size(), 3U);
}

}  // namespace
}  // namespace headscope::ui
