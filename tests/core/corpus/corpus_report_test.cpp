#include "core/corpus/corpus_report.h"

#include <algorithm>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/corpus/head_mean.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

TEST(CorpusReport, AsJsonHasTheContractsKeys) {
  const CorpusRecord record = test::made_record(2, 30, {5, 20});
  const auto json = corpus_json(record);
  EXPECT_EQ(json.at("model"), "demo:made");
  EXPECT_EQ(json.at("sha256"), record.facts.sha256);
  EXPECT_EQ(json.at("architecture"), record.facts.architecture);
  EXPECT_EQ(json.at("phrases"), 15);
  EXPECT_EQ(json.at("tokens"), record.tokens);
  EXPECT_EQ(json.at("list").at("missing"), "0:5,20:30");
  ASSERT_EQ(json.at("heads").size(), 4u);
  const auto& head = json.at("heads")[3];
  EXPECT_EQ(head.at("layer"), 1);
  EXPECT_EQ(head.at("head"), 1);
  for (const char* key : {"entropy", "distance", "previous", "next", "first", "self", "duplicate", "induction",
                          "copying", "sink", "max_weight"}) {
    EXPECT_TRUE(head.at(key).is_number()) << key;
  }
  for (const char* key : {"entropy", "distance", "first", "self", "max_weight"}) {
    const auto& histogram = head.at("histograms").at(key);
    EXPECT_EQ(histogram.at("edges").size(), histogram.at("counts").size() + 1) << key;
  }
  EXPECT_EQ(head.at("top").size(), 15u);
  const HeadRecord& of = record.heads[3];
  EXPECT_EQ(head.at("pointing"), of.pointing);
  for (const char* side : {"query_tokens", "key_tokens"}) {
    ASSERT_FALSE(head.at(side).empty());
    EXPECT_LE(head.at(side).size(), 20u);
    for (const auto& token : head.at(side)) {
      EXPECT_EQ(token.at("token"), "w" + std::to_string(token.at("id").get<int>()));
    }
    EXPECT_GE(head.at(side)[0].at("rows"), head.at(side).back().at("rows"));
  }
  EXPECT_EQ(json.at("repeated"), 5);
  EXPECT_EQ(json.at("ablation_sample"), 7);
  EXPECT_EQ(json.at("loss").at("tokens"), record.loss_tokens);
  EXPECT_EQ(json.at("loss").at("mean"), record.loss.value() / static_cast<double>(record.loss_tokens));
  EXPECT_EQ(json.at("phrase_loss").at("tokens"), record.phrase_loss_tokens);
  EXPECT_EQ(json.at("phrase_loss").at("mean"), mean_phrase_loss(record));
  ASSERT_EQ(head.at("pattern").size(), kPatternParts);
  EXPECT_EQ(head.at("pattern")[0][0], of.pattern.mean(0, 0));
  EXPECT_EQ(head.at("loss_ablated"), of.ablated_loss.value() / static_cast<double>(record.loss_tokens));
  EXPECT_EQ(head.at("repeated").at("rows"), of.repeated.rows);
  EXPECT_EQ(head.at("repeated").at("duplicate"), of.repeated.mean(2));
  ASSERT_EQ(head.at("samples").size(), kDeciles);
  EXPECT_EQ(head.at("samples")[3].at("low"), 0.3);
  EXPECT_EQ(head.at("samples")[9].at("high"), 1.0);
  EXPECT_EQ(head.at("samples")[9].at("rows").size(), of.samples[9].size());
  EXPECT_EQ(head.at("top")[0].at("value"), 0.75);
  CorpusRecord none = test::empty_record(1, 3);
  none.facts.repeated = none.facts.ablation_sample = 0;
  EXPECT_EQ(corpus_json(none).at("heads")[0].at("entropy"), "nan");
  EXPECT_TRUE(corpus_json(none).at("heads")[0].at("repeated").is_null());
  EXPECT_TRUE(corpus_json(none).at("heads")[0].at("loss_ablated").is_null());
  EXPECT_TRUE(corpus_json(none).at("loss").is_null());
}

TEST(CorpusReport, TheTableOfHeadsHasTheLossOfAllPhrasesWhereItWasAskedFor) {
  CorpusRecord record = test::made_record(1, 30, {0, 2});
  ASSERT_TRUE(record.facts.phrase_loss);
  const auto column = [](const std::string& table, std::size_t line) {
    std::istringstream text(table);
    std::string row;
    for (std::size_t k = 0; k <= line; ++k) std::getline(text, row);
    return row.substr(row.rfind(',') + 1);
  };
  EXPECT_EQ(column(heads_csv(record), 0), "phrase_loss");
  EXPECT_EQ(std::stod(column(heads_csv(record), 1)), corpus_json(record).at("phrase_loss").at("mean").get<double>());
  record.facts.phrase_loss = false;
  EXPECT_EQ(heads_csv(record).find("phrase_loss"), std::string::npos);
}

TEST(CorpusReport, AsTablesHasTheSameNumbers) {
  const TemporaryFolder folder;
  const CorpusRecord record = test::made_record(1, 30, {0, 2});
  EXPECT_EQ(write_corpus_tables(folder / "t", record).size(), 6u);
  const std::string heads = bytes_of(folder / "t/heads.csv");
  EXPECT_EQ(heads_csv(record), heads);
  EXPECT_TRUE(heads.starts_with("layer,head,rows,entropy,distance,previous,")) << heads;
  EXPECT_NE(
      heads.find(
          ",max_weight,repeated_rows,repeated_previous,repeated_next,repeated_duplicate,repeated_induction,loss,"),
      heads.npos);
  EXPECT_EQ(std::count(heads.begin(), heads.end(), '\n'), 3);
  EXPECT_EQ(bytes_of(folder / "t/histograms.csv").find("layer,head,metric,low,high,rows\n0,0,entropy,0,0.25,"), 0u);
  EXPECT_EQ(bytes_of(folder / "t/samples.csv").find("layer,head,low,high,value,phrase,query,key,hash\n0,0,0"), 0u);
  const std::string patterns = bytes_of(folder / "t/patterns.csv");
  EXPECT_EQ(std::count(patterns.begin(), patterns.end(), '\n'), 1 + 2 * 64);
  EXPECT_EQ(patterns.find("layer,head,query_part,key_part,rows,weight\n0,0,0,0,"), 0u);
  EXPECT_EQ(bytes_of(folder / "t/tokens.csv").find("layer,head,side,rank,token,id,rows\n0,0,query,0,w"), 0u);
  EXPECT_EQ(bytes_of(folder / "t/top.csv").find("layer,head,rank,value,phrase,query,key,hash\n0,0,0,"), 0u);
}

}  // namespace
}  // namespace headscope
