#include "core/io/csv.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "core/io/mapped_file.h"
#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(number_text(0.25f), "0.25");
  EXPECT_EQ(number_text(0.1f), "0.1");
  EXPECT_EQ(number_text(1e-8f), "1e-08");
  EXPECT_EQ(number_text(1.0f), "1");
  EXPECT_EQ(number_text(-0.0f), "-0");
  EXPECT_EQ(number_text(16777216.0f), "16777216");
  EXPECT_EQ(number_text(std::numeric_limits<float>::denorm_min()), "1e-45");
  EXPECT_EQ(number_text(std::numeric_limits<float>::max()), "3.4028235e+38");
}

TEST(NumberText, WritesWhatIsNotFinite) {
  EXPECT_EQ(number_text(std::nanf("")), "nan");
  EXPECT_EQ(number_text(-std::nanf("")), "nan");
  EXPECT_EQ(number_text(kInf), "inf");
  EXPECT_EQ(number_text(-kInf), "-inf");
}

TEST(NumberText, ReadsBackToTheSameBits) {
  std::uint32_t state = 12345;
  for (int n = 0; n < 20000; ++n) {
    state = state * 1664525u + 1013904223u;
    const auto value = std::bit_cast<float>(state);
    if (!std::isfinite(value)) continue;
    const std::string text = number_text(value);
    float back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(back), state) << text;
  }
}

TEST(SafeText, AnApostropheStandsBeforeWhatWouldBeAFormulaAndGoesAgain) {
  for (const char* text : {"=1+2", "+1", "-x", "@a", "\tx", "\rx"}) {
    EXPECT_EQ(safe_text(text), "'" + std::string(text));
    EXPECT_EQ(plain_text(safe_text(text)), text);
  }
  for (const char* text : {"", "a=b", "'quoted", "1", " =x",
                           "\xe2\x88\x92"
                           "1"}) {
    EXPECT_EQ(safe_text(text), text);
    EXPECT_EQ(plain_text(text), text);
  }
}

TEST(CsvField, QuotesWhatRfc4180Asks) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_field("cr\r"), "\"cr\r\"");
  EXPECT_EQ(csv_field("\xe5\xad\x97 \xf0\x9f\x98\x80"), "\xe5\xad\x97 \xf0\x9f\x98\x80");
}

TEST(CsvMatrix, HasTheTokensOnBothSides) {
  const Tensor matrix = Tensor::of({2, 3}, {Axis::query, Axis::key}, {1, 0.5f, -kInf, std::nanf(""), 0.1f, 2});
  std::ostringstream out;
  write_csv_matrix(out, matrix, "query\\key", {"a,1", "b"}, {"x", "\"y\"", "z"});
  EXPECT_EQ(out.str(), "query\\key,x,\"\"\"y\"\"\",z\n\"a,1\",1,0.5,-inf\nb,nan,0.1,2\n");
}

TEST(CsvMatrix, LargeOnesAreWrittenWhole) {
  const Tensor matrix =
      Tensor::computed({3000, 70}, {Axis::query, Axis::key}, [](const Region& r, std::span<float> out) {
        std::size_t at = 0;
        for (std::int64_t i = r[0].begin; i < r[0].end; ++i) {
          for (std::int64_t j = r[1].begin; j < r[1].end; ++j) out[at++] = static_cast<float>(i * 100 + j);
        }
      });
  std::vector<std::string> rows, columns;
  for (int i = 0; i < 3000; ++i) rows.push_back(std::to_string(i));
  for (int j = 0; j < 70; ++j) columns.push_back(std::to_string(j));
  std::ostringstream out;
  write_csv_matrix(out, matrix, "token\\feature", rows, columns);
  const std::string text = out.str();
  EXPECT_TRUE(contains(text, "\n2999,299900,299901,"));
  EXPECT_TRUE(text.ends_with(",299969\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3001);
}

TEST(CsvLong, NumbersScoresByBatchHeadQueryAndKey) {
  std::vector<float> values;
  for (int n = 0; n < 2 * 2 * 2 * 3; ++n) values.push_back(static_cast<float>(n));
  const Tensor tensor = Tensor::of({2, 2, 2, 3}, {Axis::batch, Axis::head, Axis::query, Axis::key}, values);
  std::ostringstream out;
  write_csv_long(out, {.holds = TableOf::scores,
                       .layout = {0, 1, 2, 3},
                       .tensor = tensor,
                       .region = {{1, 2}, {0, 2}, {1, 2}, {1, 3}},
                       .row_names = {"p", "q"},
                       .column_names = {"x", "y,", "z"}});
  EXPECT_EQ(out.str(),
            "batch,head,query,key,query_token,key_token,value\n"
            "1,0,1,1,q,\"y,\",16\n1,0,1,2,q,z,17\n1,1,1,1,q,\"y,\",22\n1,1,1,2,q,z,23\n");
}

TEST(CsvLong, NumbersOtherStagesByPositionAndFeature) {
  const Tensor concat = Tensor::of({1, 2, 2}, {Axis::batch, Axis::position, Axis::feature}, {1, 2, 3, 4});
  std::ostringstream out;
  write_csv_long(out, {.holds = TableOf::vectors,
                       .layout = {0, -1, 1, 2},
                       .tensor = concat,
                       .region = whole(concat.shape()),
                       .row_names = {"p", "q"}});
  EXPECT_EQ(out.str(), "batch,position,feature,token,value\n0,0,0,p,1\n0,0,1,p,2\n0,1,0,q,3\n0,1,1,q,4\n");
  // [batch, position, head, feature]: the head comes first all the same.
  const Tensor split = Tensor::of({1, 2, 2, 1}, {Axis::batch, Axis::position, Axis::head, Axis::feature}, {1, 2, 3, 4});
  std::ostringstream by_head;
  write_csv_long(by_head, {.holds = TableOf::vectors,
                           .layout = {0, 2, 1, 3},
                           .tensor = split,
                           .region = whole(split.shape()),
                           .row_names = {"p", "q"}});
  EXPECT_EQ(by_head.str(),
            "batch,head,position,feature,token,value\n0,0,0,0,p,1\n0,0,1,0,q,3\n0,1,0,0,p,2\n0,1,1,0,q,4\n");
}

Tensor parsed(std::string_view text) {
  return parse_csv_matrix(bytes_of(text), "mask.csv");
}

TEST(CsvMask, ReadsPlainNumbers) {
  const Tensor matrix = parsed("1, 2.5,-inf\r\nnan,0,1e-60\n");
  EXPECT_EQ(matrix.shape(), (Shape{2, 3}));
  const std::vector<float> values = matrix.values();
  EXPECT_EQ(values[1], 2.5f);
  EXPECT_EQ(values[2], -kInf);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_EQ(values[5], 0.0f);
  EXPECT_EQ(parsed("7").shape(), (Shape{1, 1}));
  EXPECT_EQ(parsed("\xef\xbb\xbf"
                   "1,2\n\n")
                .shape(),
            (Shape{1, 2}));
  EXPECT_TRUE(same_bits(parsed("1e-45,-1e-46,-1e-400").values(), {1e-45f, -0.0f, -0.0f}));
  EXPECT_TRUE(same_bits(parsed("-0." + std::string(400, '0') + "1").values(), {-0.0f}));
}

TEST(CsvMask, WhatItWroteItReadsBackBitForBit) {
  std::string text;
  std::vector<float> values;
  std::uint32_t state = 7;
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 25; ++column) {
      do {
        state = state * 1664525u + 1013904223u;
      } while (std::isnan(std::bit_cast<float>(state)));
      values.push_back(std::bit_cast<float>(state));
      text += (column == 0 ? "" : ",") + number_text(values.back());
    }
    text += '\n';
  }
  EXPECT_TRUE(same_bits(parsed(text).values(), values));
}

TEST(CsvMaskMalformed, EveryBrokenFileIsRefusedWithLineAndColumn) {
  struct Malformed {
    std::string text, says;
  };
  const std::vector<Malformed> files = {
      {"", "empty"},
      {"\n \r\n", "empty"},
      {"\xef\xbb\xbf", "empty"},
      {"a,b\n1,2\n", "line 1, column 1: 'a'"},
      {"1,2\n3,x\n", "line 2, column 2: 'x'"},
      {"1,2\n3\n", "line 2 has 1"},
      {"1,2\n3,4,5\n", "line 2 has 3"},
      {"1,2\n\n3,4\n", "line 2, column 1"},
      {"1,,2", "line 1, column 2: ''"},
      {"1,2,", "line 1, column 3: ''"},
      {"1;2", "'1;2'"},
      {"1 2", "'1 2'"},
      {"\"1\",2", "column 1"},
      {"0x10", "'0x10'"},
      {"1e50", "'1e50'"},
      {"-1e400", "'-1e400'"},
      {"1" + std::string(400, '0') + "e-5", "column 1"},
      {"1.5.2", "'1.5.2'"},
      {"1,true", "'true'"},
      {std::string("1,\0", 3), "column 2"},
      {"1,\xff\xfe", "column 2"},
      {"<!DOCTYPE html><html>", "HTML"},
      {"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
      {"\x93NUMPY\x01", ".npy"},
      {"{\"a\": 1}", "JSON"},
      {"query\\key,a,b\na,1,2\n", "without a header"},
  };
  for (const Malformed& file : files) {
    SCOPED_TRACE(file.text);
    const std::string sentence = refusal_of([&] { parsed(file.text); });
    EXPECT_TRUE(contains(sentence, "mask.csv")) << sentence;
    EXPECT_TRUE(contains(sentence, file.says)) << sentence;
  }
}

TEST(CsvMaskMalformed, FilesThatAreNoneAreRefused) {
  const IoFolder folder;
  EXPECT_TRUE(contains(refusal_of([&] { read_csv_matrix(folder.path()); }), "folder"));
  EXPECT_TRUE(contains(refusal_of([&] { read_csv_matrix("/dev/zero"); }), "device"));
  EXPECT_TRUE(contains(refusal_of([&] { read_csv_matrix(folder.file("no.csv")); }), "No such file"));
}

}  // namespace
}  // namespace headscope
