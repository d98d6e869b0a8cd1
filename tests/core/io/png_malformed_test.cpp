#include <string>
#include <vector>

#include "core/io/png.h"
#include "tests/core/io/png_files.h"

namespace headscope {
namespace {

using namespace test;

struct Malformed {
  std::string name, bytes, says;
};

std::vector<Malformed> malformed_pictures() {
  const std::string good = written(test_image(8, 8), {{"headscope", "{}"}});
  const std::string idat = chunk("IDAT", deflated(std::string(4, '\0')));
  const std::string end = chunk("IEND", "");
  std::string wrong_sum = good;
  wrong_sum[wrong_sum.find("iTXt") + 15] ^= 1;
  std::string wrong_header = good;
  wrong_header[20] ^= 1;
  return {
      {"empty file", "", "empty"},
      {"signature alone", kSignature, "end mark"},
      {"JPEG", "\xff\xd8\xff\xe0....", "JPEG"},
      {"HTML", "<html>", "HTML"},
      {"LFS pointer", "version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
      {"signature damaged by a text transfer", "\x89PNG\n\x1a\n" + good.substr(8), "not a PNG"},
      {"first chunk is not IHDR", kSignature + end, "IHDR"},
      {"short IHDR", kSignature + chunk("IHDR", "12") + end, "2 bytes"},
      {"IHDR with a wrong checksum", wrong_header, "checksum"},
      {"width 0", kSignature + ihdr(0, 5) + idat + end, "0 x 5"},
      {"width 2^31", kSignature + ihdr(0x80000000u, 1) + idat + end, "cannot be"},
      {"chunk longer than the file", kSignature + ihdr(1, 1) + big_endian(0x7FFFFFFF) + "iTXtabcdefgh", "ends before"},
      {"chunk length that wraps around", kSignature + ihdr(1, 1) + big_endian(0xFFFFFFFF) + "iTXtabcdefgh",
       "ends before"},
      {"no IEND", good.substr(0, good.size() - 12), "end mark"},
      {"garbage instead of a chunk", kSignature + ihdr(1, 1) + std::string(20, '\0'), "no chunk begins"},
      {"text with a wrong checksum", wrong_sum, "checksum"},
      {"tEXt without a NUL", kSignature + ihdr(1, 1) + chunk("tEXt", "abc") + idat + end, "without a NUL"},
      {"iTXt that breaks off", kSignature + ihdr(1, 1) + chunk("iTXt", std::string("a\0\0", 3)) + idat + end, "iTXt"},
      {"iTXt without a language", kSignature + ihdr(1, 1) + chunk("iTXt", std::string("a\0\0\0en", 6)) + idat + end,
       "iTXt"},
      {"iTXt of an unknown compression",
       kSignature + ihdr(1, 1) + chunk("iTXt", std::string("a\0\1\7\0\0x", 7)) + idat + end, "iTXt"},
      {"compressed text that is damaged",
       kSignature + ihdr(1, 1) + chunk("iTXt", std::string("a\0\1\0\0\0nonsense", 14)) + idat + end, "damaged"},
      {"compressed text that is cut short",
       kSignature + ihdr(1, 1) +
           chunk("iTXt", std::string("a\0\1\0\0\0", 6) + deflated(std::string(5000, 'x')).substr(0, 8)) + idat + end,
       "damaged"},
      {"a bomb of a text",
       kSignature + ihdr(1, 1) + chunk("iTXt", std::string("a\0\1\0\0\0", 6) + deflated(std::string(40 << 20, 'x'))) +
           idat + end,
       "longer than"},
  };
}

TEST(PngMalformed, EveryBrokenPictureIsRefusedWithASentence) {
  const IoFolder folder;
  for (const Malformed& file : malformed_pictures()) {
    SCOPED_TRACE(file.name);
    write_bytes(folder.file("broken.png"), file.bytes);
    const std::string sentence = refusal_of([&] { read_png_info(folder.file("broken.png")); });
    EXPECT_TRUE(contains(sentence, "broken.png")) << sentence;
    EXPECT_TRUE(contains(sentence, file.says)) << sentence;
  }
}

TEST(PngMalformed, BrokenPixelsAreRefusedWithASentence) {
  const std::string end = chunk("IEND", "");
  const std::vector<Malformed> files = {
      {"too few pixels", kSignature + ihdr(9, 9) + chunk("IDAT", deflated("short")) + end, "damaged PNG"},
      {"no pixels", kSignature + ihdr(9, 9) + end, "damaged PNG"},
      {"pixels that do not unpack", kSignature + ihdr(9, 9) + chunk("IDAT", "nonsense") + end, "damaged PNG"},
      {"unknown colour type", kSignature + ihdr(1, 1, 8, 5) + chunk("IDAT", deflated("1234")) + end, "damaged PNG"},
      {"unknown depth", kSignature + ihdr(1, 1, 7, 2) + chunk("IDAT", deflated("1234")) + end, "damaged PNG"},
      {"palette without colours", kSignature + ihdr(1, 1, 8, 3) + chunk("IDAT", deflated("12")) + end, "damaged PNG"},
      {"more pixels than are read", kSignature + ihdr(20000, 20000) + chunk("IDAT", "x") + end, "at most 100000000"},
      {"a tiny file that asks for 400 MB", kSignature + ihdr(10000, 10000) + chunk("IDAT", "x") + end, "cannot hold"},
      {"a tiny interlaced one", kSignature + ihdr(10000, 10000, 1, 0, 1) + chunk("IDAT", "x") + end, "cannot hold"},
      {"unknown critical chunk", kSignature + ihdr(1, 1) + chunk("ABCD", "x") + chunk("IDAT", deflated("1234")) + end,
       "damaged PNG"},
  };
  for (const Malformed& file : files) {
    SCOPED_TRACE(file.name);
    const std::string sentence = refusal_of([&] { parse_png(bytes_of(file.bytes), "p.png"); });
    EXPECT_TRUE(contains(sentence, "p.png")) << sentence;
    EXPECT_TRUE(contains(sentence, file.says)) << sentence;
  }
}

TEST(PngMalformed, NoTruncationAndNoDamagedByteCrashes) {
  const std::string good = written(test_image(8, 8), {{"headscope", "{}"}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(parse_png_info(bytes_of(std::string_view(good).substr(0, size)), "cut"), Error) << size;
    EXPECT_THROW(parse_png(bytes_of(std::string_view(good).substr(0, size)), "cut"), Error) << size;
  }
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    try {
      parse_png(bytes_of(damaged), "damaged");
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace headscope
