// Files of torch.save: PyTorch's own (tests/golden/make_torch_files.py), and every way in which a storage holds a
// tensor.
#include "core/io/torch_file.h"

#include "core/io/safetensors.h"
#include "tests/core/io/torch_helpers.h"

namespace headscope {
namespace {

using namespace test;

const std::string kTorchFiles = HEADSCOPE_SOURCE_DIR "/tests/golden/torch_files/";

bool file_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

class TorchGolden : public testing::TestWithParam<const char*> {};

TEST_P(TorchGolden, HasTheNumbersOfTheSafetensorsFile) {
  const std::string name = GetParam();
  const TensorFile file = open_torch(kTorchFiles + name);
  const SafetensorsFile expected =
      SafetensorsFile::open(kTorchFiles + name.substr(0, name.find_first_of("-.")) + ".safetensors");
  ASSERT_EQ(file.entries.size(), expected.entries().size());
  for (const SafetensorsEntry& entry : expected.entries()) {
    SCOPED_TRACE(entry.name.substr(0, 40));
    const TensorEntry* found = file.find(entry.name);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->shape, entry.shape);
    const std::vector<float> values = expected.tensor(entry).values();
    EXPECT_TRUE(file_same_bits(file.tensor(*found).values(), values));
    EXPECT_TRUE(file_same_bits(file.weight(*found).values(), values));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, TorchGolden,
                         testing::Values("tensors.pt", "tensors-legacy.pt", "tensors-protocol-4.pt",
                                         "tensors-legacy-protocol-3.pt", "tensors-legacy-protocol-4.pt",
                                         "tensors-legacy-protocol-5.pt", "layer.pt", "layer-legacy.pt", "training.pt"));

TEST(TorchFile, KeepsTypesAndSharesWhatLiesInTheFile) {
  const TensorFile file = open_torch(kTorchFiles + "tensors.pt");
  const auto dtype = [&](const char* name) { return file.find(name)->dtype; };
  EXPECT_EQ(dtype("whole"), "F32");
  EXPECT_EQ(dtype("half"), "F16");
  EXPECT_EQ(dtype("bfloat"), "BF16");
  EXPECT_EQ(dtype("double"), "F64");
  EXPECT_EQ(dtype("bool"), "BOOL");
  EXPECT_EQ(file.find("rows")->bytes, 48u);
  const Tensor whole = file.tensor(*file.find("whole"));
  EXPECT_TRUE(whole.stored());
  EXPECT_TRUE(same_storage(whole, file.tensor(*file.find("again"))));
  EXPECT_EQ(file.tensor(*file.find("rows")).data(), whole.data() + 6);
  EXPECT_EQ(file.weight(*file.find("half")).number_type(), NumberType::float16);
  EXPECT_EQ(file.weight(*file.find("half_transposed")).number_type(), NumberType::float16);
  EXPECT_EQ(file.weight(*file.find("bfloat")).number_type(), NumberType::bfloat16);
}

// [[1, 2, 3], [4, 5, 6]] by every way in which a storage holds a tensor.
TEST(TorchFile, FollowsOffsetsAndStrides) {
  const std::string storage = floats({9, 1, 2, 3, 4, 5, 6, 9});
  struct Case {
    PickledTensor tensor;
    std::vector<float> values;
  };
  const Case cases[] = {
      {{{2, 3}, {3, 1}, 1, 8}, {1, 2, 3, 4, 5, 6}},
      {{{3, 2}, {1, 3}, 1, 8}, {1, 4, 2, 5, 3, 6}},
      {{{2, 2}, {3, 2}, 1, 8}, {1, 3, 4, 6}},
      {{{2, 2}, {0, 1}, 1, 8}, {1, 2, 1, 2}},
      {{{1, 3}, {77, 1}, 4, 8}, {4, 5, 6}},
      {{{}, {}, 6, 8}, {6}},
      {{{0, 3}, {3, 1}, 1000, 8}, {}},
  };
  for (const Case& each : cases) {
    for (const std::string& file : both_files(pickled_dict({{"a", pickled_tensor(each.tensor)}}), storage)) {
      const TorchContents contents = parse_pt(file);
      ASSERT_EQ(contents.tensors.size(), 1u);
      EXPECT_TRUE(file_same_bits(torch_tensor(bytes_of(file), contents, 0, "a.pt").values(), each.values));
    }
  }
}

// PyTorch before 0.4 kept views of storages: numbers 2 to 5 of six.
TEST(TorchFile, FollowsViewsOfStorages) {
  const std::string view = pickled_tuple({pickled_text("v"), pickled_whole(2), pickled_whole(4)});
  const std::string storage = floats({0, 1, 2, 3, 4, 5});
  const auto file = [&](std::int64_t offset) {
    return legacy_torch_file(
        pickled(pickled_dict({{"a", pickled_tensor({{2}, {1}, offset, 6, "0", "FloatStorage", view})}})),
        {{"0", storage}});
  };
  const std::string good = file(2);
  EXPECT_TRUE(file_same_bits(torch_tensor(bytes_of(good), parse_pt(good), 0, "a.pt").values(), {4, 5}));
  expect_in_refusal("number 5 of its storage, which has 4", refused_pt(file(3)));
}

TEST(TorchFile, ReadsWhatNewerVersionsWrite) {
  const std::string untyped = pickled_tuple({pickled_text("storage"), pickled_name("torch.storage", "UntypedStorage"),
                                             pickled_text("0"), pickled_text("cuda:0"), pickled_whole(8)}) +
                              "Q";
  const std::string hooks = pickled_name("collections", "OrderedDict") + ")R";
  const std::string plain = pickled_tensor({{2}, {1}, 0, 2});
  const std::string arguments = plain.substr(plain.find('('), plain.size() - plain.find('(') - 1);
  const std::string dict = pickled_dict({
      {"as_uint16", pickled_call(pickled_name("torch._utils", "_rebuild_tensor_v3"),
                                 {untyped, pickled_whole(1), pickled_wholes({3}), pickled_wholes({1}), "\x89", hooks,
                                  pickled_name("torch", "uint16"), "N"})},
      {"from_type", pickled_call(pickled_name("torch._tensor", "_rebuild_from_type_v2"),
                                 {pickled_name("torch._utils", "_rebuild_tensor_v2"),
                                  pickled_name("torch.nn.parameter", "Parameter"), arguments, "}"})},
      {"with_state",
       pickled_call(pickled_name("torch._utils", "_rebuild_parameter_with_state"), {plain, "\x88", hooks, "}"})},
  });
  std::vector<ZipFile> files = {{"m/data.pkl", pickled(dict)},    {"m/.format_version", "1"},
                                {"m/.storage_alignment", "64"},   {"m/byteorder", "little"},
                                {"m/data/0", floats({1, 2})},     {"m/version", "3\n"},
                                {"m/.data/serialization_id", "1"}};
  const std::string file = zip_of(files);
  const TorchContents contents = parse_pt(file);
  ASSERT_EQ(contents.tensors.size(), 3u);
  EXPECT_EQ(contents.tensors[0].dtype, "U16");
  // 1.0F is 0000 3f80, 2.0F 0000 4000.
  EXPECT_TRUE(file_same_bits(torch_tensor(bytes_of(file), contents, 0, "a.pt").values(), {0x3f80, 0, 0x4000}));
  EXPECT_TRUE(file_same_bits(torch_tensor(bytes_of(file), contents, 1, "a.pt").values(), {1, 2}));
  EXPECT_TRUE(file_same_bits(torch_tensor(bytes_of(file), contents, 2, "a.pt").values(), {1, 2}));
  files[3].content = "big";
  expect_in_refusal("its byte order is \"big\"", refused_pt(zip_of(files)));
}

TEST(TorchFile, TellsStateDictsFromOtherThings) {
  const std::string tensor = pickled_tensor({{1}, {1}, 0, 1});
  const std::string state = pickled_dict({{"a", tensor}, {"number", "K\x05"}});
  const auto names = [&](const std::string& value) {
    std::string all;
    const std::string file = torch_archive(pickled(value), {{"0", floats({1})}});
    for (const TorchTensor& each : parse_pt(file).tensors) all += each.name + " ";
    return all;
  };
  EXPECT_EQ(names(state), "a ");
  EXPECT_EQ(names(pickled_dict({{"state_dict", state}, {"epoch", "K\x05"}})), "a ");
  EXPECT_EQ(names(pickled_dict({{"model", state}, {"optimizer", "}"}})), "a ");
  EXPECT_EQ(names(pickled_dict({{"model", "}"}, {"b", tensor}})), "b ");
  // Python 2: the items of an OrderedDict as a list of pairs.
  EXPECT_EQ(names(pickled_name("collections", "OrderedDict") +
                  "(](](U\x01"
                  "c" +
                  tensor + "eetR"),
            "c ");
  const auto refusal = [&](const std::string& value) {
    return refused_pt(torch_archive(pickled(value), {{"0", floats({1})}}));
  };
  expect_in_refusal("two models, state_dict and model",
                    refusal(pickled_dict({{"state_dict", state}, {"model", state}})));
  expect_in_refusal("a dictionary of \"weights\"; expected tensors by name",
                    refusal(pickled_dict({{"weights", state}})));
  expect_in_refusal("holds a list; expected tensors by name", refusal("](" + tensor + "K\x05" + "e"));
  expect_in_refusal("\"a\": the name stands twice", refusal(pickled_dict({{"a", tensor}, {"a", tensor}})));
  expect_in_refusal("is no UTF-8", refusal(pickled_dict({{"a\xff", tensor}})));
}

TEST(TorchFile, VerifiesTheChecksumOfWhatIsRead) {
  const IoFolder folder;
  std::ofstream(folder.file("a.pt"), std::ios::binary)
      << zip_of({{"m/data.pkl", pickled(pickled_dict({{"a", pickled_tensor({{2}, {1}, 0, 2})}}))},
                 {"m/data/0", floats({1, 2}), false, 0, 1}});
  const TensorFile file = open_torch(folder.file("a.pt"));
  EXPECT_NE(refusal_of([&] { file.tensor(file.entries[0]); }).find("\"m/data/0\" is damaged"), std::string::npos);
}

// The length of its header, which comes first, may be that of a pickle's protocol.
TEST(TorchFile, ASafetensorsFileIsNoPickle) {
  for (const char protocol : {'\x02', '\x03', '\x05'}) {
    EXPECT_TRUE(begins_like_torch(bytes_of(std::string("\x80") + protocol + "]q")));
    const std::string length = std::string("\x80") + protocol + std::string(6, '\0');
    EXPECT_FALSE(begins_like_torch(bytes_of(length + "{\"a\":")));
  }
}

}  // namespace
}  // namespace headscope
