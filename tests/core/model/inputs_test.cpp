#include "core/model/inputs.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"
#include "core/model/seeded.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

class Loading : public FilesTest {
 protected:
  Inputs load(const Request& request) { return load_inputs(request, cache_); }
  void expect_usage_error(const Request& request, const std::vector<std::string>& parts) {
    expect_refusal<UsageError>([&] { load(request); }, parts);
  }
  static Request seeded(const std::string& phrase) {
    Request request;
    request.phrase = phrase;
    request.d_model = 16;
    request.heads = 4;
    return request;
  }
  InputCache cache_;
};

TEST_F(Loading, DefaultsAreThoseOfTheContract) {
  Request request;
  request.phrase = "Hola mi nombre es Alex";
  const Inputs inputs = load(request);
  EXPECT_EQ(inputs.tokens, (std::vector<std::string>{"Hola", "mi", "nombre", "es", "Alex"}));
  EXPECT_EQ(inputs.key_tokens, inputs.tokens);
  EXPECT_EQ(inputs.offsets.size(), 5u);
  EXPECT_EQ(inputs.offsets[1], (Range{5, 7}));
  EXPECT_EQ(inputs.batch, 1);
  EXPECT_EQ(inputs.query_len, 5);
  EXPECT_EQ(inputs.key_len, 5);
  EXPECT_EQ(inputs.num_heads, 8);
  EXPECT_EQ(inputs.num_kv_heads, 8);
  EXPECT_EQ(inputs.d_model, 512);
  EXPECT_EQ(inputs.input_dim, 512);
  EXPECT_EQ(inputs.head_dim, 64);
  EXPECT_EQ(inputs.value_head_dim, 64);
  EXPECT_EQ(inputs.x.shape(), (Shape{1, 5, 512}));
  EXPECT_TRUE(inputs.key_x.empty());
  EXPECT_EQ(inputs.weights.source, "seeded 0");
  EXPECT_EQ(inputs.weights.num_heads, 8);
}

TEST_F(Loading, TokenEmbeddingGivesTheSameVectorToTheSameWordEverywhere) {
  Request request = seeded("it saw it");
  request.batch = 3;
  const Inputs inputs = load(request);
  const Tensor it = word_vectors(0, {"it"}, 16);
  for (std::int64_t b = 0; b < 3; ++b) {
    for (std::int64_t f = 0; f < 16; ++f) {
      ASSERT_EQ(inputs.x.at({b, 0, f}), it.at({0, f}));
      ASSERT_EQ(inputs.x.at({b, 2, f}), it.at({0, f}));
    }
  }
}

TEST_F(Loading, TokenEmbeddingLeavesTheLayerAloneWhateverThePhrase) {
  TorchGenerator generator(0);
  const std::vector<float> expected = draw_linear(generator, 16, 48).weight.values();
  EXPECT_EQ(load(seeded("one")).weights.qkv.weight.values(), expected);
  EXPECT_EQ(load(seeded("four quite different words")).weights.qkv.weight.values(), expected);
}

TEST_F(Loading, SequenceEmbeddingDrawsXThenKeyXThenTheLayer) {
  Request request = seeded("a b c");
  request.embedding = Embedding::sequence;
  request.key_phrase = "p q";
  request.batch = 2;
  request.input_dim = 6;
  request.seed = 77;
  const Inputs inputs = load(request);
  TorchGenerator generator(77);
  EXPECT_EQ(inputs.x.values(), draw_sequence(generator, 2, 3, 6).values());
  EXPECT_EQ(inputs.key_x.values(), draw_sequence(generator, 2, 2, 6).values());
  EXPECT_EQ(inputs.weights.qkv.weight.values(), draw_linear(generator, 6, 48).weight.values());
  EXPECT_EQ(inputs.key_tokens, (std::vector<std::string>{"p", "q"}));
  EXPECT_TRUE(same_storage(inputs.value_x, inputs.key_x));
}

TEST_F(Loading, NothingIsDrawnBeforeTheLayerWhenXIsAFile) {
  Request request = seeded("");
  request.embedding = Embedding::sequence;
  request.input = write_npy_file("x.npy", counted({2, 3, 6}));
  const Inputs inputs = load(request);
  TorchGenerator generator(0);
  EXPECT_EQ(inputs.weights.qkv.weight.values(), draw_linear(generator, 6, 48).weight.values());
  EXPECT_EQ(inputs.x.values(), counted({2, 3, 6}).values());
  EXPECT_EQ(inputs.tokens, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_TRUE(inputs.offsets.empty());
  EXPECT_EQ(inputs.batch, 2);
}

TEST_F(Loading, BlockedLayoutReadsTheSameDrawsDifferently) {
  Request request = seeded("a b");
  const Inputs per_head = load(request);
  request.qkv_layout = QkvLayout::blocked;
  const Inputs blocked = load(request);
  EXPECT_EQ(per_head.weights.qkv_layout, QkvLayout::per_head);
  EXPECT_EQ(blocked.weights.qkv_layout, QkvLayout::blocked);
  EXPECT_TRUE(same_storage(per_head.weights.qkv.weight, blocked.weights.qkv.weight));
}

TEST_F(Loading, PositionsAreAddedToXAndKeyXAndTheDrawsStayAsTheyAre) {
  Request request = seeded("a b");
  request.key_phrase = "c d e";
  const Inputs plain = load(request);
  request.position = Position::sinusoidal;
  const Inputs positioned = load(request);
  const Tensor positions = sinusoidal_positions(3, 16);
  for (std::int64_t f = 0; f < 16; ++f) {
    EXPECT_FLOAT_EQ(positioned.x.at({0, 1, f}), plain.x.at({0, 1, f}) + positions.at({1, f}));
    EXPECT_FLOAT_EQ(positioned.key_x.at({0, 2, f}), plain.key_x.at({0, 2, f}) + positions.at({2, f}));
  }
  request.position = Position::none;
  EXPECT_EQ(load(request).x.values(), plain.x.values());
}

TEST_F(Loading, AKeystrokeKeepsTheLayersWeights) {
  Request request = seeded("a b");
  const Inputs before = load(request);
  request.phrase = "a b c";
  const Inputs after = load(request);
  EXPECT_TRUE(same_storage(before.weights.qkv.weight, after.weights.qkv.weight));
  request.heads = 2;
  const Inputs other_heads = load(request);
  EXPECT_TRUE(same_storage(before.weights.qkv.weight, other_heads.weights.qkv.weight));
  EXPECT_EQ(other_heads.weights.num_heads, 2);
  request.seed = 1;
  EXPECT_FALSE(same_storage(before.weights.qkv.weight, load(request).weights.qkv.weight));
}

TEST_F(Loading, ChangedOptionsAreSeenThroughTheCache) {
  Request request = seeded("a b");
  const std::vector<float> plain = load(request).weights.qkv.weight.values();
  request.init_gain = 2;
  EXPECT_FLOAT_EQ(load(request).weights.qkv.weight.values()[5], 2 * plain[5]);
  request.init_gain = 1;
  request.kv_heads = 2;
  const Inputs grouped = load(request);
  EXPECT_EQ(grouped.weights.key.weight.shape(), (Shape{8, 16}));
  EXPECT_EQ(grouped.num_kv_heads, 2);
  request.kv_heads.reset();
  EXPECT_EQ(load(request).weights.qkv.weight.values(), plain);
  request.input_dim = 4;
  EXPECT_EQ(load(request).x.values(), word_vectors(0, {"a", "b"}, 4).values());
}

TEST_F(Loading, AFileThatChangedIsReadAgainAndOldInputsStayAsTheyWere) {
  Request request = seeded("");
  request.input = write_npy_file("x.npy", counted({2, 4}));
  const Inputs before = load(request);
  const Inputs same = load(request);
  EXPECT_TRUE(same_storage(before.x, same.x));
  write_npy_file("x.npy", counted({3, 4}, 9));
  const Inputs after = load(request);
  EXPECT_EQ(after.query_len, 3);
  EXPECT_EQ(after.x.at({0, 0, 0}), 9.0f);
  EXPECT_EQ(before.x.values(), counted({2, 4}).values());
}

TEST_F(Loading, AFileTruncatedUnderUsChangesNothingThatWasLoaded) {
  Request request = seeded("a b");
  request.d_model.reset();
  request.weights = write_layer("w.safetensors", {{"qkv_layer.weight", counted({48, 16})}});
  const Inputs inputs = load(request);
  std::filesystem::resize_file(request.weights, 10);
  EXPECT_EQ(inputs.weights.qkv.weight.values(), counted({48, 16}).values());
  EXPECT_THROW(load(request), Error);
}

TEST_F(Loading, WeightsDecideEverySize) {
  Request request;
  request.phrase = "a b c";
  request.weights = write_layer("w.safetensors",
                                {{"queries.weight", counted({12, 5})},
                                 {"keys.weight", counted({6, 5})},
                                 {"values.weight", counted({4, 5})},
                                 {"fc_out.weight", counted({7, 8})}},
                                {{"num_heads", "4"}});
  const Inputs inputs = load(request);
  EXPECT_EQ(inputs.num_heads, 4);
  EXPECT_EQ(inputs.num_kv_heads, 2);
  EXPECT_EQ(inputs.head_dim, 3);
  EXPECT_EQ(inputs.value_head_dim, 2);
  EXPECT_EQ(inputs.input_dim, 5);
  EXPECT_EQ(inputs.d_model, 7);
  EXPECT_EQ(inputs.x.values(), word_vectors(0, {"a", "b", "c"}, 5).values());
}

TEST_F(Loading, HeadsComeFromTheOptionThenTheFileThenNowhere) {
  Request request;
  request.phrase = "a";
  const std::vector<NamedTensor> layer = {{"qkv_layer.weight", counted({24, 5})}};
  request.weights = write_layer("with.safetensors", layer, {{"num_heads", "4"}});
  EXPECT_EQ(load(request).num_heads, 4);
  request.heads = 2;
  EXPECT_EQ(load(request).num_heads, 2);
  request.heads = 3;
  expect_usage_error(request, {"--heads", "3", "8", "with.safetensors"});
  request.heads.reset();
  request.weights = write_layer("without.safetensors", layer);
  expect_usage_error(request, {"--heads", "num_heads", "without.safetensors"});
}

TEST_F(Loading, GroupedHeadsAreDeducedFromTheNumberOfKeyHeads) {
  Request request;
  request.phrase = "a";
  request.kv_heads = 2;
  request.weights = write_layer(
      "w.safetensors",
      {{"queries.weight", counted({12, 5})}, {"keys.weight", counted({4, 5})}, {"values.weight", counted({4, 5})}});
  const Inputs inputs = load(request);
  EXPECT_EQ(inputs.num_heads, 6);
  EXPECT_EQ(inputs.head_dim, 2);
  request.heads = 3;
  expect_usage_error(request, {"--kv-heads", "2", "w.safetensors", "1"});
}

TEST_F(Loading, OptionsMayRepeatAFilesSizesAndNotContradictThem) {
  Request request;
  request.phrase = "a";
  request.weights = write_layer("w.safetensors", {{"qkv_layer.weight", counted({24, 5})}}, {{"num_heads", "4"}});
  request.d_model = 8;
  request.input_dim = 5;
  request.kv_heads = 4;
  EXPECT_EQ(load(request).d_model, 8);
  request.d_model = 16;
  expect_usage_error(request, {"--d-model", "16", "w.safetensors", "8"});
  request.d_model.reset();
  request.input_dim = 6;
  expect_usage_error(request, {"--input-dim", "6", "w.safetensors", "5"});
  request.input_dim.reset();
  request.kv_heads = 2;
  expect_usage_error(request, {"--kv-heads", "2", "w.safetensors", "4"});
  request.kv_heads.reset();
  request.init_gain = 2;
  expect_usage_error(request, {"--init-gain", "--weights"});
}

TEST_F(Loading, ProjectionsOfDifferentWidthsNeedInputsOfTheirOwn) {
  Request request;
  request.phrase = "a b";
  request.heads = 2;
  request.weights = write_layer(
      "w.safetensors",
      {{"q_proj_weight", counted({4, 4})}, {"k_proj_weight", counted({4, 3})}, {"v_proj_weight", counted({4, 2})}});
  expect_usage_error(request, {"4, 3 and 2", "--key-phrase"});
  request.key_phrase = "p q r";
  const Inputs inputs = load(request);
  EXPECT_EQ(inputs.key_x.shape(), (Shape{1, 3, 3}));
  EXPECT_EQ(inputs.value_x.shape(), (Shape{1, 3, 2}));
  request.embedding = Embedding::sequence;
  EXPECT_EQ(load(request).key_x.shape(), (Shape{1, 3, 3}));
  request.key_phrase.reset();
  request.key_input = write_npy_file("k.npy", counted({5, 3}));
  expect_usage_error(request, {"--key-input", "k.npy", "--value-input"});
  request.value_input = write_npy_file("v.npy", counted({5, 2}));
  EXPECT_EQ(load(request).value_x.shape(), (Shape{1, 5, 2}));
  request.value_input = write_npy_file("v.npy", counted({4, 2}));
  expect_usage_error(request, {"v.npy", "4", "k.npy", "5"});
}

TEST_F(Loading, FilesOfSeededWeightsMustAgreeWithEachOtherAndWithOptions) {
  Request request = seeded("");
  request.input = write_npy_file("x.npy", counted({2, 3, 6}));
  request.input_dim = 7;
  expect_usage_error(request, {"--input-dim", "7", "x.npy", "6"});
  request.input_dim.reset();
  request.batch = 3;
  expect_usage_error(request, {"--batch", "3", "x.npy", "2"});
  request.batch = 2;
  request.key_input = write_npy_file("k.npy", counted({2, 4, 5}));
  expect_usage_error(request, {"k.npy", "5", "x.npy", "6"});
  request.batch.reset();
  request.key_input = write_npy_file("k.npy", counted({4, 6}));
  expect_usage_error(request, {"batch", "k.npy", "1", "x.npy", "2"});
  request.key_input = write_npy_file("k.npy", counted({2, 4, 6}));
  EXPECT_EQ(load(request).key_len, 4);
}

TEST_F(Loading, XMustHaveTwoOrThreeAxesNoneEmpty) {
  Request request = seeded("");
  for (const Shape& shape : {Shape{6}, Shape{1, 2, 3, 4}, Shape{0, 4}, Shape{2, 0, 4}}) {
    request.input = write_npy_file("x.npy", counted(shape));
    expect_usage_error(request, {"--input", "x.npy", to_string(shape)});
  }
  request.input = path("missing.npy");
  EXPECT_THROW(load(request), Error);
}

TEST_F(Loading, AttentionAloneTakesItsSizesFromThreeFiles) {
  Request request;
  request.query = write_npy_file("q.npy", counted({2, 4, 3, 5}));
  request.key = write_npy_file("k.npy", counted({2, 2, 6, 5}));
  request.value = write_npy_file("v.npy", counted({2, 2, 6, 7}));
  const Inputs inputs = load(request);
  EXPECT_EQ(inputs.batch, 2);
  EXPECT_EQ(inputs.num_heads, 4);
  EXPECT_EQ(inputs.num_kv_heads, 2);
  EXPECT_EQ(inputs.query_len, 3);
  EXPECT_EQ(inputs.key_len, 6);
  EXPECT_EQ(inputs.head_dim, 5);
  EXPECT_EQ(inputs.value_head_dim, 7);
  EXPECT_EQ(inputs.d_model, 28);
  EXPECT_TRUE(inputs.weights.empty());
  EXPECT_EQ(inputs.key_tokens.back(), "5");
  EXPECT_EQ(inputs.query.axes(), (Axes{Axis::batch, Axis::head, Axis::position, Axis::feature}));
  request.heads = 8;
  expect_usage_error(request, {"--heads", "8", "q.npy", "4"});
}

TEST_F(Loading, AttentionAloneRefusesFilesThatDoNotFit) {
  Request request;
  request.query = write_npy_file("q.npy", counted({2, 4, 3, 5}));
  request.key = write_npy_file("k.npy", counted({2, 2, 6, 5}));
  expect_usage_error(request, {"--value"});
  request.value = write_npy_file("v.npy", counted({2, 2, 5, 7}));
  expect_usage_error(request, {"--value", "[2, 2, 5, 7]", "[2, 2, 6, 5]", "positions"});
  request.value = write_npy_file("v.npy", counted({2, 4, 6, 7}));
  expect_usage_error(request, {"--value", "heads"});
  request.value = write_npy_file("v.npy", counted({2, 2, 6, 7}));
  request.key = write_npy_file("k.npy", counted({2, 2, 6, 4}));
  expect_usage_error(request, {"--key", "head_dim"});
  request.key = write_npy_file("k.npy", counted({1, 2, 6, 5}));
  expect_usage_error(request, {"--key", "batch"});
  request.key = write_npy_file("k.npy", counted({2, 3, 6, 5}));
  request.value = write_npy_file("v.npy", counted({2, 3, 6, 5}));
  expect_usage_error(request, {"--key", "3 heads", "4"});
  request.query = write_npy_file("q.npy", counted({4, 3, 5}));
  expect_usage_error(request, {"--query", "[4, 3, 5]", "head_dim"});
}

TEST_F(Loading, MaskFilesKeepTheOrderOfTheRequestAndTheirKind) {
  Request request = seeded("a b");
  MaskTerm npy{MaskTerm::Kind::file, 0, write_npy_file("m.npy", counted({2, 2}))};
  MaskTerm csv{MaskTerm::Kind::file, 0, write_text("m.CSV", "0,-inf\n0,0\n")};
  // NumPy's header of np.array([[True, False], [True, True]]).
  std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }";
  header += std::string(118 - header.size() - 1, ' ') + "\n";
  MaskTerm boolean{
      MaskTerm::Kind::file, 0,
      write_text("b.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + std::string("\x01\x00\x01\x01", 4))};
  request.mask = {csv, MaskTerm{}, npy, boolean};
  const Inputs inputs = load(request);
  ASSERT_EQ(inputs.mask_files.size(), 3u);
  EXPECT_EQ(inputs.mask_files[0].path, csv.path);
  EXPECT_EQ(inputs.mask_files[0].values.at({0, 1}), -std::numeric_limits<float>::infinity());
  EXPECT_FALSE(inputs.mask_files[1].is_boolean);
  EXPECT_TRUE(inputs.mask_files[2].is_boolean);
  EXPECT_EQ(inputs.mask_files[2].values.values(), (std::vector<float>{1, 0, 1, 1}));
  request.mask = {MaskTerm{MaskTerm::Kind::file, 0, write_npy_file("five.npy", counted({1, 1, 1, 2, 2}))}};
  expect_usage_error(request, {"--mask", "five.npy", "[1, 1, 1, 2, 2]"});
}

TEST_F(Loading, ADropoutMaskHoldsZerosAndOnesAndBroadcasts) {
  Request request = seeded("a b");
  request.dropout = 0.5;
  request.dropout_mask = write_npy_file("d.npy", Tensor::of({2, 2}, {Axis::query, Axis::key}, {1, 0, 1, 1}));
  EXPECT_EQ(load(request).dropout_mask.values(), (std::vector<float>{1, 0, 1, 1}));
  request.dropout_mask = write_npy_file("d.npy", Tensor::of({2, 2}, {Axis::query, Axis::key}, {1, 0, 0.5f, 1}));
  expect_usage_error(request, {"--dropout-mask", "0.5"});
  request.dropout_mask = write_npy_file(
      "d.npy", Tensor::of({2, 2}, {Axis::query, Axis::key}, {1, 0, std::numeric_limits<float>::quiet_NaN(), 1}));
  expect_usage_error(request, {"--dropout-mask", "nan"});
  request.dropout_mask = write_npy_file("d.npy", Tensor::zeros({3, 2, 2}, {Axis::head, Axis::query, Axis::key}));
  expect_usage_error(request, {"--dropout-mask", "[3, 2, 2]", "[1, 4, 2, 2]"});
}

TEST_F(Loading, PhrasesMustBeUtf8AndHoldAWord) {
  expect_usage_error(seeded("ab \xFF"
                            "c"),
                     {"--phrase", "0xFF", "3"});
  expect_usage_error(seeded(" \t "), {"--phrase", "no word"});
  Request request = seeded("a");
  request.key_phrase = "";
  expect_usage_error(request, {"--key-phrase", "no word"});
  request.key_phrase = "\xC3";
  expect_usage_error(request, {"--key-phrase", "0xC3"});
}

TEST_F(Loading, WhatWouldNotFitInMemoryIsRefusedBeforeItIsDrawn) {
  Request request = seeded("a b");
  request.batch = std::int64_t{1} << 60;
  expect_usage_error(request, {"--batch", "GiB"});
  request.embedding = Embedding::sequence;
  expect_usage_error(request, {"--batch", "GiB"});
  request.batch = 1;
  request.d_model = std::int64_t{1} << 62;
  expect_usage_error(request, {"--d-model", "GiB"});
  request.d_model = 16;
  request.input_dim = std::int64_t{1} << 61;
  expect_usage_error(request, {"GiB"});
}

TEST_F(Loading, WhatThisVersionCannotOpenIsSaid) {
  Request request = seeded("a");
  request.model = "demo:pronouns";
  expect_usage_error(request, {"--model", "demo:pronouns"});
  request = seeded("");
  request.token_ids = {1, 2};
  expect_usage_error(request, {"--token-ids"});
}

TEST_F(Loading, AFailedLoadLeavesTheCacheUsable) {
  Request request = seeded("a b");
  const std::vector<float> x = load(request).x.values();
  Request broken = request;
  broken.input_dim = std::int64_t{1} << 61;
  EXPECT_THROW(load(broken), UsageError);
  broken = request;
  broken.mask = {MaskTerm{MaskTerm::Kind::file, 0, path("missing.npy")}};
  EXPECT_THROW(load(broken), Error);
  EXPECT_EQ(load(request).x.values(), x);
}

}  // namespace
}  // namespace headscope
