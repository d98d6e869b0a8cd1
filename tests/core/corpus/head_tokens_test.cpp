// The tokens that rows point from and to, and the rows that are drawn, against plain loops over all weights.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/corpus/phrase_scan.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

constexpr const char* kTokensModel = "demo:induction";
constexpr int kLines = 14;

// Of one head.
struct Plain {
  std::map<std::uint64_t, std::uint64_t> queries, keys;
  std::uint64_t pointing = 0;
  std::array<std::vector<CorpusExample>, kDeciles> rows;
};

void add_plain(const Trace& layer, std::int64_t head, std::int64_t phrase, Plain& plain) {
  const Tensor& weights = layer.tensor(StageId::weights);
  const auto& ids = layer.inputs->token_ids;
  for (std::int64_t i = 1; i < static_cast<std::int64_t>(ids.size()); ++i) {  // row 0 sees one key
    CorpusExample row;
    row.phrase = phrase;
    row.query = i;
    for (std::int64_t j = 0; j <= i; ++j) {
      const float weight = weights.at({0, head, i, j});
      if (weight > row.value) {
        row.value = weight;
        row.key = j;
      }
    }
    plain.rows[std::min<std::size_t>(9, static_cast<std::size_t>(static_cast<double>(row.value) * 10))].push_back(row);
    if (row.value < 0.5F) continue;
    ++plain.pointing;
    ++plain.queries[static_cast<std::uint64_t>(ids[static_cast<std::size_t>(i)])];
    ++plain.keys[static_cast<std::uint64_t>(ids[static_cast<std::size_t>(row.key)])];
  }
}

void expect_counts(const TokenCounts& found, const std::map<std::uint64_t, std::uint64_t>& wanted) {
  ASSERT_EQ(found.all().size(), wanted.size());
  std::size_t at = 0;
  for (const auto& [token, rows] : wanted) EXPECT_EQ(found.all()[at++], (TokenCount{token, rows}));
}

TEST(HeadTokens, AreThoseOfPlainLoopsOverTheWeights) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(kLines));
  ScanOptions options;
  options.model = kTokensModel;
  options.threads = 1;
  PhraseScan scan(options, {});
  CorpusRecord record = scan.new_record(list);
  std::vector<Plain> plain(record.heads.size());
  EngineOptions whole_model;
  whole_model.whole_model = true;
  Engine engine(whole_model);
  list.visit({0, kLines}, [&](const ListedPhrase& phrase) {
    scan.add(phrase, record, {});
    if (phrase.blank || !phrase.problem.empty()) return;
    Request request;
    request.model = kTokensModel;
    request.phrase = phrase.text;
    const auto trace = engine.run(request, {});
    for (std::size_t h = 0; h < record.heads.size(); ++h) {
      const auto layer = static_cast<std::size_t>(record.heads[h].layer);
      add_plain(*trace->model->layers[layer], record.heads[h].head, phrase.index, plain[h]);
    }
    for (std::size_t k = 0; k < trace->inputs->tokens.size(); ++k) {
      const auto word = record.words.find(static_cast<std::uint64_t>(trace->inputs->token_ids[k]));
      EXPECT_TRUE(word == record.words.end() || word->second == trace->inputs->tokens[k]) << trace->inputs->tokens[k];
    }
  });
  for (std::size_t h = 0; h < plain.size(); ++h) {
    const HeadRecord& head = record.heads[h];
    EXPECT_EQ(head.pointing, plain[h].pointing);
    expect_counts(head.query_tokens, plain[h].queries);
    expect_counts(head.key_tokens, plain[h].keys);
    for (std::size_t d = 0; d < kDeciles; ++d) {
      std::vector<CorpusExample>& rows = plain[h].rows[d];
      std::sort(rows.begin(), rows.end(), is_drawn_before);
      rows.resize(std::min(rows.size(), kSamplesEach));
      ASSERT_EQ(head.samples[d].size(), rows.size());
      for (std::size_t k = 0; k < rows.size(); ++k) {
        rows[k].hash = head.samples[d][k].hash;
        EXPECT_EQ(head.samples[d][k], rows[k]) << "head " << h << ", tenth " << d;
      }
    }
  }
  EXPECT_FALSE(record.words.empty());
}

}  // namespace
}  // namespace headscope
