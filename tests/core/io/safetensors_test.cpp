#include "core/io/safetensors.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "tests/core/io/io_helpers.h"

namespace headscope {
namespace {

using namespace test;

std::string safetensors(const std::string& header, const std::string& values) {
  return raw(std::uint64_t{header.size()}) + header + values;
}

struct Parsed {
  std::string bytes;
  SafetensorsHeader header;

  explicit Parsed(const std::string& file) : bytes(file), header(parse_safetensors_header(bytes_of(bytes), "a")) {}
  std::vector<float> values(std::size_t entry) const { return tensor(entry).values(); }
  Tensor tensor(std::size_t entry) const {
    return safetensors_tensor(bytes_of(bytes), header, header.entries.at(entry), "a");
  }
};

TEST(Safetensors, ARoundTripKeepsNamesShapesBitsAndMetadata) {
  const IoFolder folder;
  const Tensor a =
      Tensor::of({2, 3}, {Axis::query, Axis::key}, {1.5f, -0.0f, 3e38f, 1e-45f, std::bit_cast<float>(0x7FC00001u), -2});
  const Tensor b = Tensor::of({1}, {Axis::feature}, {7});
  const Tensor turned = a.permuted({1, 0});
  const std::map<std::string, std::string> metadata = {{"tokens", "[\"caf\xc3\xa9\"]"}, {"num_heads", "8"}};
  std::ostringstream out;
  const std::vector<NamedTensorRef> tensors = {{"z \"quoted\"", &a}, {"b", &b}, {"turned", &turned}};
  write_safetensors(out, tensors, metadata);
  EXPECT_EQ(static_cast<std::int64_t>(out.str().size()), safetensors_file_size(tensors, metadata));
  write_bytes(folder.file("a.safetensors"), out.str());

  const SafetensorsFile file = SafetensorsFile::open(folder.file("a.safetensors"));
  EXPECT_EQ(file.metadata(), metadata);
  ASSERT_EQ(file.entries().size(), 3u);
  EXPECT_EQ(file.entries()[0].name, "b");
  ASSERT_NE(file.find("z \"quoted\""), nullptr);
  EXPECT_EQ(file.find("c"), nullptr);
  const Tensor back = file.tensor(*file.find("z \"quoted\""));
  EXPECT_EQ(back.shape(), (Shape{2, 3}));
  EXPECT_TRUE(same_bits(back.values(), a.values()));
  EXPECT_TRUE(same_bits(file.tensor(*file.find("turned")).values(), turned.values()));
}

TEST(Safetensors, ValuesBeginAtAMultipleOfEightBytes) {
  const Tensor one = Tensor::of({1}, {Axis::feature}, {1});
  for (int length = 1; length < 12; ++length) {
    std::ostringstream out;
    write_safetensors(out, {{std::string(static_cast<std::size_t>(length), 'n'), &one}}, {});
    EXPECT_EQ(parse_safetensors_header(bytes_of(out.str()), "a").data_begin % 8, 0u);
  }
}

TEST(Safetensors, ATensorOutlivesItsFileObject) {
  const IoFolder folder;
  const Tensor a = Tensor::of({2}, {Axis::feature}, {4, 5});
  std::ostringstream out;
  write_safetensors(out, {{"a", &a}}, {});
  write_bytes(folder.file("a.safetensors"), out.str());
  Tensor kept;
  {
    const SafetensorsFile file = SafetensorsFile::open(folder.file("a.safetensors"));
    kept = file.tensor(*file.find("a"));
  }
  EXPECT_EQ(kept.values(), (std::vector<float>{4, 5}));
}

TEST(Safetensors, BFloat16AndFloat16AndFloat64AreConverted) {
  const std::string header =
      R"({"b":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]},"d":{"dtype":"F64","shape":[2],"data_offsets":[10,26]},)"
      R"("h":{"dtype":"F16","shape":[2],"data_offsets":[6,10]}})";
  const std::string values = raw(std::uint16_t{0x3FC0}) + raw(std::uint16_t{0xFF80}) + raw(std::uint16_t{0x0001}) +
                             raw(std::uint16_t{0x3C00}) + raw(std::uint16_t{0x0001}) + raw(0.1) + raw(1e300);
  const Parsed file(safetensors(header, values));
  EXPECT_TRUE(
      same_bits(file.values(0), {1.5f, -std::numeric_limits<float>::infinity(), std::bit_cast<float>(0x10000u)}));
  EXPECT_TRUE(same_bits(file.values(1), {0.1f, std::numeric_limits<float>::infinity()}));
  EXPECT_TRUE(same_bits(file.values(2), {1.0f, 0x1p-24f}));
}

TEST(Safetensors, IntegersAndBooleansAreConverted) {
  const std::string header =
      R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"I8","shape":[1],"data_offsets":[2,3]},)"
      R"("c":{"dtype":"U16","shape":[1],"data_offsets":[3,5]},"d":{"dtype":"I64","shape":[],"data_offsets":[5,13]}})";
  const Parsed file(
      safetensors(header, std::string("\x00\x02\xff", 3) + raw(std::uint16_t{65535}) + raw(std::int64_t{-9})));
  EXPECT_EQ(file.values(0), (std::vector<float>{0, 1}));
  EXPECT_EQ(file.values(1), (std::vector<float>{-1}));
  EXPECT_EQ(file.values(2), (std::vector<float>{65535}));
  EXPECT_EQ(file.tensor(3).shape(), (Shape{1}));
  EXPECT_EQ(file.values(3), (std::vector<float>{-9}));
}

TEST(Safetensors, UnalignedFloatsAreRead) {
  const IoFolder folder;
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("b":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}})";
  write_bytes(folder.file("u"), safetensors(header, "x" + raw(1.25f) + raw(-2.5f)));
  const SafetensorsFile file = SafetensorsFile::open(folder.file("u"));
  EXPECT_EQ(file.tensor(*file.find("b")).values(), (std::vector<float>{1.25f, -2.5f}));
}

TEST(Safetensors, TensorsWithoutValuesAndUnknownKeysAreAccepted) {
  const std::string header = R"({"e":{"dtype":"F32","shape":[0,4],"data_offsets":[0,0],"new":{"a":[1,{"b":null}]}},)"
                             R"("f":{"x":true,"dtype":"F32","shape":[1],"data_offsets":[0,4],"y":[[]]},)"
                             R"("g":{"dtype":"I8","shape":[3,0],"data_offsets":[4,4]}}     )";
  const Parsed file(safetensors(header, raw(1.0f)));
  EXPECT_EQ(file.tensor(0).shape(), (Shape{0, 4}));
  EXPECT_EQ(file.tensor(0).size(), 0);
  EXPECT_EQ(file.values(1), (std::vector<float>{1}));
}

TEST(Safetensors, AFileWithoutTensorsIsAccepted) {
  EXPECT_TRUE(parse_safetensors_header(bytes_of(safetensors("{}", "")), "a").entries.empty());
}

TEST(Safetensors, DtypesThatHaveNoFloat32AreNamedWhenRead) {
  const Parsed file(safetensors(R"({"q":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,2]}})", "ab"));
  EXPECT_TRUE(contains(refusal_of([&] { file.tensor(0); }), "F8_E4M3"));
  const Parsed six(safetensors(R"({"q":{"dtype":"U8","shape":[1,1,1,1,1,1],"data_offsets":[0,1]}})", "a"));
  EXPECT_TRUE(contains(refusal_of([&] { six.tensor(0); }), "6 axes"));
}

struct Malformed {
  std::string name;
  std::string bytes;
  std::string says;
};

// One tensor "a" of four bytes with this in its braces.
std::string with_entry(const std::string& inside) {
  return safetensors(R"({"a":{)" + inside + "}}", "1234");
}

std::string ones(int count) {
  std::string list = "1";
  for (int i = 1; i < count; ++i) list += ",1";
  return list;
}

const std::string kOneFloat = R"("dtype":"F32","shape":[1],"data_offsets":[0,4])";

// What is no header, no JSON, or not a header's JSON.
std::vector<Malformed> malformed_headers() {
  return {
      {"empty file", "", "empty"},
      {"seven bytes", "1234567", "too few"},
      {"header length alone", raw(std::uint64_t{2}), "cut short"},
      {"header of length 0", raw(std::uint64_t{0}) + "{}", "'{'"},
      {"header of 2^63 bytes", raw(~std::uint64_t{0}) + "{}", "at most 100000000"},
      {"header of 100,000,001 bytes", raw(std::uint64_t{100000001}) + "{}", "at most 100000000"},
      {"header beyond the file", raw(std::uint64_t{90}) + "{}", "cut short"},
      {"header that begins with a blank", safetensors(" {}", ""), "'{'"},
      {"header that begins with a byte order mark", safetensors("\xef\xbb\xbf{}", ""), "'{'"},
      {"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"},
      {"an HTML page", "<html><body>404</body></html>", "HTML"},
      {"a PyTorch .pt file", std::string("PK\x03\x04", 4) + "archive/data.pkl", "zip"},
      {"a Python pickle", std::string("\x80\x02}q\x00X\x01\x02\x03", 10), "pickle"},
      {"an .npy file", "\x93NUMPY\x01......", ".npy"},
      {"bytes after the header's object", safetensors("{} x", ""), "byte"},
      {"a NUL after the header's object", safetensors(std::string("{}\0", 3), ""), "NUL"},
      {"two objects", safetensors("{}{}", ""), "JSON"},
      {"open object", safetensors("{", "1"), "'{'"},
      {"broken JSON", safetensors("{\"a\":}", ""), "JSON"},
      {"comment", safetensors("{/*x*/}", ""), "JSON"},
      {"invalid UTF-8 in a name", safetensors("{\"\xff\":{}}", ""), "JSON"},
  };
}

std::vector<Malformed> malformed_metadata_and_names() {
  return {
      {"metadata that is a list", safetensors(R"({"__metadata__":[]})", ""), "__metadata__"},
      {"metadata with a number", safetensors(R"({"__metadata__":{"a":1}})", ""), "string"},
      {"metadata with an object", safetensors(R"({"__metadata__":{"a":{}}})", ""), "string"},
      {"metadata key twice", safetensors(R"({"__metadata__":{"a":"1","a":"2"}})", ""), "twice"},
      {"metadata twice", safetensors(R"({"__metadata__":{},"__metadata__":{}})", ""), "twice"},
      {"a name twice", safetensors(R"({"a":{)" + kOneFloat + R"(},"a":{)" + kOneFloat + "}}", "1234"), "twice"},
      {"a key of a tensor twice", with_entry(kOneFloat + R"(,"shape":[1])"), "twice"},
      {"a tensor that is a number", safetensors(R"({"a":3})", ""), "expected an object"},
      {"a tensor that is a list", safetensors(R"({"a":[]})", ""), "expected an object"},
  };
}

std::vector<Malformed> malformed_entries() {
  return {
      {"no dtype", with_entry(R"("shape":[1],"data_offsets":[0,4])"), "dtype is missing"},
      {"no shape", with_entry(R"("dtype":"F32","data_offsets":[0,4])"), "shape is missing"},
      {"no offsets", with_entry(R"("dtype":"F32","shape":[1])"), "data_offsets is missing"},
      {"unknown dtype", with_entry(R"("dtype":"F31","shape":[1],"data_offsets":[0,4])"), "F31"},
      {"dtype is a number", with_entry(R"("dtype":32,"shape":[1],"data_offsets":[0,4])"), "dtype is"},
      {"shape is a number", with_entry(R"("dtype":"F32","shape":1,"data_offsets":[0,4])"), "shape is"},
      {"negative size", with_entry(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), "-1"},
      {"a size that is a fraction", with_entry(R"("dtype":"F32","shape":[1.0],"data_offsets":[0,4])"), "1.0"},
      {"a size that is a string", with_entry(R"("dtype":"F32","shape":["1"],"data_offsets":[0,4])"), "shape holds"},
      {"a size of 2^64", with_entry(R"("dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,4])"), "shape"},
      {"a size of 2^63", with_entry(R"("dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,4])"), "size"},
      {"sizes that overflow", with_entry(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4])"),
       "too large"},
      {"sizes that overflow beside a zero",
       with_entry(R"("dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0])"), "too large"},
      {"65 axes", with_entry(R"("dtype":"U8","data_offsets":[0,1],"shape":[)" + ones(65) + "]"), "axes"},
      {"one offset", with_entry(R"("dtype":"F32","shape":[1],"data_offsets":[0])"), "less than two"},
      {"three offsets", with_entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,4,8])"), "more than two"},
      {"offsets as an object", with_entry(R"("dtype":"F32","shape":[1],"data_offsets":{"a":1})"), "data_offsets is"},
      {"nested offsets", with_entry(R"("dtype":"F32","shape":[1],"data_offsets":[[0,4]])"), "data_offsets holds"},
      {"offsets that run backwards", with_entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"), "backwards"},
      {"negative offset", with_entry(R"("dtype":"F32","shape":[1],"data_offsets":[-4,0])"), "-4"},
      {"offsets too short for the shape", with_entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"), "needs 8"},
      {"half a byte", with_entry(R"("dtype":"F4","shape":[1],"data_offsets":[0,1])"), "F4"},
  };
}

std::vector<Malformed> malformed_layouts() {
  return {
      {"offsets beyond the file", safetensors(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "1234"),
       "cut short"},
      {"bytes after the last tensor", safetensors(R"({"a":{)" + kOneFloat + "}}", "12345"), "has 5"},
      {"values but no tensor", safetensors("{}", "1234"), "has 4"},
      {"a hole in front", safetensors(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "12"), "hole"},
      {"a hole between",
       safetensors(
           R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
           "123"),
       "hole"},
      {"an overlap",
       safetensors(
           R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
           "123"),
       "inside"},
      {"the same bytes for two tensors",
       safetensors(
           R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
           "1"),
       "inside"},
  };
}

TEST(SafetensorsMalformed, EveryBrokenFileIsRefusedWithASentence) {
  const IoFolder folder;
  std::vector<Malformed> files = malformed_headers();
  for (const auto& more : {malformed_metadata_and_names(), malformed_entries(), malformed_layouts()}) {
    files.insert(files.end(), more.begin(), more.end());
  }
  for (const Malformed& file : files) {
    SCOPED_TRACE(file.name);
    const std::string path = folder.file("broken.safetensors");
    write_bytes(path, file.bytes);
    const std::string sentence = refusal_of([&] { SafetensorsFile::open(path); });
    EXPECT_TRUE(contains(sentence, "broken.safetensors")) << sentence;
    EXPECT_TRUE(contains(sentence, file.says)) << sentence;
    EXPECT_LT(sentence.size(), 400u) << sentence;
  }
}

TEST(SafetensorsMalformed, DeepNestingIsNoDanger) {
  const std::string deep(2'000'000, '[');
  EXPECT_THROW(parse_safetensors_header(bytes_of(safetensors("{\"a\":" + deep, "")), "deep"), Error);
  const std::string skipped = R"({"a":{"other":)" + deep;
  EXPECT_THROW(parse_safetensors_header(bytes_of(safetensors(skipped, "")), "deep"), Error);
}

TEST(SafetensorsMalformed, NoTruncationOfAGoodFileIsRead) {
  const Tensor a = Tensor::of({2, 2}, {Axis::query, Axis::key}, {1, 2, 3, 4});
  std::ostringstream out;
  write_safetensors(out, {{"a", &a}, {"b", &a}}, {{"k", "v"}});
  for (std::size_t size = 0; size < out.str().size(); ++size) {
    const std::string cut = out.str().substr(0, size);
    EXPECT_THROW(parse_safetensors_header(bytes_of(cut), "cut"), Error) << size;
  }
}

}  // namespace
}  // namespace headscope
