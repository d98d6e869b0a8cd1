// Adding up: the same bytes in any order and any tree, and no part twice.
#include "core/corpus/corpus_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "core/corpus/corpus_file.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

constexpr std::int64_t kList = 90;

TEST(CorpusRecord, AnyTreeOfMergesGivesTheSameBytes) {
  const std::string whole = corpus_file_bytes(test::made_record(3, kList, {0, kList}));
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 draw(seed);
    std::vector<CorpusRecord> parts;
    for (std::int64_t at = 0; at < kList;) {
      const std::int64_t end = std::min<std::int64_t>(kList, at + 1 + static_cast<std::int64_t>(draw() % 9));
      parts.push_back(test::made_record(3, kList, {at, end}));
      at = end;
    }
    while (parts.size() > 1) {
      std::swap(parts[draw() % parts.size()], parts.back());
      const CorpusRecord last = parts.back();
      parts.pop_back();
      CorpusRecord& other = parts[draw() % parts.size()];
      ASSERT_EQ(difference_of(other, last), "");
      add(other, last);
    }
    ASSERT_EQ(corpus_file_bytes(parts.front()), whole) << "seed " << seed;
  }
}

// What a part knows is exact until the whole list is there; then it is as if nothing had been left out.
TEST(CorpusRecord, TokensOfAPartAreAllOfThemAndOfTheWholeTheMostFrequent) {
  CorpusRecord all = test::empty_record(2, kList + 1);
  for (std::int64_t k = 0; k < kList; ++k) test::add_made_phrase(all, k);
  const CorpusRecord whole = test::made_record(2, kList, {0, kList});
  for (std::size_t h = 0; h < all.heads.size(); ++h) {
    const TokenCounts& every = all.heads[h].key_tokens;
    EXPECT_GT(every.all().size(), kKeptTokens);
    std::uint64_t rows = 0;
    for (const TokenCount& count : every.all()) rows += count.rows;
    EXPECT_EQ(rows, all.heads[h].pointing);
    EXPECT_EQ(whole.heads[h].pointing, all.heads[h].pointing);
    EXPECT_EQ(whole.heads[h].key_tokens.top(kKeptTokens), every.top(kKeptTokens));
    EXPECT_EQ(whole.heads[h].key_tokens.all().size(), kKeptTokens);
    EXPECT_EQ(whole.heads[h].samples, all.heads[h].samples);
  }
  EXPECT_LE(whole.words.size(), all.words.size());
}

TEST(CorpusRecord, APartWithoutAPhraseChangesNothing) {
  const CorpusRecord whole = test::made_record(2, kList, {0, kList});
  CorpusRecord before = test::empty_record(2, kList), after = whole;
  add(after, before);
  add(before, whole);
  EXPECT_EQ(corpus_file_bytes(before), corpus_file_bytes(whole));
  EXPECT_EQ(corpus_file_bytes(after), corpus_file_bytes(whole));
}

TEST(CorpusRecord, SamplesAreThoseThatAreDrawnFirstInTheirTenth) {
  HeadRecord head(0, 0);
  std::array<std::vector<CorpusExample>, kDeciles> rows;
  for (std::int64_t k = 0; k < 400; ++k) {
    const CorpusExample row{static_cast<float>(k % 101) / 100, 1, k % 37, k, 0};
    head.add_sample(row);
    rows[static_cast<std::size_t>(std::min<std::int64_t>(9, k % 101 / 10))].push_back(row);
  }
  for (std::size_t d = 0; d < kDeciles; ++d) {
    std::sort(rows[d].begin(), rows[d].end(), is_drawn_before);
    rows[d].resize(kSamplesEach);
    EXPECT_EQ(head.samples[d], rows[d]) << d;
  }
  EXPECT_EQ(decile_of(1.001F), 9u);
  EXPECT_EQ(decile_of(0.0F), 0u);
}

TEST(CorpusRecord, ExamplesAreTheStrongestInTheirOrder) {
  const CorpusRecord record = test::made_record(2, 100, {0, 100});
  for (const HeadRecord& head : record.heads) {
    ASSERT_EQ(head.top.size(), kMostExamples);
    EXPECT_TRUE(std::is_sorted(head.top.begin(), head.top.end(), comes_before));
    EXPECT_EQ(head.top.front().value, 0.75F);
  }
}

TEST(CorpusRecord, NamesWhatDiffers) {
  const CorpusRecord a = test::made_record(2, kList, {0, 4});
  const auto differs = [&](const auto& change, const char* part) {
    CorpusRecord b = test::made_record(2, kList, {4, 9});
    EXPECT_EQ(difference_of(a, b), "");
    change(b);
    EXPECT_NE(difference_of(a, b).find(part), std::string::npos) << difference_of(a, b);
  };
  differs([](CorpusRecord& b) { b.facts.sha256[0] = 'c'; }, "model");
  differs([](CorpusRecord& b) { b.facts.architecture = "d_model=8 norm_eps=1e-06"; },
          "config.json): norm_eps is 1e-05, there 1e-06");
  differs([](CorpusRecord& b) { b.facts.architecture.clear(); }, "settings of the model are known, there they are not");
  differs([](CorpusRecord& b) { b.facts.tokenizer = "BPE"; }, "tokenizer");
  differs([](CorpusRecord& b) { b.facts.most_tokens = 3; }, "--tokens");
  differs([](CorpusRecord& b) { b.facts.repeated = 6; }, "--repeated");
  differs([](CorpusRecord& b) { b.facts.ablation_sample = 6; }, "--ablation-sample");
  differs([](CorpusRecord& b) { b.facts.points = 7; }, "--points");
  differs([](CorpusRecord& b) { b.facts.vector_sizes[1] = 4; }, "3,3,2,0, there 3,4,2,0");
  differs([](CorpusRecord& b) { b.facts.list_size = 41; }, "list");
  differs([](CorpusRecord& b) { b.facts.list_sha256[0] = 'c'; }, "list");
  differs([](CorpusRecord& b) { b.heads.pop_back(); }, "heads");
  differs([](CorpusRecord& b) { b.scanned.add({3, 4}); }, "phrases 3 to 3");
}

TEST(CorpusRecord, OfTwoNamesOfAModelTheFirstInTheAlphabetStays) {
  CorpusRecord a = test::made_record(2, kList, {0, 4}), b = test::made_record(2, kList, {4, 9});
  a.facts.model = "model-b";
  b.facts.model = "model-a";
  CorpusRecord ab = a, ba = b;
  add(ab, b);
  add(ba, a);
  EXPECT_EQ(corpus_file_bytes(ab), corpus_file_bytes(ba));
  EXPECT_EQ(ab.facts.model, "model-a");
}

}  // namespace
}  // namespace headscope
