// Two scans beside each other: differences against plain arithmetic, and what cannot be held beside each other.
#include "core/corpus/corpus_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/corpus/difference_report.h"
#include "core/corpus/head_mean.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

// A record of two layers of `heads` heads whose head k has `rows` rows of entropy `entropy(k)` each, and no other row.
CorpusRecord made(std::int64_t heads, int rows, const std::function<double(std::size_t)>& entropy) {
  CorpusRecord record = test::empty_record(heads, 12);
  test::forget_points(record);
  for (std::size_t k = 0; k < record.heads.size(); ++k) {
    for (int row = 0; row < rows; ++row) {
      CorpusRow counted;
      counted.values[0] = entropy(k);
      counted.defined[0] = true;
      record.heads[k].add(counted);
    }
  }
  return record;
}

CorpusRecord model_b(CorpusRecord record) {
  record.facts.model = "demo:other";
  record.facts.sha256 = std::string(64, 'c');
  return record;
}

const CorpusDifference::Head& head_of(const CorpusDifference& found, std::int64_t layer, std::int64_t head) {
  for (const CorpusDifference::Head& each : found.heads) {
    if (each.layer == layer && each.head == head) return each;
  }
  throw std::runtime_error("no such head");
}

TEST(CorpusDifference, IsOfEveryHeadWithTheFarthestFirst) {
  const auto of_a = [](std::size_t k) { return 0.25 * static_cast<double>(k); };
  const auto of_b = [&](std::size_t k) { return of_a(k) + (k == 2 ? 1.5 : k == 3 ? -0.5 : 0); };
  const CorpusRecord a = made(2, 3, of_a), b = model_b(made(2, 5, of_b));
  const CorpusDifference found = corpus_difference(a, b);
  ASSERT_EQ(found.heads.size(), 4U);
  ASSERT_EQ(found.means.front().key, "entropy");
  // Of the eight numbers 0, 0.25, 0.5, 0.75 and 0, 0.25, 2, 0.25.
  double sum = 0, squares = 0;
  for (const double value : {0.0, 0.25, 0.5, 0.75, 0.0, 0.25, 2.0, 0.25}) {
    sum += value;
    squares += value * value;
  }
  const double spread = std::sqrt(squares / 8 - sum / 8 * sum / 8);
  EXPECT_NEAR(found.means.front().spread, spread, 1e-12);
  EXPECT_EQ(found.heads[0].layer, 1);
  EXPECT_EQ(found.heads[0].head, 0);
  EXPECT_EQ(found.heads[1].head, 1);
  const ComparedMean& farthest = found.heads[0].numbers[0];
  EXPECT_EQ(farthest.a, 0.5);
  EXPECT_EQ(farthest.b, 2.0);
  EXPECT_EQ(farthest.difference(), -1.5);
  EXPECT_NEAR(farthest.share, 1.5 / spread, 1e-12);
  EXPECT_EQ(farthest.rows_a, 3U);
  EXPECT_EQ(farthest.rows_b, 5U);
  EXPECT_NEAR(found.heads[1].share(), 0.5 / spread, 1e-12);
  EXPECT_EQ(head_of(found, 0, 1).share(), 0);
  EXPECT_TRUE(found.notes.empty());
}

TEST(CorpusDifference, OfTheSameRecordIsNothingAndSaysSo) {
  const CorpusRecord a = made(3, 2, [](std::size_t k) { return static_cast<double>(k % 4); });
  const CorpusDifference found = corpus_difference(a, a);
  for (const CorpusDifference::Head& head : found.heads) EXPECT_EQ(head.share(), 0);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0], "A and B are of the same model");
}

TEST(CorpusDifference, OfAMeanThatOneHeadAloneHasIsInfinite) {
  const CorpusRecord a = made(2, 2, [](std::size_t k) { return static_cast<double>(k); });
  CorpusRecord b = model_b(made(2, 2, [](std::size_t k) { return static_cast<double>(k); }));
  b.heads[3].clear();
  const CorpusDifference found = corpus_difference(a, b);
  EXPECT_EQ(found.heads[0].layer, 1);
  EXPECT_EQ(found.heads[0].head, 1);
  EXPECT_EQ(found.heads[0].share(), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(found.heads[0].numbers[0].b));
  EXPECT_EQ(difference_json(a, b, found)["heads"][0]["means"]["entropy"]["b"], "nan");
  EXPECT_EQ(
      difference_csv(found).find("layer,head,mean,a,b,difference,share,rows_a,rows_b\n1,1,entropy,3,nan,nan,inf,2,0\n"),
      0U)
      << difference_csv(found);
}

TEST(CorpusDifference, LeavesOutWhatOneFileAloneHoldsAndSaysIt) {
  const auto zero = [](std::size_t) { return 0.0; };
  const CorpusRecord a = made(2, 1, zero);
  CorpusRecord b = model_b(made(2, 1, zero));
  EXPECT_EQ(corpus_difference(a, b).means.size(), all_head_means().size());
  b.facts.repeated = 0;
  b.facts.ablation_sample = 0;
  b.facts.tokenizer = "words, 4 pieces, 0";
  const CorpusDifference found = corpus_difference(a, b);
  EXPECT_EQ(found.means.size(), kCorpusMetrics);
  ASSERT_EQ(found.notes.size(), 3U);
  EXPECT_NE(found.notes[0].find("the tokenizers differ: words, 3 pieces, 0 in A, words, 4 pieces, 0 in B"),
            std::string::npos);
  EXPECT_NE(found.notes[1].find("--repeated"), std::string::npos);
  EXPECT_NE(found.notes[2].find("loss_ablated is left out"), std::string::npos);
  // Both hold them, of other numbers of tokens.
  b = model_b(made(2, 1, zero));
  b.facts.repeated += 1;
  EXPECT_EQ(corpus_difference(a, b).means.size(), all_head_means().size() - kRepeatedMetrics.size());
}

TEST(CorpusDifference, OtherCorporaAreNamedInWords) {
  const auto zero = [](std::size_t) { return 0.0; };
  const CorpusRecord a = made(2, 1, zero);
  const auto said = [&](const std::function<void(CorpusRecord&)>& change) {
    CorpusRecord b = model_b(made(2, 1, zero));
    change(b);
    return unlike_corpora_sentence(a, b);
  };
  EXPECT_EQ(said([](CorpusRecord&) {}), "");
  EXPECT_EQ(said([](CorpusRecord& b) { b.facts.list_size = 10; }),
            "the lists of phrases differ: of 12 phrases in A, of 10 in B");
  EXPECT_NE(said([](CorpusRecord& b) { b.facts.list_sha256 = "d"; }).find("sha256 bbb"), std::string::npos);
  EXPECT_EQ(said([](CorpusRecord& b) { b.facts.most_tokens = 8; }),
            "of a phrase (--tokens) at most 16 tokens are read in A, 8 in B");
  EXPECT_NE(said([](CorpusRecord& b) { b.scanned.add({0, 6}); }).find("that were scanned differ"), std::string::npos);
  EXPECT_EQ(said([](CorpusRecord& b) { b.heads.pop_back(); }), "the heads differ: 4 in A, 3 in B");
  EXPECT_EQ(said([](CorpusRecord& b) { b.heads[3].head = 5; }), "the heads differ: 1.1 in A, where B has 1.5");
  EXPECT_EQ(said([](CorpusRecord& b) { b.phrases = 1; }), "the phrases that could be read differ: 0 in A, 1 in B");
  EXPECT_EQ(said([](CorpusRecord& b) { b.tokens = 9; }),
            "the phrases are 0 tokens in A, 9 in B: their tokenizers cut them otherwise");
}

}  // namespace
}  // namespace headscope
