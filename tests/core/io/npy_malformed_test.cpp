#include "core/io/npy.h"
#include "tests/core/io/io_helpers.h"
#include "tests/core/io/numpy_files.h"

namespace headscope {
namespace {

using namespace test;

// An .npy file of version 1 with this header text and these values.
std::string npy(const std::string& header, const std::string& values) {
  return std::string("\x93NUMPY\x01\x00", 8) + raw(static_cast<std::uint16_t>(header.size())) + header + values;
}

std::string with_shape(const std::string& shape, const std::string& values = "") {
  return npy("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }", values);
}

std::string with_descr(const std::string& descr) {
  return npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }", std::string(16, '\0'));
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

struct Malformed {
  std::string name;
  std::string bytes;
  std::string says;  // part of the sentence
};

std::vector<Malformed> malformed_files() {
  const std::string good = from_hex(kVersion2);
  std::vector<Malformed> files = {
      {"empty file", "", "empty"},
      {"one byte", "\x93", "not an .npy file"},
      {"magic alone", "\x93NUMPY", "cut short"},
      {"no header length", std::string("\x93NUMPY\x01\x00", 8), "cut short"},
      {"version 2 without a length", std::string("\x93NUMPY\x02\x00\x10\x00", 10), "cut short"},
      {"header beyond the file", std::string("\x93NUMPY\x01\x00\x76\x00{", 11), "cut short"},
      {"header of 10,001 bytes", npy(std::string(10001, ' '), ""), "at most 10000"},
      {"header of 4 GB", std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "at most 10000"},
      {"version 9", std::string("\x93NUMPY\x09\x00\x02\x00{}", 12), "version 9"},
      {"version 0", std::string("\x93NUMPY\x00\x00\x02\x00{}", 12), "version 0"},
      {"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", "git lfs pull"},
      {"an HTML page", "\n<!DOCTYPE html><html>", "HTML page"},
      {"an npz", std::string("PK\x03\x04", 4) + std::string(30, 'x'), "zip archive"},
      {"gzip", "\x1f\x8b\x08zzzz", "gunzip"},
      {"a picture", "\x89PNG\r\n\x1a\n....", "PNG"},
      {"JSON", "{\"a\": 1}", "JSON"},
      {"Python objects", from_hex(kObjects), "Python objects"},
      {"structured array", from_hex(kStructured), "structured"},
      {"strings", with_descr("'<U4'"), "strings"},
      {"complex", with_descr("'<c8'"), "complex"},
      {"dates", with_descr("'<M8[ns]'"), "dates"},
      {"long double", with_descr("'<f16'"), "not read"},
      {"raw records", with_descr("'|V4'"), "raw records"},
      {"a type of no name", with_descr("''"), "unnamed"},
      {"f3", with_descr("'<f3'"), "not read"},
      {"descr is a number", with_descr("4"), "in quotes"},
      {"no shape", npy("{'descr': '<f4', 'fortran_order': False}", "1234"), "'shape' is missing"},
      {"no order", npy("{'descr': '<f4', 'shape': (1,)}", "1234"), "'fortran_order' is missing"},
      {"no descr", npy("{'fortran_order': False, 'shape': (1,)}", "1234"), "'descr' is missing"},
      {"a key twice", npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234"), "twice"},
      {"unknown key", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'evil': 1}", "1234"), "'evil'"},
      {"order is 1", npy("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}", "1234"), "True or False"},
      {"not a dict", npy("[1, 2]", ""), "expected '{'"},
      {"no closing brace", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", "1234"), "expected '}'"},
      {"code after the dict", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} or 1", "1234"), "after"},
      {"a call", npy("{'descr': __import__('os'), 'fortran_order': False, 'shape': (1,)}", "1234"), "in quotes"},
      {"an open string", npy("{'descr': '<f4", ""), "without an end"},
      {"a NUL in the header", npy(std::string("{'descr': '<\0f4'}", 17), ""), "0x00"},
      {"shape is a number", with_shape("1", "1234"), "expected '('"},
      {"shape (1) is no tuple", with_shape("(1)", "1234"), "','"},
      {"negative size", with_shape("(-1,)"), "negative"},
      {"a size of 2^64", with_shape("(18446744073709551616,)"), "64 bits"},
      {"a size that is a fraction", with_shape("(1.5,)", "123456"), "expected"},
      {"sizes that overflow", with_shape("(4294967296, 4294967296, 4294967296)"), "too large"},
      {"sizes that overflow beside a zero", with_shape("(0, 4294967296, 4294967296, 4294967296)"), "too large"},
      {"sizes that wrap around to 4 bytes", with_shape("(4611686018427387905, 4)", "1234"), "too large"},
      {"a terabyte that is not there", with_shape("(274877906944,)", "1234"), "the file has 4"},
      {"six axes", with_shape("(1, 1, 1, 1, 1, 1)", "1234"), "6 axes"},
      {"70 axes", with_shape("(" + repeated("1,", 70) + ")"), "axes"},
      {"one value too few", good.substr(0, good.size() - 4), "cut short"},
      {"one byte too many", good + "x", "the file has 9"},
      {"values missing altogether", with_shape("(2, 3)"), "needs 24"},
  };
  return files;
}

TEST(NpyMalformed, EveryBrokenFileIsRefusedWithASentence) {
  const IoFolder folder;
  for (const Malformed& file : malformed_files()) {
    SCOPED_TRACE(file.name);
    const std::string path = folder.file("broken.npy");
    write_bytes(path, file.bytes);
    const std::string sentence = refusal_of([&] { read_npy(path); });
    EXPECT_TRUE(contains(sentence, "broken.npy")) << sentence;
    EXPECT_TRUE(contains(sentence, file.says)) << sentence;
  }
}

TEST(NpyMalformed, NoTruncationOfAGoodFileIsRead) {
  const std::string good = from_hex(kFloat32);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(parse_npy(bytes_of(std::string_view(good).substr(0, size)), "cut.npy"), Error) << size;
  }
}

TEST(NpyMalformed, NoSingleDamagedByteCrashes) {
  const std::string good = from_hex(kFloat64Fortran);
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      try {
        const NpyArray array = parse_npy(bytes_of(damaged), "damaged.npy");
        EXPECT_LE(array.tensor.values().size(), 48u);
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(NpyMalformed, FoldersAndDevicesAndMissingFilesAreRefused) {
  const IoFolder folder;
  EXPECT_TRUE(contains(refusal_of([&] { read_npy(folder.path()); }), "folder"));
  EXPECT_TRUE(contains(refusal_of([&] { read_npy("/dev/zero"); }), "device"));
  EXPECT_TRUE(contains(refusal_of([&] { read_npy(folder.file("none.npy")); }), "No such file"));
  EXPECT_THROW(read_npy(""), Error);
}

}  // namespace
}  // namespace headscope
