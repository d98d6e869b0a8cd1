#include "core/model/load_inputs.h"

#include <gtest/gtest.h>

#include "core/model/seeded.h"
#include "tests/core/model/loading.h"

namespace headscope {
namespace {

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

TEST_F(Loading, ARequestNobodyWantsAnyMoreStopsWhileVectorsAndWeightsAreDrawnAndLeavesTheCacheWhole) {
  CancelToken cancelled;
  cancelled.cancel();
  for (const Embedding embedding : {Embedding::token, Embedding::sequence}) {
    Request request = seeded("the cat saw the dog");
    request.embedding = embedding;
    InputCache cache;
    EXPECT_THROW(load_inputs(request, cache, cancelled), Cancelled);
    load_inputs(seeded("quite other"), cache);  // the layer is known now, the words are not
    if (embedding == Embedding::token) {
      EXPECT_THROW(load_inputs(request, cache, cancelled), Cancelled);
    }
    const Inputs after = load_inputs(request, cache), fresh = load(request);
    EXPECT_EQ(after.x.values(), fresh.x.values());
    EXPECT_EQ(after.weights.qkv.weight.values(), fresh.weights.qkv.weight.values());
  }
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

TEST_F(Loading, AValueFileGetsPositionsAsTheSameKeyFileWould) {
  Request request;
  request.d_model = 8;
  request.position = Position::sinusoidal;
  request.input = write_npy_file("x.npy", counted({1, 2, 4}));
  request.key_input = write_npy_file("k.npy", counted({1, 3, 4}));
  const std::vector<float> values = load(request).value_x.values();
  request.value_input = request.key_input;
  EXPECT_EQ(load(request).value_x.values(), values);
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
  request.model = "demo:nobody";
  expect_usage_error(request, {"demo:nobody"});
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
