// Captures as others write them, and as somebody who wants harm would.
#include "core/model/capture.h"
#include "core/request/model_kind.h"

#include <cmath>
#include <iterator>
#include <limits>

#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;

class CaptureFile : public FilesTest {
 protected:
  std::string write(const std::vector<NamedTensor>& tensors,
                    const std::map<std::string, std::string>& metadata = {}) const {
    return write_layer("capture.safetensors", tensors, metadata);
  }
  static Capture read(const std::string& path) { return read_capture(path); }
  static void expect_refused(const std::string& path, const Strings& parts) {
    expect_refusal<Error>([&] { read(path); }, parts);
  }
};

TEST_F(CaptureFile, IsToldByItsName) {
  EXPECT_TRUE(is_capture_path("a/b.safetensors"));
  EXPECT_TRUE(is_capture_path("B.NPY"));
  EXPECT_TRUE(is_capture_path("c.npz"));
  for (const char* other : {"seeded", "demo:pronouns", "folder", ".npy", "a.npy/", "a.safetensors.index.json", ""}) {
    EXPECT_FALSE(is_capture_path(other)) << other;
  }
}

TEST_F(CaptureFile, HoldsWeightsOfSomeLayers) {
  const Capture capture =
      read(write({{"layers.3.weights", counted({2, 4, 3, 3})}, {"layers.1.weights", counted({2, 4, 3, 3}, 7)}},
                 {{"tokens", R"(["the","c\u00e4t",""])"}}));
  ASSERT_EQ(capture.layers.size(), 4u);
  EXPECT_FALSE(capture.layers[0].captured());
  EXPECT_FALSE(capture.layers[2].captured());
  EXPECT_EQ(capture.layers[3].weights.shape(), (Shape{2, 4, 3, 3}));
  EXPECT_EQ(capture.layers[3].weights.axes(), (Axes{Axis::batch, Axis::head, Axis::query, Axis::key}));
  EXPECT_FLOAT_EQ(capture.layers[1].weights.at({0, 0, 0, 1}), 7.001F);
  EXPECT_EQ(capture.tokens, (Strings{"the", "c\xC3\xA4t", ""}));
  EXPECT_EQ(capture.key_tokens, capture.tokens);
  EXPECT_TRUE(capture.named_tokens);
  EXPECT_EQ(capture.batch, 2);
}

TEST_F(CaptureFile, HoldsQueriesKeysAndValues) {
  const Capture capture = read(write({{"layers.0.query", counted({1, 4, 2, 8})},
                                      {"layers.0.key", counted({1, 2, 5, 8})},
                                      {"layers.0.value", counted({1, 2, 5, 3})}}));
  EXPECT_EQ(capture.layers[0].num_heads(), 4);
  EXPECT_TRUE(capture.layers[0].weights.empty());
  EXPECT_EQ(capture.tokens, (Strings{"0", "1"}));
  EXPECT_EQ(capture.key_tokens, (Strings{"0", "1", "2", "3", "4"}));
  EXPECT_FALSE(capture.named_tokens);
}

TEST_F(CaptureFile, MayLeaveOutABatchOfOne) {
  const Capture capture = read(write({{"layers.0.weights", counted({4, 2, 3})}}));
  EXPECT_EQ(capture.layers[0].weights.shape(), (Shape{1, 4, 2, 3}));
}

TEST_F(CaptureFile, IgnoresOtherNames) {
  const Capture capture = read(write({{"layers.0.weights", counted({1, 1, 2, 2})},
                                      {"layers.00.weights", counted({1, 1, 9, 9})},
                                      {"layers.x.weights", counted({1, 1, 9, 9})},
                                      {"layers.0.weights.more", counted({9})},
                                      {"layers.4.output", counted({9})}}));
  EXPECT_EQ(capture.layers.size(), 1u);
}

TEST_F(CaptureFile, IsRefusedWhenItsTensorsDoNotFit) {
  const Tensor square = counted({1, 2, 3, 3});
  expect_refused(write({{"other", counted({1})}}), {"capture.safetensors", "no capture", "layers.N.weights"});
  expect_refused(write({{"layers.0.query", square}}), {"layers.0", "query alone", "together"});
  expect_refused(write({{"layers.0.key", square}}), {"layers.0", "key alone"});
  expect_refused(write({{"layers.0.value", square}}), {"layers.0", "value alone"});
  expect_refused(write({{"layers.0.weights", counted({3, 3})}}),
                 {"layers.0.weights", "[3, 3]", "[batch, heads, q, k]"});
  expect_refused(write({{"layers.0.weights", counted({1, 2, 0, 3})}}), {"[1, 2, 0, 3]", "none of them 0"});
  expect_refused(write({{"layers.0.weights", square}, {"layers.0.scores", counted({1, 2, 4, 3})}}),
                 {"layers.0.scores has 4 queries", "layers.0.weights has 3"});
  expect_refused(write({{"layers.0.scores", square}, {"layers.0.query", square}, {"layers.0.key", square}}),
                 {"layers.0", "scores beside query and key", "one of them"});
  expect_refused(write({{"layers.0.weights", square}, {"layers.1.weights", counted({2, 2, 3, 3})}}),
                 {"2 batch items", "1"});
  expect_refused(write({{"layers.0.query", counted({1, 2, 3, 8})}, {"layers.0.key", counted({1, 2, 3, 4})}}),
                 {"features a head", "8", "4"});
  expect_refused(write({{"layers.0.query", counted({1, 3, 3, 8})}, {"layers.0.key", counted({1, 2, 3, 8})}}),
                 {"layers.0.key has 2 heads", "divisor"});
  expect_refused(write({{"layers.0.weights", square}, {"layers.0.value", counted({1, 2, 4, 8})}}),
                 {"layers.0.value has 4 keys"});
  expect_refused(write({{"layers.4096.weights", square}}), {"layer 4096", "below 4096"});
  expect_refused(write({{"layers.999999999.weights", square}}), {"999999999"});
}

TEST_F(CaptureFile, IsRefusedWhenItsTokensDoNotFit) {
  const auto with = [&](const std::string& tokens) {
    return write({{"layers.0.weights", counted({1, 1, 2, 2})}}, {{"tokens", tokens}});
  };
  expect_refused(with("[\"a\"]"), {"1 tokens for the 2 queries"});
  expect_refused(with("a b"), {"metadata tokens", "JSON"});
  expect_refused(with("\"a\""), {"metadata tokens", "a string", "a list of strings"});
  expect_refused(with("[\"a\",1]"), {"item 1", "a number", "a string"});
  expect_refused(write({{"layers.0.weights", counted({1, 1, 2, 3})}}, {{"key_tokens", "[\"a\"]"}}),
                 {"1 key_tokens for the 3 keys"});
}

TEST_F(CaptureFile, TokensMayLieBesideIt) {
  const std::string capture = write({{"layers.0.weights", counted({1, 1, 2, 2})}});
  EXPECT_EQ(capture_tokens_path(capture), "");
  const auto with = [&](const std::string& name, const std::string& text) {
    std::filesystem::remove(path("capture.tokens.txt"));
    const std::string written = write_text(name, text);
    EXPECT_EQ(capture_tokens_path(capture), written);
    return capture;
  };
  EXPECT_EQ(read(with("capture.tokens.txt", "one\r\ntwo \n")).tokens, (Strings{"one", "two "}));
  EXPECT_EQ(read(with("capture.tokens.txt", "[CLS]\n[SEP]")).tokens, (Strings{"[CLS]", "[SEP]"}));
  EXPECT_EQ(read(with("capture.tokens.txt", "{\n}\n")).tokens, (Strings{"{", "}"}));
  expect_refused(with("capture.tokens.txt", "one"), {"capture.tokens.txt", "1 tokens for the 2 queries"});
  expect_refused(with("capture.tokens.txt", "a\n\xFF\n"), {"0xFF", "UTF-8"});
  EXPECT_EQ(read(with("capture.tokens.json", "[\"a\", \"b\"]")).tokens, (Strings{"a", "b"}));
  const Capture both = read(with("capture.tokens.json", R"({"tokens": ["a","b"], "key_tokens": ["c","d"]})"));
  EXPECT_EQ(both.key_tokens, (Strings{"c", "d"}));
  expect_refused(with("capture.tokens.json", "[\"a\", "), {"capture.tokens.json", "JSON"});
  // What the capture says itself comes first.
  EXPECT_EQ(read(write({{"layers.0.weights", counted({1, 1, 2, 2})}}, {{"tokens", "[\"x\",\"y\"]"}})).tokens,
            (Strings{"x", "y"}));
}

TEST_F(CaptureFile, MayBeAnArrayOfWeights) {
  const Capture one = read(write_npy_file("one.npy", counted({4, 2, 3})));
  ASSERT_EQ(one.layers.size(), 1u);
  EXPECT_EQ(one.layers[0].weights.shape(), (Shape{1, 4, 2, 3}));
  write_text("three.tokens.txt", "a\nb\n");
  const Capture three = read(write_npy_file("three.npy", counted({3, 4, 2, 2})));
  ASSERT_EQ(three.layers.size(), 3u);
  EXPECT_FLOAT_EQ(three.layers[2].weights.at({0, 0, 0, 0}), 0.001F * (2 * 16 + 1));
  EXPECT_EQ(three.key_tokens, (Strings{"a", "b"}));
  expect_refused(write_npy_file("flat.npy", counted({3, 4})), {"[3, 4]", "[heads, q, k]", "[layers, heads, q, k]"});
  expect_refused(write_npy_file("none.npy", counted({0, 4, 2, 2})), {"[0, 4, 2, 2]"});
  expect_refused(write_npy_file("deep.npy", counted({5000, 1, 1, 1})), {"5000", "4096 layers"});
}

TEST_F(CaptureFile, TruncatedAnywhereIsRefused) {
  const std::string whole = [&] {
    std::ifstream in(write({{"layers.0.weights", counted({1, 1, 2, 2})}}), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    expect_refused(write_text("cut.safetensors", whole.substr(0, size)), {"cut.safetensors"});
  }
}

TEST(RowSumsOfWeights, CountWhatDoesNotAddUp) {
  Tensor weights = Tensor::zeros({1, 2, 3, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  for (std::int64_t at = 0; at < weights.size(); ++at) weights.mutable_data()[at] = 0.5F;
  RowSums sums = row_sums_of(weights);
  EXPECT_EQ(sums.rows, 6);
  EXPECT_EQ(sums.off, 0);
  EXPECT_EQ(sums.nan_rows, 0);
  EXPECT_EQ(sums.largest_error, 0);
  EXPECT_EQ(row_sums_text(sums), "6 of 6 rows add up to 1; the largest |sum - 1| is 0");

  weights.mutable_data()[6 + 2] = 0.25F;  // head 1, query 1: sum 0.75
  weights.mutable_data()[0] = 0.5005F;    // within 1e-3
  weights.mutable_data()[4] = std::numeric_limits<float>::quiet_NaN();
  sums = row_sums_of(weights);
  EXPECT_EQ(sums.off, 1);
  EXPECT_EQ(sums.nan_rows, 1);
  EXPECT_DOUBLE_EQ(sums.largest_error, 0.25);
  EXPECT_EQ(sums.head, 1);
  EXPECT_EQ(sums.query, 1);
  EXPECT_EQ(row_sums_text(sums),
            "1 of 6 rows do not add up to 1 within 0.001; the largest |sum - 1| is 0.25 (batch 0, head 1, query 1); "
            "1 row holds NaN");

  weights.mutable_data()[2] = std::numeric_limits<float>::infinity();
  sums = row_sums_of(weights);
  EXPECT_EQ(sums.off, 2);
  EXPECT_TRUE(std::isinf(sums.largest_error));
}

}  // namespace
}  // namespace headscope
