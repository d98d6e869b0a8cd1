#include "core/headvis/headvis_read.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/core/headvis/documented_tree.h"

namespace headscope {
namespace {

std::string read_refusal_of(const std::string& scatter) {
  try {
    parse_headvis_scatter(scatter, parse_headvis_config(test::documented_config(), "c"), "scatter_data.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(HeadVisRead, AFolderOfItsOwnIsATree) {
  const TemporaryFolder folder;
  test::write_documented_tree(folder, "data");
  const HeadVisTree tree = read_headvis_tree(folder / "data");
  ASSERT_EQ(tree.values.size(), 2u);
  EXPECT_EQ(tree.values[0][0], 0.01);  // in the order of config.json
  EXPECT_EQ(tree.values[1][0], 0.42);
  EXPECT_TRUE(std::isnan(tree.values[0][1]) && std::isnan(tree.values[1][1]));
  for (const auto& [layer, head] : tree.config.heads) {
    EXPECT_EQ(read_headvis_head(folder / "data", tree.config, layer, head).sequences.size(), 2u);
  }
}

TEST(HeadVisRead, RowsOfMetricsAreRefusedByWhatIsWrongInThem) {
  for (const auto& [json, said] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "scatter_data.json"},
           {R"([{"layer":0,"head":0}])", "0.0, which config.json does not list"},
           {R"([{"layer":0,"head":1},{"layer":0,"head":1}])", "second row of head 0.1"},
           {R"([{"layer":0}])", "head"},
           {R"([{"layer":0,"head":1,"induction_score":"high"}])", "byte"},
           {R"([{"layer":0,"head":1,"induction_score":NaN}])", "byte"},
           {R"([{"layer":0,"head":1,"head":1}])", "twice"},
           {R"([[0,1]])", "byte"}}) {
    EXPECT_NE(read_refusal_of(json).find(said), std::string::npos) << json << ": " << read_refusal_of(json);
  }
  EXPECT_EQ(read_refusal_of("[]"), "");
}

TEST(HeadVisRead, AFileThatIsMissingOrAnotherIsNamed) {
  const TemporaryFolder folder;
  test::write_documented_tree(folder, "data");
  const HeadVisConfig config = read_headvis_tree(folder / "data").config;
  const auto says = [](const auto& read) -> std::string {
    try {
      read();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  folder.write("data/heads/L0H1.json", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_NE(says([&] { read_headvis_head(folder / "data", config, 0, 1); }).find("L0H1.json: is a Git LFS pointer"),
            std::string::npos);
  EXPECT_NE(says([&] { read_headvis_head(folder / "data", config, 5, 5); }).find("L5H5.json"), std::string::npos);
  folder.write("model/config.json", R"({"model_type":"gpt2"})");
  EXPECT_NE(says([&] { read_headvis_tree(folder / "model"); }).find("model_name"), std::string::npos);
}

}  // namespace
}  // namespace headscope
