// What the corpus view shows, without the window.
#include "app/session/corpus_heads.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/corpus/head_tree.h"
#include "tests/app/session/corpus_files.h"

namespace headscope {
namespace {

CorpusContents contents() {
  CorpusContents made;
  made.record = std::make_shared<const CorpusRecord>(test::scanned_lines());
  made.table = std::make_shared<const HeadTable>(head_table(*made.record));
  return made;
}

TEST(CorpusHeads, TheTreeIsOfAllOfTheChosenOrOfALayer) {
  const CorpusContents of = contents();
  CorpusView view;
  EXPECT_EQ(clustered_of(view, *of.table).size(), 16U);
  view.clusters_of = ClustersOf::layer;
  view.head = Cell{1, 3};
  const std::vector<std::size_t> layer = clustered_of(view, *of.table);
  ASSERT_EQ(layer.size(), 8U);
  for (const std::size_t head : layer) EXPECT_EQ(of.table->heads[head].layer, 1);
  view.clusters_of = ClustersOf::chosen;
  view.chosen = {{0, 1}, {1, 2}, {5, 5}};
  EXPECT_EQ(clustered_of(view, *of.table), (std::vector<std::size_t>{*of.table->find(0, 1), *of.table->find(1, 2)}));
}

TEST(CorpusHeads, AFigureIsWhatTheViewShows) {
  const CorpusContents of = contents();
  CorpusView view;
  view.file = "/a/all.hsagg";
  view.x = "sink";
  view.head = Cell{1, 3};
  view.chosen = {{0, 1}};
  const CorpusFigure figure = corpus_figure(of, view);
  EXPECT_EQ(figure.title, "all.hsagg");
  EXPECT_EQ(figure.fact.substr(0, 37), "what 16 heads of demo:induction do ov");
  EXPECT_EQ(figure.x, "sink");
  EXPECT_EQ(figure.head, *of.table->find(1, 3));
  EXPECT_EQ(figure.chosen, (std::vector<std::size_t>{1}));
  EXPECT_TRUE(figure.cluster.empty());
  view.side = CorpusSide::tree;
  const CorpusFigure tree = corpus_figure(of, view);
  std::vector<std::size_t> all = clustered_of(view, *of.table);
  const std::vector<std::size_t> expected = clusters_at(head_tree(*of.table, all), view.cut);
  ASSERT_EQ(tree.cluster.size(), 16U);
  ASSERT_TRUE(tree.tree.has_value());
  EXPECT_EQ(tree.tree->cut, view.cut);
  EXPECT_EQ(tree.tree->tree->heads, all);
  EXPECT_FALSE(figure.tree.has_value());
  for (std::size_t head = 0; head < 16; ++head) {
    EXPECT_EQ(tree.cluster[head], static_cast<std::int64_t>(expected[head]));
  }
}

TEST(CorpusHeads, OnePhraseIsNoPhrases) {
  CorpusContents of = contents();
  CorpusRecord one = *of.record;
  one.phrases = 1;
  one.tokens = 1;
  one.heads.resize(1);
  of.record = std::make_shared<const CorpusRecord>(one);
  of.table = std::make_shared<const HeadTable>(head_table(one));
  EXPECT_EQ(corpus_fact(of).find("what 1 head of demo:induction does over 1 phrase, 1 token"), 0U) << corpus_fact(of);
}

}  // namespace
}  // namespace headscope
