#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/headvis/headvis_read.h"
#include "tests/core/headvis/documented_tree.h"

namespace headscope {
namespace {

std::string refusal_of(const std::string& json) {
  try {
    parse_headvis_config(json, "config.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(HeadVisConfig, HasWhatTheDocumentationSays) {
  const HeadVisConfig config = parse_headvis_config(test::documented_config(), "config.json");
  EXPECT_EQ(config.model, "gemma");
  EXPECT_EQ(config.heads, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {2, 0}}));
  EXPECT_EQ(config.layers, 3);
  EXPECT_EQ(config.heads_each, 2);
  EXPECT_EQ(config.intervals, 10);
  EXPECT_EQ(config.metrics, (std::vector<std::string>{"induction_score", "logit_std"}));
  EXPECT_EQ(config.descriptions.at("induction_score"), "prefix matching");
  EXPECT_EQ(config.plots, (std::vector<HeadVisLabel>{{"qk_distance_histogram", "Q-K distance"}}));
  EXPECT_EQ(config.tables, (std::vector<HeadVisLabel>{{"top_query_tokens", "Top query tokens"}}));
  EXPECT_EQ(config.statistics, (std::vector<HeadVisLabel>{{"mean_max_activation", "Mean max activation"}}));
  EXPECT_EQ(headvis_file_name(config.pattern, 2, 11), "L2H11.json");
}

TEST(HeadVisConfig, TakesWhatItsOwnFrontendNeedsAndNoMore) {
  const HeadVisConfig config =
      parse_headvis_config(R"({"model_name":"m","heads":[],"metrics":[],"more":{"a":[1]}})", "c");
  EXPECT_EQ(config.intervals, 10);
  EXPECT_EQ(config.pattern, "L{layer}H{head}.json");
}

TEST(HeadVisConfig, IsRefusedByWhatIsWrongInIt) {
  const auto with = [](const std::string& more) {
    return R"({"model_name":"m","heads":[[0,0]],"metrics":["a"])" + more;
  };
  for (const auto& [json, said] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "config.json"},
           {R"({"heads":[],"metrics":[]})", "model_name"},
           {R"({"model_name":"m","metrics":[]})", "heads"},
           {R"({"model_name":"m","heads":[[0,0],[0,0]],"metrics":[]})", "0.0 stands twice"},
           {R"({"model_name":"m","heads":[[0]],"metrics":[]})", "layer and head"},
           {R"({"model_name":"m","heads":[[0,0,0]],"metrics":[]})", "layer and head"},
           {R"({"model_name":"m","heads":[[0,-1]],"metrics":[]})", "byte"},
           {R"({"model_name":"m","heads":[],"metrics":["a","a"]})", "twice"},
           {R"({"model_name":"m","heads":[],"metrics":[1]})", "byte"},
           {with(R"(,"n_intervals":0})"), "byte"},
           {with(R"(,"custom_plots":[{"label":"x"}]})"), "key"},
           {with(R"(,"head_data_pattern":"../L{layer}H{head}"})"), "head_data_pattern"},
           {with(R"(,"head_data_pattern":"a/L{layer}H{head}"})"), "head_data_pattern"},
           {with(R"(,"head_data_pattern":".L{layer}H{head}"})"), "head_data_pattern"},
           {with(R"(,"head_data_pattern":"L{layer}H"})"), "head_data_pattern"},
           {with(R"(,"head_data_pattern":"L{layer}{layer}H{head}"})"), "head_data_pattern"},
           {with(R"(,"metrics":[]})"), "twice"}}) {
    EXPECT_NE(refusal_of(json).find(said), std::string::npos) << json << ": " << refusal_of(json);
  }
}

}  // namespace
}  // namespace headscope
