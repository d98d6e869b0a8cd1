// Captures in NumPy's files, and the names that somebody gives to their tokens.
#include <sstream>

#include "core/base/error.h"
#include "core/model/capture.h"
#include "core/model/token_names.h"
#include "core/request/problem.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/npz_files.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

using test::ZipFile;
using Strings = std::vector<std::string>;

std::string npy_of(const Tensor& tensor) {
  std::ostringstream out;
  write_npy(out, tensor);
  return out.str();
}

class CaptureArrays : public FilesTest {
 protected:
  Capture read_zip(const std::vector<ZipFile>& files) const {
    return read_capture(write_text("a.npz", test::zip_of(files)));
  }
  void expect_refused(const std::vector<ZipFile>& files, const Strings& parts) const {
    expect_refusal<Error>([&] { read_zip(files); }, parts);
  }
};

TEST_F(CaptureArrays, FiveAxesAreLayersAndBatchItems) {
  const Capture capture = read_capture(write_npy_file("five.npy", counted({3, 2, 4, 2, 2})));
  ASSERT_EQ(capture.layers.size(), 3u);
  EXPECT_EQ(capture.batch, 2);
  EXPECT_EQ(capture.layers[2].weights.shape(), (Shape{2, 4, 2, 2}));
  EXPECT_FLOAT_EQ(capture.layers[2].weights.at({1, 3, 1, 1}), 0.096F);
  expect_refusal<Error>(
      [&] {
        read_capture(write_npy_file("flat.npy", counted({3, 4})));
      },
      {"[3, 4]", "[layers, batch, heads, q, k]"});
}

TEST_F(CaptureArrays, EveryOrderAndPrecisionOfNumpyIsConverted) {
  // The same [1, 2, 2] as float16, as float64 in Fortran order, as big-endian float32.
  const auto array = [](const std::string& descr, const std::string& order, const std::string& values) {
    const std::string header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (1, 2, 2), }\n";
    return std::string("\x93NUMPY\x01\x00", 8) + test::raw(static_cast<std::uint16_t>(header.size())) + header + values;
  };
  std::string doubles;
  for (const double value : {1.0, 0.25, 0.0, 0.75}) doubles += test::raw(value);  // columns first
  const std::string halves = test::from_hex("003c0000 0034003a"),
                    swapped = test::from_hex("3f800000 00000000 3e800000 3f400000");
  for (const std::string& npy :
       {array("<f2", "False", halves), array("<f8", "True", doubles), array(">f4", "False", swapped)}) {
    const Capture capture = read_capture(write_text("x.npy", npy));
    EXPECT_EQ(capture.layers[0].weights.at({0, 0, 1, 0}), 0.25F);
    EXPECT_EQ(capture.layers[0].weights.at({0, 0, 1, 1}), 0.75F);
  }
  expect_refusal<Error>([&] { read_capture(write_text("c.npy", array("<c8", "False", doubles))); },
                        {"complex numbers"});
}

TEST_F(CaptureArrays, OneArrayOfAnArchiveIsReadLikeItsNpy) {
  const Tensor weights = counted({2, 4, 2, 2});
  for (const bool packed : {false, true}) {
    const Capture capture = read_zip({{"attention.npy", npy_of(weights), packed}, {"ids.npy", npy_of(counted({2}))}});
    ASSERT_EQ(capture.layers.size(), 2u);
    EXPECT_FLOAT_EQ(capture.layers[1].weights.at({0, 0, 0, 0}), 0.017F);
    EXPECT_FALSE(capture.named_tokens);
  }
}

TEST_F(CaptureArrays, NumberedArraysAreLayers) {
  const std::string one = npy_of(counted({2, 4, 3, 3}));
  const Capture capture = read_zip({{"arr_0.npy", one}, {"arr_3.npy", one, true}});
  ASSERT_EQ(capture.layers.size(), 4u);
  EXPECT_EQ(capture.batch, 2);
  EXPECT_EQ(missing_layers(capture), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(missing_layers_text(missing_layers(capture)), "layers 1 and 2 were not captured");
  expect_refused({{"arr_0.npy", one}, {"other.npy", one}}, {"arr_0, other", "one for each layer"});
  expect_refused({{"arr_1.npy", one}, {"arr_01.npy", one}}, {"two arrays are of layer 1"});
  expect_refused({{"arr_0.npy", one}, {"arr_99999.npy", one}}, {"arr_99999", "below 4096"});
  const Capture unequal = read_zip({{"arr_0.npy", one}, {"arr_1.npy", npy_of(counted({2, 4, 2, 2}))}});
  EXPECT_EQ(unequal.layers[0].weights.shape(), (Shape{2, 4, 3, 3}));
  EXPECT_EQ(unequal.layers[1].weights.shape(), (Shape{2, 4, 2, 2}));
  expect_refused({{"ids.npy", npy_of(counted({2}))}}, {"no capture", "3 to 5 axes"});
}

TEST_F(CaptureArrays, AnArchiveMayHaveTheNamesOfASafetensorsFile) {
  const Capture capture = read_zip({{"layers.1.query.npy", npy_of(counted({1, 4, 2, 8}))},
                                    {"layers.1.key.npy", npy_of(counted({1, 2, 5, 8}))},
                                    {"else.npy", npy_of(counted({9, 9, 9}))}});
  ASSERT_EQ(capture.layers.size(), 2u);
  EXPECT_EQ(capture.layers[1].query.shape(), (Shape{1, 4, 2, 8}));
  EXPECT_EQ(capture.key_len, 5);
}

TEST_F(CaptureArrays, TokensOfAnArchiveAreItsStrings) {
  const Capture capture = read_capture(write_text("n.npz", test::from_hex(test::kStoredNpz)));
  EXPECT_EQ(capture.tokens, (Strings{"a", "\xC3\xA9"}));
  EXPECT_EQ(capture.key_tokens, capture.tokens);
  EXPECT_TRUE(capture.named_tokens);
  EXPECT_FALSE(capture.named_keys);
}

TEST(TokenNamesInAText, AreWordsLinesOrAList) {
  EXPECT_EQ(token_names_in(" the  cat\tsat ", 3), (Strings{"the", "cat", "sat"}));
  EXPECT_EQ(token_names_in("the\nbig cat\n\n", 3), (Strings{"the", "big cat", ""}));
  EXPECT_EQ(token_names_in("the cat\nsat\n", 3), (Strings{"the", "cat", "sat"})) << "their number decides";
  EXPECT_EQ(token_names_in("[\"the\", \" cat\"]", 2), (Strings{"the", " cat"}));
  EXPECT_EQ(token_names_in("[CLS] [SEP]", 2), (Strings{"[CLS]", "[SEP]"}));
  EXPECT_THROW(token_names_in("[\"the\", ", 1), Error);
}

TEST(TokenNamesInAText, AreReadAsTheyWereWritten) {
  const std::vector<Strings> lists = {{"the", "cat"}, {" the", "cat"}, {"", "a"},         {"[", "\"b\""},
                                      {"[\"a"},       {"[\"a\"]"},     {"a\nb", "\"c\""}, {"\xC3\xA9"}};
  for (const Strings& names : lists) {
    const std::string text = token_names_text(names);
    EXPECT_EQ(token_names_in(text, static_cast<std::int64_t>(names.size())), names) << text;
  }
}

TEST(TokenNamesOfARequest, ReplaceThoseOfTheFile) {
  Capture capture;
  capture.query_len = capture.key_len = 2;
  capture.tokens = capture.key_tokens = {"0", "1"};
  CapturedLayer layer;
  layer.weights = Tensor::zeros({1, 1, 2, 2}, {Axis::batch, Axis::head, Axis::query, Axis::key});
  Request request;
  EXPECT_EQ(token_names_of(capture, layer, request).queries, capture.tokens);
  request.phrase = "a b";
  EXPECT_EQ(token_names_of(capture, layer, request).queries, (Strings{"a", "b"}));
  EXPECT_EQ(token_names_of(capture, layer, request).keys, (Strings{"a", "b"}));
  request.key_phrase = "c d";
  EXPECT_EQ(token_names_of(capture, layer, request).keys, (Strings{"c", "d"}));
  request.key_phrase = "";
  capture.named_keys = true;
  EXPECT_EQ(token_names_of(capture, layer, request).keys, (Strings{"0", "1"})) << "those of the file itself";
  request.phrase = "a b c";
  expect_refusal<ProblemError>([&] { token_names_of(capture, layer, request); },
                               {"--phrase", "2 names wanted, 3 given"});
  request.phrase = "[\"a\", ";
  expect_refusal<ProblemError>([&] { token_names_of(capture, layer, request); }, {"--phrase", "JSON list"});
  request.phrase = "";
  request.key_phrase = "c";
  expect_refusal<ProblemError>([&] { token_names_of(capture, layer, request); },
                               {"--key-phrase", "2 names wanted, 1 given"});
}

}  // namespace
}  // namespace headscope
