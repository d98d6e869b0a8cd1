// Sizes that files dictate, and what contradicts them.
#include <gtest/gtest.h>

#include <limits>

#include "core/model/seeded.h"
#include "tests/core/model/loading.h"

namespace headscope {
namespace {

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

TEST_F(Loading, ABlockedProjectionMayHaveGroupedHeads) {
  // 6 query heads, 2 of keys and of values, 2 features each: rows [Q 12, K 4, V 4].
  Request request;
  request.phrase = "a";
  request.weights =
      write_layer("out.safetensors", {{"in_proj_weight", counted({20, 5})}, {"out_proj.weight", counted({7, 12})}});
  request.heads = 6;
  EXPECT_EQ(load(request).num_kv_heads, 2);
  request.heads.reset();
  request.kv_heads = 2;
  EXPECT_EQ(load(request).num_heads, 6);
  request.kv_heads = 3;
  expect_usage_error(request, {"--kv-heads", "3", "out.safetensors"});

  request.weights = write_layer("alone.safetensors", {{"in_proj_weight", counted({20, 5})}});
  request.kv_heads = 2;
  request.heads = 6;
  const Inputs inputs = load(request);
  EXPECT_EQ(inputs.head_dim, 2);
  EXPECT_EQ(inputs.num_kv_heads, 2);
  EXPECT_EQ(inputs.d_model, 12);
  request.heads = 8;  // 8 + 2 * 2 does not divide 20
  expect_usage_error(request, {"--kv-heads", "12", "20", "alone.safetensors"});
  request.kv_heads.reset();
  expect_usage_error(request, {"--kv-heads", "20", "alone.safetensors"});

  request.weights = write_layer(
      "extra.safetensors",
      {{"in_proj_weight", counted({20, 5})}, {"bias_k", counted({1, 1, 4})}, {"bias_v", counted({1, 1, 4})}});
  request.heads = 6;
  EXPECT_EQ(load(request).num_kv_heads, 2);

  // Three equal blocks may still be grouped, when the options say so.
  request.weights = write_layer("thirds.safetensors", {{"in_proj_weight", counted({24, 5})}});
  request.heads = 4;
  EXPECT_EQ(load(request).num_kv_heads, 4);
  request.kv_heads = 1;
  EXPECT_EQ(load(request).head_dim, 4);
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
  EXPECT_FALSE(inputs.mask_files[1].is_whole);
  EXPECT_TRUE(inputs.mask_files[2].is_whole);
  EXPECT_EQ(inputs.mask_files[2].values.values(), (std::vector<float>{1, 0, 1, 1}));
  // A mask of 0 and 1 as integers says who may attend, as one of booleans does; adding 1 to scores is never meant.
  header.replace(header.find("|b1"), 3, "|i1");
  request.mask[0] = {
      MaskTerm::Kind::file, 0,
      write_text("i.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + std::string("\x01\x00\x01\x01", 4))};
  EXPECT_TRUE(load(request).mask_files[0].is_whole);
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

}  // namespace
}  // namespace headscope
