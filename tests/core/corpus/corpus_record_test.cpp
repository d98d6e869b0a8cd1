// Adding up: the same bytes in any order and any tree, and no part twice.
#include "core/corpus/corpus_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/corpus/corpus_file.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

constexpr std::int64_t kList = 40;

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
  differs([](CorpusRecord& b) { b.facts.tokenizer = "BPE"; }, "tokenizer");
  differs([](CorpusRecord& b) { b.facts.most_tokens = 3; }, "--tokens");
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
