// `report` to and from the folder that HeadVis shows, as a user calls it.
#include <algorithm>
#include <filesystem>

#include "tests/app/cli/command.h"
#include "tests/core/corpus/made_records.h"
#include "tests/core/headvis/documented_tree.h"

namespace headscope {
namespace {

class HeadVis : public CommandTest {
 protected:
  HeadVis() {
    folder_.write("p.txt", test::demo_lines(12));
    const Result result =
        cli({"scan", "--model", "demo:induction", "--phrases", "p.txt", "--layers", "1", "--out", "x.hsagg"});
    EXPECT_EQ(result.code, 0) << result.err;
  }
  nlohmann::json json(const std::string& name) const { return nlohmann::json::parse(bytes_of(folder_ / name)); }
};

TEST_F(HeadVis, WithoutPhrasesItHasTheNumbersOfTheReport) {
  const Result result = cli({"report", "x.hsagg", "--format", "headvis", "--out", "data"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("--phrases"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("written to data: 12 files"), std::string::npos) << result.out;
  const auto report = nlohmann::json::parse(cli({"report", "x.hsagg", "--json"}).out);
  const auto rows = json("data/scatter_data.json");
  ASSERT_EQ(rows.size(), 8u);
  for (std::size_t h = 0; h < 8; ++h) {
    EXPECT_EQ(rows[h].at("layer"), 1);
    EXPECT_EQ(rows[h].at("self_attention_score"), report.at("heads")[h].at("self"));
    EXPECT_EQ(rows[h].at("induction_score"), report.at("heads")[h].at("induction"));
  }
  EXPECT_EQ(json("data/config.json").at("model_name"), "demo:induction");
  const auto head = json("data/heads/L1H7.json");
  EXPECT_TRUE(head.at("sequences").empty());
  EXPECT_TRUE(head.at("qk_distance_histogram").empty());
  const auto& counted = report.at("heads")[7].at("key_tokens");
  ASSERT_FALSE(counted.empty());
  EXPECT_EQ(head.at("top_key_tokens")[0].at("token"), counted[0].at("token"));
  EXPECT_EQ(head.at("top_key_tokens")[0].at("weight"), counted[0].at("rows"));
  const auto read = nlohmann::json::parse(cli({"report", "data", "--json"}).out);
  EXPECT_EQ(read.at("heads")[7].at("tables").at("top_key_tokens"), head.at("top_key_tokens"));
}

TEST_F(HeadVis, WithPhrasesTheExamplesStandInItAndItIsReadBack) {
  const Result result = cli({"report", "x.hsagg", "--format", "headvis", "--phrases", "p.txt", "--out", "data"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto report = nlohmann::json::parse(cli({"report", "x.hsagg", "--json"}).out);
  const auto head = json("data/heads/L1H3.json");
  const auto& top = report.at("heads")[3].at("top");
  std::size_t drawn = 0;
  for (const auto& tenth : report.at("heads")[3].at("samples")) drawn += tenth.at("rows").size();
  EXPECT_GT(drawn, 0U);
  ASSERT_EQ(head.at("sequences").size(), top.size() + drawn);
  for (std::size_t k = 0; k < top.size(); ++k) {
    const auto& sequence = head.at("sequences")[k];
    EXPECT_EQ(sequence.at("sequence_id"), top[k].at("phrase"));
    const auto at = top[k].at("query").get<std::int64_t>() * sequence.at("seq_len").get<std::int64_t>() +
                    top[k].at("key").get<std::int64_t>();
    bool found = false;
    for (std::size_t n = 0; n < sequence.at("attention_indices").size(); ++n) {
      if (sequence.at("attention_indices")[n] != at) continue;
      found = true;
      const double difference = sequence.at("attention_values")[n].get<double>() - top[k].at("value").get<double>();
      EXPECT_TRUE(std::abs(difference) <= 5.1e-5) << difference;
    }
    EXPECT_TRUE(found) << k;
  }
  const Result read = cli({"report", "data", "--json"});
  ASSERT_EQ(read.code, 0) << read.err;
  const auto tree = nlohmann::json::parse(read.out);
  EXPECT_EQ(tree.at("format"), "headvis");
  ASSERT_EQ(tree.at("heads").size(), 8u);
  EXPECT_EQ(tree.at("heads")[3].at("sequences"), top.size() + drawn);
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    const std::size_t strongest = tenth == 9 ? top.size() : 0;
    EXPECT_EQ(tree.at("heads")[3].at("intervals")[tenth],
              strongest + report.at("heads")[3].at("samples")[tenth].at("rows").size());
  }
  EXPECT_EQ(tree.at("heads")[3].at("metrics").at("induction_score"), report.at("heads")[3].at("induction"));
  EXPECT_EQ(tree.at("heads")[3].at("tables").at("top_key_tokens").size(), head.at("top_key_tokens").size());
  const Result table = cli({"report", "data"});
  EXPECT_NE(table.out.find("demo:induction: 8 heads of a HeadVis tree"), std::string::npos) << table.out;
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 11) << table.out;
}

TEST_F(HeadVis, ADocumentedTreeIsShown) {
  test::write_documented_tree(folder_, "theirs");
  const Result table = cli({"report", "theirs"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("gemma: 2 heads of a HeadVis tree, 10 intervals"), std::string::npos) << table.out;
  const auto tree = nlohmann::json::parse(cli({"report", "theirs", "--json"}).out);
  EXPECT_EQ(tree.at("heads")[1].at("metrics").at("logit_std"), "nan");
  EXPECT_EQ(tree.at("heads")[1].at("max_activation"), 0.625);
  EXPECT_EQ(tree.at("heads")[1].at("longest"), 3);
  EXPECT_EQ(tree.at("heads")[1].at("statistics").at("mean_max_activation"), 0.3);
  ASSERT_EQ(cli({"report", "theirs", "--format", "csv", "--out", "tables"}).out, "written to tables: heads.csv\n");
  EXPECT_EQ(bytes_of(folder_ / "tables/heads.csv"), "layer,head,induction,logit_std\n0,1,0.01,nan\n2,0,0.42,nan\n");
  folder_.write("theirs/heads/L2H0.json", "{\"sequences\": 1}");
  expect_refused(cli({"report", "theirs", "--json"}), 3, {"L2H0.json"});
  std::filesystem::remove(folder_ / "theirs/heads/L2H0.json");
  EXPECT_EQ(cli({"report", "theirs"}).out, table.out) << "no file of a head is needed for the table";
  expect_refused(cli({"report", "theirs", "--json"}), 3, {"L2H0.json"});
}

TEST_F(HeadVis, WhatItCannotDoIsRefused) {
  const auto refused = [&](std::vector<std::string> words, int code, const std::vector<std::string>& parts) {
    words.insert(words.begin(), "report");
    expect_refused(cli(words), code, parts);
  };
  refused({"x.hsagg", "--format", "headvis"}, 2, {"--format", "--out"});
  refused({"x.hsagg", "--format", "html", "--out", "d"}, 2, {"--format", "html", "headvis"});
  refused({"x.hsagg", "--phrases", "p.txt"}, 2, {"--phrases", "--format headvis"});
  refused({"x.hsagg", "--format", "headvis", "--out", "d", "--model", "demo:induction"}, 2, {"--model", "--phrases"});
  refused({"x.hsagg", "--format", "headvis", "--out", "d", "--phrases", "p.txt", "--model", "demo:pronouns"}, 2,
          {"--model", "demo:pronouns"});
  folder_.write("q.txt", "cat box\n");
  refused({"x.hsagg", "--format", "headvis", "--out", "d", "--phrases", "q.txt"}, 2, {"--phrases", "sha256"});
  refused({".", "--format", "headvis", "--out", "d"}, 2, {"--format", "HeadVis tree", "csv"});
  refused({".", "--format", "csv", "--head", "0.1", "--out", "d"}, 2, {"--head"});
  refused({".", "--format", "csv", "--out", "d"}, 3, {"config.json"});
  refused({"."}, 3, {"config.json"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "d"));
}

}  // namespace
}  // namespace headscope
