// Trees that are written, against what data_pipeline.py documents and against what was written.
#include "core/headvis/headvis_write.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/headvis/headvis_of_corpus.h"
#include "core/headvis/headvis_read.h"
#include "tests/core/corpus/made_records.h"
#include "tests/core/headvis/documented_tree.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& item : object.items()) keys.insert(item.key());
  return keys;
}

TEST(HeadVisWrite, ADocumentedTreeIsWrittenAsItWasRead) {
  const HeadVisConfig config = parse_headvis_config(test::documented_config(), "c");
  Json wanted = Json::parse(test::documented_config());
  wanted["has_umap"] = false;  // the clouds of points are not read
  wanted["umap_heads"] = Json::array();
  EXPECT_EQ(Json::parse(headvis_config_text(config)), wanted);
  const HeadVisHead head = parse_headvis_head(test::documented_head(), config, "h");
  Json file = Json::parse(test::documented_head());
  file["statistics"].erase("note");
  EXPECT_EQ(Json::parse(headvis_head_text(head)), file);
  const HeadVisTree tree{config, parse_headvis_scatter(test::documented_scatter(), config, "s")};
  const Json rows = Json::parse(headvis_scatter_text(tree));
  EXPECT_EQ(rows, Json::parse(R"([{"layer":0,"head":1,"induction_score":0.01,"logit_std":null},
                                  {"layer":2,"head":0,"induction_score":0.42,"logit_std":null}])"));
}

TEST(HeadVisWrite, AScanHasEveryKeyThatIsDocumented) {
  const CorpusRecord record = test::made_record(2, 30, {5, 20});
  const HeadVisTree tree = headvis_tree_of(record, false);
  const Json config = Json::parse(headvis_config_text(tree.config));
  for (const std::string& key : keys_of(Json::parse(test::documented_config()))) {
    EXPECT_EQ(config.at(key).type(), Json::parse(test::documented_config()).at(key).type()) << key;
  }
  for (const auto& metric : config.at("metrics")) EXPECT_TRUE(config.at("metric_descriptions").contains(metric));
  const Json head = Json::parse(headvis_head_text(headvis_head_of(record, 1, {})));
  for (const std::string& key : keys_of(Json::parse(test::documented_head()))) {
    EXPECT_TRUE(head.contains(key) || key == "histogram") << key;  // which is optional: we have others
  }
  for (const auto& plot : config.at("custom_plots")) {
    const Json& histogram = head.at(plot.at("key"));
    EXPECT_EQ(histogram.at("bin_edges").size(), histogram.at("bin_values").size() + 1) << plot;
  }
}

TEST(HeadVisWrite, AWrittenTreeIsReadBack) {
  const TemporaryFolder folder;
  const CorpusRecord record = test::made_record(2, 30, {0, 7});
  HeadVisTree tree = headvis_tree_of(record, true);
  tree.values[0][0] = std::nan("");
  HeadVisSequence sequence{"3", 10, {"a", " \"b\"\n", "\xc3\xa9"}, {0, 3, 8}, {1, 0.12345678, 0.5}, 0.5};
  const std::size_t files = write_headvis_tree(folder / "data", tree, [&](std::size_t head) {
    return headvis_head_of(record, head, {sequence, sequence});
  });
  EXPECT_EQ(files, record.heads.size() + 4);
  const HeadVisTree read = read_headvis_tree(folder / "data");
  EXPECT_EQ(read.config.heads, tree.config.heads);
  EXPECT_EQ(read.config.plots, tree.config.plots);
  EXPECT_EQ(read.config.tables, tree.config.tables);
  EXPECT_TRUE(std::isnan(read.values[0][0]));
  for (std::size_t k = 1; k < tree.config.metrics.size(); ++k) EXPECT_EQ(read.values[0][k], tree.values[0][k]) << k;
  const HeadVisHead head = read_headvis_head(folder / "data", read.config, 1, 1);
  ASSERT_EQ(head.sequences.size(), 2u);
  EXPECT_EQ(head.sequences[1].tokens, sequence.tokens);
  EXPECT_EQ(head.sequences[1].indices, sequence.indices);
  EXPECT_EQ(head.sequences[1].values, (std::vector<double>{1, 0.1235, 0.5}));
  const HeadVisHead made = headvis_head_of(record, 3, {sequence, sequence});
  EXPECT_EQ(head.plots, made.plots);
  EXPECT_EQ(head.statistics, made.statistics);
  EXPECT_EQ(bytes_of(folder / "data/server_config.json"), "{}\n");
  EXPECT_EQ(bytes_of(folder / "data/attributions/manifest.json"), "{}\n");
}

}  // namespace
}  // namespace headscope
