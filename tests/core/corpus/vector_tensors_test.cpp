// What a file with points refuses, and that one without them is as it was.
#include "core/corpus/vector_tensors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/corpus/corpus_check.h"
#include "core/corpus/corpus_file.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

TEST(VectorTensors, SizesAreReadAsTheyAreWritten) {
  EXPECT_EQ(vector_sizes_of("16,8,0,4096"), (VectorSizes{16, 8, 0, 4096}));
  for (const char* text : {"", "16", "16,16,16", "16,16,16,16,16", "0,0,0,0", "4097,0,0,0", "-1,2,3,4", "a,b,c,d",
                           "016,16,16,16", "16, 16,16,16", "16,16,16,16,", "1e2,1,1,1", "99999999999999999999,1,1,1"}) {
    EXPECT_EQ(vector_sizes_of(text), std::nullopt) << text;
  }
}

TEST(VectorTensors, WhatDoesNotFitIsRefused) {
  const auto refused = [](const char* said, const auto& change) {
    CorpusRecord record = test::made_record(1, 30, {1, 20});
    EXPECT_EQ(problem_of(record), "");
    change(record, record.heads[0]);
    const std::string bytes = corpus_file_bytes(record);
    try {
      parse_corpus_file(std::as_bytes(std::span(bytes)), "x.hsagg");
      ADD_FAILURE() << said;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  };
  refused("more or fewer points", [](CorpusRecord& record, HeadRecord&) {
    record.points.pop_back();
    for (HeadRecord& head : record.heads) {
      for (HeadVectors& vectors : head.vectors) {
        vectors.points.resize(vectors.points.size() - static_cast<std::size_t>(vectors.size()));
      }
    }
  });
  refused("not in order", [](CorpusRecord& record, HeadRecord&) { std::swap(record.points[0], record.points[1]); });
  refused("not in order", [](CorpusRecord& record, HeadRecord&) { record.points[1] = record.points[0]; });
  refused("no place", [](CorpusRecord& record, HeadRecord&) { record.points[0].phrase = 30; });
  refused("no place", [](CorpusRecord& record, HeadRecord&) { record.points[0].phrase = -1; });
  refused("no place", [](CorpusRecord& record, HeadRecord&) { record.points[0].position = 16; });
  refused("UTF-8", [](CorpusRecord& record, HeadRecord&) { record.points[0].text = "\xff"; });
  refused("too large", [](CorpusRecord&, HeadRecord& head) { head.vectors[1].points[2] = NAN; });
  refused("too large", [](CorpusRecord&, HeadRecord& head) { head.vectors[1].points[2] = 65537; });
  refused("squares", [](CorpusRecord&, HeadRecord& head) { head.vectors[0].products[3].add_large(-1e9); });
  refused("whole number", [](CorpusRecord& record, HeadRecord&) { record.facts.points = 1025; });
  refused("vector_sizes",
          [](CorpusRecord& record, HeadRecord&) { test::forget_points(record), record.facts.points = 2; });
}

TEST(VectorTensors, AFileWithoutPointsHasNoneOfItsTensors) {
  CorpusRecord record = test::made_record(1, 30, {1, 20});
  const std::string with = corpus_file_bytes(record);
  for (const char* name : {"vectors.query.sums", "vectors.key.products", "vectors.value.points", "points.text"}) {
    EXPECT_NE(with.find(name), with.npos) << name;
  }
  EXPECT_EQ(with.find("vectors.output"), with.npos);
  test::forget_points(record);
  const std::string without = corpus_file_bytes(record);
  EXPECT_EQ(without.find("vector"), without.npos);
  EXPECT_EQ(without.find("points"), without.npos);
  EXPECT_EQ(parse_corpus_file(std::as_bytes(std::span(without)), "x.hsagg"), record);
}

}  // namespace
}  // namespace headscope
