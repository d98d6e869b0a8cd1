// Archives as NumPy writes them, and as somebody who wants harm would.
#include "core/io/npz.h"

#include <sstream>

#include "core/io/npy.h"
#include "core/io/zip_archive.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/npz_files.h"

namespace headscope {
namespace {

using namespace test;
using Strings = std::vector<std::string>;

std::vector<float> values_of(const Tensor& tensor) {
  const Tensor dense = tensor.dense_copy();
  return {dense.data(), dense.data() + dense.size()};
}

std::string npy_of(const Shape& shape, float first) {
  Axes axes;
  for (int axis = 0; axis < shape.count; ++axis) axes.push_back(Axis::feature);
  Tensor tensor = Tensor::zeros(shape, axes);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data()[i] = first + static_cast<float>(i);
  std::ostringstream out;
  write_npy(out, tensor);
  return out.str();
}

// An array of strings; `units` is all that stands behind the header.
std::string strings_npy(const std::string& descr, const std::string& shape, const std::string& units) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + raw(static_cast<std::uint16_t>(header.size())) + header + units;
}

std::vector<NpzEntry> read(const std::string& bytes) {
  return parse_npz(bytes_of(bytes), "a.npz");
}

std::string refused(const std::string& bytes) {
  return refusal_of([&] { read(bytes); });
}

TEST(Npz, ReadsWhatNumpySavezWrote) {
  const std::string file = from_hex(kStoredNpz);
  const std::vector<NpzEntry> entries = read(file);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "weights");
  EXPECT_TRUE(entries[0].holds_numbers());
  EXPECT_EQ(values_of(parse_npz_array(entries[0]).tensor), (std::vector<float>{1, 0, 0.25F, 0.75F}));
  EXPECT_EQ(entries[1].name, "tokens");
  EXPECT_TRUE(entries[1].holds_texts());
  EXPECT_EQ(parse_npz_texts(entries[1]), (Strings{"a", "\xC3\xA9"}));
}

TEST(Npz, ReadsWhatNumpySavezCompressedWrote) {
  const std::string file = from_hex(kDeflatedNpz);
  const std::vector<NpzEntry> entries = read(file);
  ASSERT_EQ(entries.size(), 2u);
  for (const NpzEntry& entry : entries) {
    EXPECT_EQ(values_of(parse_npz_array(entry).tensor), (std::vector<float>{1, 0, 0.25F, 0.75F})) << entry.name;
  }
  EXPECT_EQ(entries[1].name, "arr_1");
}

TEST(Npz, ReadsAFileThatIsMapped) {
  const IoFolder folder;
  write_bytes(folder.file("a.npz"), zip_of({{"x.npy", npy_of({2, 3}, 1)}, {"y.npy", npy_of({4}, 7), true}}));
  const std::vector<NpzEntry> entries = read_npz(folder.file("a.npz"));
  EXPECT_EQ(values_of(parse_npz_array(entries.at(0)).tensor), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of(parse_npz_array(entries.at(1)).tensor), (std::vector<float>{7, 8, 9, 10}));
}

TEST(Npz, TruncatedAnywhereIsRefused) {
  for (const char* hex : {kStoredNpz, kDeflatedNpz}) {
    const std::string whole = from_hex(hex);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_TRUE(contains(refused(whole.substr(0, size)), "a.npz")) << size;
    }
  }
}

// Whatever byte is wrong, it is refused or has nothing to do with the values.
TEST(Npz, AFlippedByteNeverGivesOtherValues) {
  const std::string whole = from_hex(kDeflatedNpz);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
    try {
      for (const NpzEntry& entry : read(bytes)) {
        EXPECT_EQ(values_of(parse_npz_array(entry).tensor), (std::vector<float>{1, 0, 0.25F, 0.75F})) << at;
      }
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.what(), "a.npz")) << at << ": " << error.what();
    }
  }
}

TEST(Npz, SaysWhatIsWrongWithAMember) {
  const std::string array = npy_of({2, 2}, 1), zeros(100000, '\0');
  EXPECT_TRUE(contains(refused(zip_of({{.name = "x.npy", .content = array, .checksum_off = 1}})), "checksum"));
  EXPECT_TRUE(contains(refused(zip_of({{.name = "x.npy", .content = array, .deflated = true, .checksum_off = 1}})),
                       "checksum"));
  EXPECT_TRUE(contains(refused(zip_of({{.name = "x.npy", .content = array, .deflated = true, .bytes_off = 1}})),
                       "less than the archive says"));
  EXPECT_TRUE(
      contains(refused(zip_of({{.name = "x.npy", .content = array, .deflated = true, .bytes_off = std::uint32_t(-1)}})),
               "more than the archive says"));
  EXPECT_TRUE(contains(refused(zip_of({{.name = "x.npy", .content = array, .bytes_off = 8}})), "two sizes"));
  EXPECT_TRUE(contains(refused(zip_of({{.name = "x.npy", .content = array, .flags = 1}})), "encrypted"));
  EXPECT_TRUE(contains(refused(zip_of({{.name = "x.npy", .content = array, .method = 14}})), "method 14"));
  EXPECT_TRUE(contains(refused(zip_of({{"x.npy", array}, {"x.npy", array}})), "stands twice"));
  EXPECT_TRUE(contains(refused(zip_of({{"archive/data.pkl", "abc"}})), "without arrays"));
  EXPECT_TRUE(contains(refused(zip_of({{"x.npy", "abc"}})), "not an .npy file"));
  EXPECT_TRUE(contains(refused(""), "not a zip archive: it is empty"));
  EXPECT_TRUE(contains(refused(array), "not a zip archive"));
}

TEST(Npz, RefusesBombs) {
  // 4 GB said to lie in a few bytes.
  const std::string few = zip_of({{.name = "x.npy", .content = "abc", .deflated = true, .bytes_off = 4000000000u}});
  EXPECT_TRUE(contains(refused(few), "which no deflated data does"));
  // Two members that are the same bytes.
  std::string twice = zip_of({{"x.npy", npy_of({4}, 1)}, {"y.npy", npy_of({4}, 1)}});
  const std::size_t second = twice.rfind("PK\x01\x02");
  twice.replace(second + 42, 4, std::string(4, '\0'));
  EXPECT_TRUE(contains(refused(twice), "two names")) << refused(twice);
  std::string same_name = twice;
  same_name[second + 46] = 'x';
  EXPECT_TRUE(contains(refused(same_name), "stands twice"));
}

TEST(Npz, ReadsTextsOfEveryKind) {
  const auto texts = [](const std::string& npy) { return parse_npz_texts(read(zip_of({{"t.npy", npy}})).at(0)); };
  EXPECT_EQ(texts(strings_npy("|S3", "(2,)", std::string("cat\0\0\0", 6))), (Strings{"cat", ""}));
  EXPECT_EQ(texts(strings_npy(">U1", "(1,)", std::string("\0\0\0\xE9", 4))), (Strings{"\xC3\xA9"}));
  const auto refusal = [&](const std::string& npy) { return refusal_of([&] { texts(npy); }); };
  EXPECT_TRUE(contains(refusal(strings_npy("|S3", "(2,)", "cat")), "2 strings of 3 bytes"));
  EXPECT_TRUE(contains(refusal(strings_npy("|S1", "(1, 1)", "a")), "of one axis"));
  EXPECT_TRUE(contains(refusal(strings_npy("|S1", "(1,)", "\xFF")), "not UTF-8"));
  EXPECT_TRUE(contains(refusal(strings_npy("<U1", "(1,)", std::string("\0\xD8\0\0", 4))), "no character"));
  EXPECT_TRUE(contains(refusal(strings_npy("|S0", "(999999999999,)", "")), "strings of 0 bytes"));
  EXPECT_TRUE(contains(refusal(npy_of({2}, 0)), "strings"));
}

}  // namespace
}  // namespace headscope
