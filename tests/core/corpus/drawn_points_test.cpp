// Points of two lists together: the first that are drawn, with their vectors, in any order and any tree.
#include "core/corpus/drawn_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/corpus/corpus_file.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

TEST(DrawnPoints, PointsAreThoseThatAreDrawnFirstOfAllRows) {
  const CorpusRecord record = test::made_record(2, 90, {0, 90});
  std::vector<PointPlace> all;
  for (std::int64_t phrase = 0; phrase < 90; ++phrase) {
    const CorpusRecord one = test::made_record(2, 90, {phrase, phrase + 1});
    for (std::int64_t i = 0; i < one.tokens; ++i) all.push_back(test::made_place(phrase, i));
  }
  std::sort(all.begin(), all.end(), is_point_before);
  all.resize(static_cast<std::size_t>(record.facts.points));
  EXPECT_EQ(record.points, all);
  for (std::size_t h = 0; h < record.heads.size(); ++h) {
    for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
      const HeadVectors& vectors = record.heads[h].vectors[kind];
      const auto size = static_cast<std::size_t>(vectors.size());
      ASSERT_EQ(vectors.points.size(), all.size() * size);
      for (std::size_t k = 0; k < all.size(); ++k) {
        for (std::size_t a = 0; a < size; ++a) {
          EXPECT_EQ(vectors.points[k * size + a],
                    test::made_number(static_cast<std::int64_t>(h), kind, all[k], static_cast<std::int64_t>(a)));
        }
      }
    }
  }
}

TEST(DrawnPoints, FewerRowsThanWereAskedForAreAllPoints) {
  CorpusRecord record = test::empty_record(1, 3);
  record.facts.points = 500;
  for (std::int64_t k = 0; k < 3; ++k) test::add_made_phrase(record, k);
  EXPECT_EQ(static_cast<std::int64_t>(record.points.size()), record.tokens);
}

}  // namespace
}  // namespace headscope
