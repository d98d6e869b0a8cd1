#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/headvis/headvis_read.h"
#include "tests/core/headvis/documented_tree.h"

namespace headscope {
namespace {

HeadVisConfig config() {
  return parse_headvis_config(test::documented_config(), "config.json");
}

std::string head_refusal_of(const std::string& json) {
  try {
    parse_headvis_head(json, config(), "L0H1.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The documented file with one part of its text replaced.
std::string with(const std::string& part, const std::string& other) {
  std::string json = test::documented_head();
  const std::size_t found = json.find(part);
  EXPECT_NE(found, json.npos) << part;
  return json.replace(found, part.size(), other);
}

TEST(HeadVisHead, HasWhatTheDocumentationSays) {
  const HeadVisHead head = parse_headvis_head(test::documented_head(), config(), "L0H1.json");
  ASSERT_EQ(head.sequences.size(), 2u);
  const HeadVisSequence& first = head.sequences[0];
  EXPECT_EQ(first.id, "17");
  EXPECT_EQ(first.interval, 10);
  EXPECT_EQ(first.tokens, (std::vector<std::string>{"The", " cat", " sat"}));
  EXPECT_EQ(first.indices, (std::vector<std::int64_t>{0, 4, 7}));
  EXPECT_EQ(first.values, (std::vector<double>{1, 0.25, 0.625}));
  EXPECT_EQ(first.max_activation, 0.625);
  EXPECT_EQ(head.sequences[1].id, "c1f");
  EXPECT_EQ(head.plots.at("qk_distance_histogram"), (HeadVisHistogram{{0, 1, 2, 4}, {2, 1, 0}}));
  EXPECT_EQ(head.plots.at("histogram"), HeadVisHistogram());
  EXPECT_EQ(head.tables.at("top_query_tokens"), (std::vector<HeadVisToken>{{"The", 0.34}}));
  EXPECT_TRUE(head.tables.at("top_key_tokens").empty());
  EXPECT_EQ(head.statistics, (std::map<std::string, double>{{"mean_max_activation", 0.3}}));
}

TEST(HeadVisHead, IsRefusedByWhatIsWrongInIt) {
  EXPECT_EQ(head_refusal_of(test::documented_head()), "");
  for (const auto& [json, said] : std::vector<std::pair<std::string, std::string>>{
           {"{}", "sequences"},
           {"[]", "L0H1.json"},
           {with("\"interval\":10", "\"interval\":11"), "byte"},
           {with("\"interval\":10", "\"interval\":0"), "byte"},
           {with("[0,4,7]", "[0,4,9]"), "byte"},
           {with("[0,4,7]", "[0,4,-1]"), "byte"},
           {with("[0,4,7]", "[0,4]"), "2 attention_indices and 3 attention_values"},
           {with("\"seq_len\":3", "\"seq_len\":4"), "3 tokens whose seq_len is 4"},
           {with("[1.0,0.25,0.625]", "[1.0,0.25,null]"), "byte"},
           {with("\"tokens\":[\"The\"", "\"tokens\":[1"), "byte"},
           {with("\"sequence_id\":17,", ""), "sequence_id"},
           {with("\"bin_values\":[2,1,0]", "\"bin_values\":[2,1]"), "one edge more"},
           {with("[0,1,2,4]", "[0,2,1,4]"), "increase"},
           {with("\"bin_edges\":[0,1,2,4],", ""), "bin_edges"},
           {with("\"weight\":0.34", "\"weights\":0.34"), "weight"}}) {
    EXPECT_NE(head_refusal_of(json).find(said), std::string::npos) << json << ": " << head_refusal_of(json);
  }
}

}  // namespace
}  // namespace headscope
