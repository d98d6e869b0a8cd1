// What a capture carries beside its tensors: mask, scale, causal flags, images, lengths and names of its layers.
#include <limits>
#include <sstream>

#include "core/model/capture.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/npz_files.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

using Strings = std::vector<std::string>;
using Metadata = std::map<std::string, std::string>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class CaptureFactsOfAFile : public FilesTest {
 protected:
  Capture read(const std::vector<NamedTensor>& tensors, const Metadata& metadata = {}) const {
    return read_capture(write_layer("capture.safetensors", tensors, metadata));
  }
  void expect_refused(const std::vector<NamedTensor>& tensors, const Metadata& metadata, const Strings& parts) const {
    expect_refusal<Error>([&] { read(tensors, metadata); }, parts);
  }
  // One layer of two heads, three queries and three keys.
  void expect_metadata_refused(const Metadata& metadata, const Strings& parts) const {
    expect_refused({{"layers.0.weights", counted({1, 2, 3, 3})}}, metadata, parts);
  }
};

TEST_F(CaptureFactsOfAFile, AreThoseOfAllLayersUnlessALayerHasItsOwn) {
  const Tensor square = counted({1, 2, 3, 3});
  const Capture capture =
      read({{"layers.0.weights", square}, {"layers.1.weights", square}}, {{"scale", "0.5"},
                                                                          {"causal", "true"},
                                                                          {"layers.1.scale", "2e-1"},
                                                                          {"layers.1.causal", "false"},
                                                                          {"layers.7.causal", "true"},
                                                                          {"other", "no JSON"}});
  ASSERT_EQ(capture.layers.size(), 2u);
  EXPECT_EQ(capture.layers[0].scale, 0.5);
  EXPECT_EQ(capture.layers[0].causal, true);
  EXPECT_EQ(capture.layers[1].scale, 0.2);
  EXPECT_EQ(capture.layers[1].causal, false);
  const Capture plain = read({{"layers.0.weights", square}});
  EXPECT_FALSE(plain.layers[0].scale || plain.layers[0].causal || plain.layers[0].grid);
  EXPECT_TRUE(plain.layers[0].mask.values.empty());
}

TEST_F(CaptureFactsOfAFile, ScoresAloneAreACapture) {
  const Capture capture = read({{"layers.0.scores", counted({4, 2, 3})}});
  EXPECT_EQ(capture.layers[0].scores.shape(), (Shape{1, 4, 2, 3}));
  EXPECT_EQ(capture.layers[0].num_heads(), 4);
  EXPECT_EQ(capture.query_len, 2);
  EXPECT_EQ(capture.key_len, 3);
}

TEST_F(CaptureFactsOfAFile, AMaskOfFloatsIsAddedAndBroadcasts) {
  Tensor added = counted({1, 3});
  added.mutable_data()[2] = -kInfinity;
  const Capture capture = read({{"layers.0.weights", counted({1, 2, 3, 3})}, {"mask", added}});
  EXPECT_EQ(capture.layers[0].mask.values.shape(), (Shape{1, 3}));
  EXPECT_FALSE(capture.layers[0].mask.is_whole);
  EXPECT_NE(capture.layers[0].mask.where.find("capture.safetensors: mask"), std::string::npos);
  for (const float wrong : {kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    added.mutable_data()[2] = wrong;
    expect_refused({{"layers.0.weights", counted({1, 2, 3, 3})}, {"mask", added}}, {}, {"mask holds", "-inf"});
  }
  expect_refused({{"layers.0.weights", counted({1, 2, 3, 3})}, {"layers.0.mask", counted({2, 3})}}, {},
                 {"layers.0.mask is [2, 3]", "broadcasts", "[1, 2, 3, 3]"});
}

TEST_F(CaptureFactsOfAFile, LayersMayHaveLengthsOfTheirOwn) {
  // An encoder of four tokens, a decoder of three, and what the decoder reads of the encoder.
  const Capture capture = read({{"layers.0.weights", counted({1, 2, 4, 4})},
                                {"layers.1.weights", counted({1, 2, 3, 3})},
                                {"layers.2.weights", counted({1, 2, 3, 4})}},
                               {{"tokens", R"(["x","y","z"])"}, {"key_tokens", R"(["a","b","c","d"])"}});
  EXPECT_EQ(capture.tokens, (Strings{"x", "y", "z"}));
  EXPECT_EQ(capture.key_tokens, (Strings{"a", "b", "c", "d"}));
  ASSERT_TRUE(capture.layers[0].names && capture.layers[1].names);
  EXPECT_EQ(capture.layers[0].names->queries, (Strings{"a", "b", "c", "d"}));
  EXPECT_EQ(capture.layers[0].names->keys, (Strings{"a", "b", "c", "d"}));
  EXPECT_EQ(capture.layers[1].names->queries, (Strings{"x", "y", "z"}));
  EXPECT_EQ(capture.layers[1].names->keys, (Strings{"x", "y", "z"}));
  EXPECT_FALSE(capture.layers[2].names) << "those of the capture";
  EXPECT_EQ(capture.query_len, 3);
  EXPECT_EQ(capture.key_len, 4);
  expect_refused({{"layers.0.weights", counted({1, 2, 4, 4})}, {"layers.1.weights", counted({1, 2, 3, 3})}},
                 {{"tokens", R"(["x","y"])"}}, {"2 tokens for the 3 queries"});
}

TEST_F(CaptureFactsOfAFile, ALayerMayNameItsOwnTokens) {
  const Tensor square = counted({1, 2, 3, 3});
  const Capture capture = read(
      {{"layers.0.weights", square}, {"layers.1.weights", square}},
      {{"tokens", R"(["x","y","z"])"}, {"key_tokens", R"(["k","l","m"])"}, {"layers.0.tokens", R"(["a","b","c"])"}});
  ASSERT_TRUE(capture.layers[0].names);
  EXPECT_EQ(capture.layers[0].names->queries, (Strings{"a", "b", "c"}));
  EXPECT_EQ(capture.layers[0].names->keys, (Strings{"a", "b", "c"})) << "self-attention has one list";
  EXPECT_EQ(capture.key_tokens, (Strings{"k", "l", "m"}));
  expect_metadata_refused({{"layers.0.key_tokens", R"(["x"])"}}, {"layers.0.key_tokens: 1 for the 3 keys"});
}

TEST_F(CaptureFactsOfAFile, PatchesOfAnImageAreNamedByRowAndColumn) {
  const Capture capture = read({{"layers.0.weights", counted({1, 1, 5, 5})}}, {{"grid", "[2, 2]"}});
  EXPECT_EQ(capture.tokens, (Strings{"0", "r0c0", "r0c1", "r1c0", "r1c1"}));
  EXPECT_EQ(capture.key_tokens, capture.tokens);
  EXPECT_FALSE(capture.named_tokens);
  EXPECT_EQ(capture.layers[0].grid, (ImageGrid{2, 2}));
  const Capture cross = read({{"layers.0.weights", counted({1, 1, 2, 6})}}, {{"key_grid", "[2,3]"}});
  EXPECT_EQ(cross.tokens, (Strings{"0", "1"}));
  EXPECT_EQ(cross.key_tokens.back(), "r1c2");
  expect_metadata_refused({{"grid", "[2,2]"}}, {"grid is 2 x 2, 4 patches", "3 positions"});
  expect_metadata_refused({{"layers.0.grid", "[4,1]"}}, {"layers.0.grid is 4 x 1"});
}

TEST_F(CaptureFactsOfAFile, WhatIsNoFactIsRefusedByName) {
  expect_metadata_refused({{"scale", "\"1\""}}, {"metadata scale is a string", "a finite number"});
  expect_metadata_refused({{"scale", "1e999"}}, {"metadata scale", "too large a number"});
  expect_metadata_refused({{"layers.0.scale", "auto"}}, {"metadata layers.0.scale", "JSON"});
  expect_metadata_refused({{"causal", "1"}}, {"metadata causal is a number", "true or false"});
  expect_metadata_refused({{"grid", "[1]"}}, {"metadata grid holds 1 numbers", "rows and columns"});
  expect_metadata_refused({{"grid", "[1, 2.5]"}}, {"metadata grid holds 2.5", "whole numbers"});
  expect_metadata_refused({{"grid", "3"}}, {"metadata grid is a number", "a list"});
  expect_metadata_refused({{"key_grid", "[0, 3]"}}, {"metadata key_grid holds 0"});
}

std::string npy_of(const Tensor& tensor) {
  std::ostringstream out;
  write_npy(out, tensor);
  return out.str();
}

TEST_F(CaptureFactsOfAFile, AnArchiveHoldsThemAsArrays) {
  const auto numbers = [](std::initializer_list<float> values) {
    return npy_of(Tensor::of({static_cast<std::int64_t>(values.size())}, {Axis::feature}, values));
  };
  std::ostringstream keep;
  write_boolean_npy(keep, Tensor::of({2, 2}, {Axis::query, Axis::key}, {1, 0, 1, 1}));
  const std::string path =
      write_text("capture.npz", test::zip_of({{"layers.0.scores.npy", npy_of(counted({1, 1, 2, 2})), true},
                                              {"layers.0.mask.npy", keep.str(), true},
                                              {"scale.npy", numbers({0.25F}), true},
                                              {"layers.0.causal.npy", numbers({1}), true},
                                              {"grid.npy", numbers({1, 2}), true}}));
  const Capture capture = read_capture(path);
  EXPECT_EQ(capture.layers[0].scale, 0.25);
  EXPECT_EQ(capture.layers[0].causal, true);
  EXPECT_EQ(capture.layers[0].grid, (ImageGrid{1, 2}));
  EXPECT_TRUE(capture.layers[0].mask.is_whole);
  const auto refused = [&](const std::string& name, const std::string& array, const Strings& parts) {
    const std::string wrong = write_text(
        "wrong.npz", test::zip_of({{"layers.0.scores.npy", npy_of(counted({1, 1, 2, 2})), true}, {name, array, true}}));
    expect_refusal<Error>([&] { read_capture(wrong); }, parts);
  };
  refused("scale.npy", numbers({1, 2}), {"scale holds 2 numbers", "expected one"});
  refused("causal.npy", numbers({2}), {"causal is 2", "True or False"});
  refused("grid.npy", numbers({3}), {"grid holds 1 numbers"});
  refused("layers.0.mask.npy", npy_of(counted({3, 3})), {"mask is [3, 3]", "broadcasts"});
}

}  // namespace
}  // namespace headscope
