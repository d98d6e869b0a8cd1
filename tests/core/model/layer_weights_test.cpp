#include "core/model/layer_weights.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/model/model_files.h"

namespace headscope {
namespace {

using Named = std::vector<NamedTensor>;

Named fused(std::int64_t rows = 12, std::int64_t in = 5) {
  return {{"qkv_layer.weight", counted({rows, in})},
          {"qkv_layer.bias", counted({rows})},
          {"linear_layer.weight", counted({rows / 3, rows / 3})},
          {"linear_layer.bias", counted({rows / 3})}};
}

Named torch_blocked() {
  return {{"in_proj_weight", counted({12, 4})},
          {"in_proj_bias", counted({12})},
          {"out_proj.weight", counted({4, 4})},
          {"out_proj.bias", counted({4})}};
}

Named torch_separate() {
  return {{"q_proj_weight", counted({4, 4})},  {"k_proj_weight", counted({4, 3})},   {"v_proj_weight", counted({4, 2})},
          {"in_proj_bias", counted({12})},     {"out_proj.weight", counted({4, 4})}, {"bias_k", counted({1, 1, 4})},
          {"bias_v", counted({1, 1, 4}, 0.5f)}};
}

Named separate() {
  return {{"queries.weight", counted({8, 8})},
          {"keys.weight", counted({8, 8}, 1)},
          {"values.weight", counted({8, 8}, 2)},
          {"fc_out.weight", counted({8, 8}, 3)}};
}

Named without(Named tensors, const std::string& name) {
  std::erase_if(tensors, [&](const NamedTensor& tensor) { return tensor.name == name; });
  return tensors;
}

Named with(Named tensors, const std::string& name, const Tensor& tensor) {
  tensors = without(std::move(tensors), name);
  tensors.push_back({name, tensor});
  return tensors;
}

LayerWeights layer_of(const Named& tensors, QkvLayout layout = QkvLayout::automatic) {
  return layer_weights_from(tensors, layout, "file.safetensors");
}

void expect_error(const Named& tensors, std::vector<std::string> parts) {
  parts.push_back("file.safetensors");
  expect_refusal<Error>([&] { layer_of(tensors); }, parts);
}

TEST(LayerWeights, FusedRowsArePerHeadByTheTutorialsNames) {
  const LayerWeights layer = layer_of(fused());
  EXPECT_TRUE(layer.fused());
  EXPECT_EQ(layer.qkv_layout, QkvLayout::per_head);
  EXPECT_EQ(layer.qkv.weight.shape(), (Shape{12, 5}));
  EXPECT_EQ(layer.qkv.bias.shape(), (Shape{12}));
  EXPECT_EQ(layer.output.weight_name, "linear_layer.weight");
  EXPECT_EQ(layer.source, "file.safetensors");
  EXPECT_FALSE(layer.num_heads);
}

TEST(LayerWeights, FusedRowsAreBlockedByTorchsNames) {
  const LayerWeights layer = layer_of(torch_blocked());
  EXPECT_TRUE(layer.fused());
  EXPECT_EQ(layer.qkv_layout, QkvLayout::blocked);
  EXPECT_EQ(layer.qkv.bias_name, "in_proj_bias");
}

TEST(LayerWeights, TheLayoutOptionOverridesTheNames) {
  EXPECT_EQ(layer_of(fused(), QkvLayout::blocked).qkv_layout, QkvLayout::blocked);
  EXPECT_EQ(layer_of(torch_blocked(), QkvLayout::per_head).qkv_layout, QkvLayout::per_head);
  expect_refusal<UsageError>([] { layer_of(separate(), QkvLayout::blocked); }, {"--qkv-layout", "file.safetensors"});
}

TEST(LayerWeights, OneBiasIsSlicedForThreeTorchProjections) {
  const LayerWeights layer = layer_of(torch_separate());
  EXPECT_FALSE(layer.fused());
  EXPECT_EQ(layer.key.weight.shape(), (Shape{4, 3}));
  const Tensor bias = counted({12});
  EXPECT_EQ(layer.query.bias.values(), bias.sliced(0, 0, 4).values());
  EXPECT_EQ(layer.key.bias.values(), bias.sliced(0, 4, 8).values());
  EXPECT_EQ(layer.value.bias.values(), bias.sliced(0, 8, 12).values());
  EXPECT_EQ(layer.bias_k.shape(), (Shape{4}));
  EXPECT_EQ(layer.bias_v.at({0}), 0.5f);
}

TEST(LayerWeights, SeparateProjectionsMayHaveNoBiasOrSome) {
  const LayerWeights bare = layer_of(separate());
  EXPECT_TRUE(bare.query.bias.empty());
  EXPECT_EQ(bare.value.weight.at({0, 0}), 2.0f);
  const LayerWeights one = layer_of(with(separate(), "keys.bias", counted({8})));
  EXPECT_TRUE(one.query.bias.empty());
  EXPECT_EQ(one.key.bias.shape(), (Shape{8}));
}

TEST(LayerWeights, XTimesWIsReadTransposed) {
  const LayerWeights layer =
      layer_of({{"Wq", counted({3, 4})}, {"Wk", counted({3, 4})}, {"Wv", counted({3, 6})}, {"Wo", counted({6, 5})}});
  EXPECT_EQ(layer.query.weight.shape(), (Shape{4, 3}));
  EXPECT_EQ(layer.query.weight.at({1, 2}), counted({3, 4}).at({2, 1}));
  EXPECT_EQ(layer.output.weight.shape(), (Shape{5, 6}));
}

TEST(LayerWeights, TheOutputMayBeMissing) {
  EXPECT_TRUE(layer_of(without(separate(), "fc_out.weight")).output.empty());
  EXPECT_TRUE(layer_of({fused()[0]}).output.empty());
  expect_error(without(fused(), "linear_layer.weight"), {"linear_layer.bias", "without linear_layer.weight"});
}

TEST(LayerWeights, GroupedKeysAreAccepted) {
  Named grouped = {{"queries.weight", counted({8, 6})},
                   {"keys.weight", counted({4, 6})},
                   {"values.weight", counted({4, 6})},
                   {"fc_out.weight", counted({6, 8})}};
  EXPECT_EQ(layer_of(grouped).key.weight.dim(0), 4);
  expect_error(with(grouped, "fc_out.weight", counted({6, 4})), {"fc_out.weight", "takes 4", "give 8"});
  expect_error(with(grouped, "keys.weight", counted({3, 6})), {"queries.weight", "8", "keys.weight", "3"});
}

TEST(LayerWeights, MissingNamesAreNamed) {
  expect_error({}, {"no tensor", "expected one attention layer"});
  expect_error({{"weight", counted({2, 2})}}, {"weight", "expected one attention layer"});
  expect_error(without(separate(), "keys.weight"), {"keys.weight is missing"});
  expect_error(without(torch_separate(), "v_proj_weight"), {"v_proj_weight is missing"});
  expect_error({{"Wq", counted({2, 2})}}, {"Wk, Wv is missing"});
}

TEST(LayerWeights, UnknownNamesAreListed) {
  expect_error(with(fused(), "extra.weight", counted({2})), {"extra.weight", "does not have"});
  expect_error(with(fused(), "out_proj.weight", counted({4, 4})), {"out_proj.weight", "does not have"});
  expect_error(with(separate(), "bias_k", counted({8})), {"bias_k", "does not have"});
  Named many = fused();
  for (int i = 0; i < 30; ++i) many.push_back({"layer." + std::to_string(i), counted({1})});
  expect_error(many, {"layer.0", "and 22 more"});
}

TEST(LayerWeights, TwoLayersInOneFileAreRefused) {
  Named both = fused();
  for (const NamedTensor& tensor : separate()) both.push_back(tensor);
  expect_error(both, {"two layers"});
  Named torch = torch_blocked();
  for (const NamedTensor& tensor : torch_separate()) {
    if (tensor.name.find("_proj_weight") == 1) torch.push_back(tensor);
  }
  expect_error(torch, {"two layers"});
}

TEST(LayerWeights, ShapesThatDoNotFitAreNamed) {
  expect_error(with(fused(), "qkv_layer.weight", counted({11, 5})), {"qkv_layer.bias", "[12]", "[11]"});
  expect_error({{"qkv_layer.weight", counted({11, 5})}}, {"qkv_layer.weight", "[11, 5]", "3 must divide"});
  expect_error({{"qkv_layer.weight", counted({12})}}, {"qkv_layer.weight", "[12]", "[out, in]"});
  expect_error({{"qkv_layer.weight", counted({2, 3, 5})}}, {"[2, 3, 5]"});
  expect_error({{"qkv_layer.weight", counted({0, 5})}}, {"[0, 5]"});
  expect_error({{"qkv_layer.weight", Tensor()}}, {"[]"});
  expect_error(with(fused(), "qkv_layer.bias", counted({6, 2})), {"qkv_layer.bias", "[6, 2]", "[12]"});
  expect_error(with(fused(), "linear_layer.weight", counted({4, 5})), {"linear_layer.weight", "takes 5", "give 4"});
  expect_error(with(torch_separate(), "in_proj_bias", counted({11})), {"in_proj_bias", "[11]", "[12]"});
  expect_error(with(torch_separate(), "bias_k", counted({1, 1, 3})), {"bias_k", "[1, 1, 3]", "[4]"});
  expect_error(without(torch_separate(), "bias_v"), {"bias_k", "bias_v", "both"});
}

TEST(LayerWeights, RowsOfABlockedProjectionFitItsOutputOrItsExtraKey) {
  EXPECT_EQ(layer_of(torch_blocked()).fused_key_rows, 4);
  const Named grouped = {{"in_proj_weight", counted({8, 5})}, {"out_proj.weight", counted({3, 4})}};
  EXPECT_EQ(layer_of(grouped).fused_key_rows, 2);
  for (const std::int64_t features : {3, 5, 8, 9}) {  // odd rest, keys beyond queries, nothing left
    expect_error(with(grouped, "out_proj.weight", counted({3, features})),
                 {"in_proj_weight", "[8, 5]", "takes " + std::to_string(features)});
  }
  const Named extra = {{"in_proj_weight", counted({8, 5})}, {"bias_k", counted({2})}, {"bias_v", counted({2})}};
  EXPECT_EQ(layer_of(extra).fused_key_rows, 2);
  expect_error(with(extra, "bias_k", counted({3})), {"[8, 5]", "bias_k has 3"});
  expect_error(with(extra, "bias_k", counted({4})), {"[8, 5]", "bias_k has 4"});
}

TEST(WeightsSha256, KnowsEveryValueShapeAndPlace) {
  const std::string sha = sha256_of(layer_of(separate()));
  EXPECT_EQ(sha.size(), 64u);
  EXPECT_EQ(sha.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(sha, sha256_of(layer_of(separate())));
  Tensor changed = counted({8, 8}, 3);
  changed.mutable_data()[63] += 1;
  EXPECT_NE(sha, sha256_of(layer_of(with(separate(), "fc_out.weight", changed))));
  EXPECT_NE(sha, sha256_of(layer_of(without(separate(), "fc_out.weight"))));
  EXPECT_NE(sha256_of(layer_of({{"qkv_layer.weight", counted({3, 4})}})),
            sha256_of(layer_of({{"qkv_layer.weight", counted({6, 2})}})));
  // SHA-256 of no bytes (FIPS 180-4).
  EXPECT_EQ(sha256_of(LayerWeights{}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(WeightsSha256, IsTheSameForAViewAndItsCopy) {
  LayerWeights layer = layer_of({{"Wq", counted({3, 4})}, {"Wk", counted({3, 4})}, {"Wv", counted({3, 4})}});
  const std::string sha = sha256_of(layer);
  layer.query.weight = layer.query.weight.dense_copy();
  EXPECT_EQ(sha256_of(layer), sha);
}

using LayerFile = FilesTest;

TEST_F(LayerFile, CarriesItsNumberOfHeads) {
  const LayerWeights layer =
      read_layer_weights(write_layer("a.safetensors", fused(), {{"num_heads", "2"}}), QkvLayout::automatic);
  EXPECT_EQ(layer.num_heads, 2);
  EXPECT_EQ(layer.qkv.weight.values(), counted({12, 5}).values());
  EXPECT_EQ(layer.source, path("a.safetensors"));
}

TEST_F(LayerFile, RefusesANumberOfHeadsThatIsNone) {
  for (const char* text : {"", "0", "-2", "2.0", "two", "2 ", "99999999999999999999"}) {
    const std::string file = write_layer("a.safetensors", fused(), {{"num_heads", text}});
    expect_refusal<Error>([&] { read_layer_weights(file, QkvLayout::automatic); }, {file, "num_heads"});
  }
}

TEST_F(LayerFile, WeightsKeepTheTwoBytesANumberOfTheirFile) {
  const std::string bytes = [] {
    std::string text;
    for (int i = 0; i < 24; ++i) text += {static_cast<char>(i * 9), static_cast<char>(0x3C + i % 3)};
    return text;
  }();
  for (const char* dtype : {"F16", "BF16"}) {
    std::string header = R"({"Wq":{"dtype":")" + std::string(dtype) +
                         R"(","shape":[4,2],"data_offsets":[0,16]},"Wk":{"dtype":")" + dtype +
                         R"(","shape":[4,2],"data_offsets":[16,32]},"Wv":{"dtype":")" + dtype +
                         R"(","shape":[4,2],"data_offsets":[32,48]}})";
    header.append((8 - header.size() % 8) % 8, ' ');
    std::string file;
    for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xFF);
    const LayerWeights layer =
        read_layer_weights(write_text("two.safetensors", file + header + bytes), QkvLayout::automatic);
    EXPECT_EQ(layer.key.weight.number_type(), dtype[0] == 'F' ? NumberType::float16 : NumberType::bfloat16);
    EXPECT_EQ(layer.key.weight.shape(), (Shape{2, 4}));
    // The same numbers as float32: the same values, and the same layer by its SHA-256.
    const SafetensorsFile same = SafetensorsFile::open(path("two.safetensors"));
    Named floats;
    for (const SafetensorsEntry& entry : same.entries()) floats.push_back({entry.name, same.tensor(entry)});
    const LayerWeights wide = layer_weights_from(floats, QkvLayout::automatic, "wide");
    EXPECT_TRUE(wide.key.weight.stored());
    EXPECT_EQ(layer.key.weight.values(), wide.key.weight.values());
    EXPECT_EQ(sha256_of(layer), sha256_of(wide));
  }
}

TEST_F(LayerFile, SaysWhatAFileIsThatIsNoLayer) {
  expect_refusal<Error>([&] { read_layer_weights(path("none.safetensors"), QkvLayout::automatic); },
                        {"none.safetensors"});
  const std::string pointer =
      write_text("lfs.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
  expect_refusal<Error>([&] { read_layer_weights(pointer, QkvLayout::automatic); }, {"lfs.safetensors", "LFS"});
}

}  // namespace
}  // namespace headscope
