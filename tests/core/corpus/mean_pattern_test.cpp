// A head's mean pattern against plain sums over the cells of each part.
#include "core/corpus/mean_pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/attention/engine.h"
#include "core/corpus/phrase_scan.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

TEST(MeanPattern, PartsCoverAPhraseInOrder) {
  for (const std::int64_t n : {1, 2, 7, 8, 9, 100, 1025}) {
    std::size_t last = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::size_t part = pattern_part(i, n);
      EXPECT_GE(part, last);
      EXPECT_EQ(part, static_cast<std::size_t>(std::floor(8.0 * static_cast<double>(i) / static_cast<double>(n))));
      last = part;
    }
    EXPECT_EQ(pattern_part(0, n), 0U);
    EXPECT_EQ(last, n >= 8 ? 7U : static_cast<std::size_t>(8 * (n - 1) / n));
  }
}

TEST(MeanPattern, HoldsTheMeanOfEachPart) {
  std::mt19937 draw(5);
  MeanPattern pattern;
  double wanted[8][8] = {}, rows[8] = {};
  for (const auto& [queries, keys] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {5, 3}, {8, 8}, {23, 40}}) {
    for (std::int64_t i = 0; i < queries; ++i) {
      std::vector<float> w(static_cast<std::size_t>(keys));
      for (float& weight : w) weight = static_cast<float>(draw() % 1000) / 1000;
      pattern.add_row(i, queries, w);
      const std::int64_t query = 8 * i / queries;
      rows[query] += 1;
      for (std::int64_t j = 0; j < keys; ++j) wanted[query][8 * j / keys] += static_cast<double>(w[j]);
    }
  }
  for (std::size_t query = 0; query < 8; ++query) {
    EXPECT_EQ(pattern.rows[query], static_cast<std::uint64_t>(rows[query]));
    for (std::size_t key = 0; key < 8; ++key) {
      EXPECT_NEAR(pattern.mean(query, key), wanted[query][key] / rows[query], 1e-10) << query << " " << key;
    }
  }
  MeanPattern none;
  none.add_row(0, 1, std::vector<float>{1});
  EXPECT_TRUE(std::isnan(none.mean(7, 0)));
  EXPECT_EQ(none.mean(0, 0), 1);
}

// Of a scan, against the weights that `run` has for each of its phrases.
TEST(MeanPattern, OfAScanIsThatOfItsRuns) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(9));
  ScanOptions options;
  options.model = "demo:induction";
  options.most_tokens = 64;
  PhraseScan scan(options, {});
  CorpusRecord record = scan.new_record(list);
  std::vector<MeanPattern> wanted(record.heads.size());
  Engine engine;
  list.visit({0, list.size()}, [&](const ListedPhrase& phrase) {
    scan.add(phrase, record, {});
    if (phrase.blank || !phrase.problem.empty()) return;
    for (std::size_t h = 0; h < wanted.size(); ++h) {
      Request request;
      request.model = options.model;
      request.phrase = phrase.text;
      request.layer = record.heads[h].layer;
      const auto trace = engine.run(request, {});
      const Tensor& weights = trace->tensor(StageId::weights);
      const std::int64_t n = weights.dim(2);
      for (std::int64_t i = 0; i < n; ++i) {
        std::vector<float> row;
        for (std::int64_t j = 0; j < n; ++j) row.push_back(weights.at({0, record.heads[h].head, i, j}));
        wanted[h].add_row(i, n, row);
      }
    }
  });
  for (std::size_t h = 0; h < wanted.size(); ++h) EXPECT_EQ(record.heads[h].pattern, wanted[h]) << h;
}

}  // namespace
}  // namespace headscope
