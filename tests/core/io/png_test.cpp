#include "core/io/png.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <sstream>

#include "core/io/atomic_file.h"
#include "core/io/bytes.h"
#include "tests/core/io/png_files.h"

namespace headscope {
namespace {

using namespace test;

TEST(Png, PixelsReadBackAsTheyWere) {
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(3, 5), std::pair(257, 70)}) {
    const Image image = test_image(width, height);
    const std::string bytes = written(image);
    const Image back = parse_png(bytes_of(bytes), "a.png");
    EXPECT_EQ(back.width, width);
    EXPECT_EQ(back.height, height);
    EXPECT_TRUE(back.pixels == image.pixels);
  }
}

TEST(Png, TextsReadBackAsTheyWereAndStandBeforeThePixels) {
  const std::map<std::string, std::string> texts = {
      {"headscope", "{\"phrase\": \"caf\xc3\xa9 \xf0\x9f\x98\x80\"}\n"}, {"headscope-sha256", "00ff"}, {"empty", ""}};
  const std::string bytes = written(test_image(4, 4), texts);
  const PngInfo info = parse_png_info(bytes_of(bytes), "a.png");
  EXPECT_EQ(info.width, 4u);
  EXPECT_EQ(info.height, 4u);
  EXPECT_EQ(info.texts, texts);
  EXPECT_LT(bytes.rfind("iTXt"), bytes.find("IDAT"));
  EXPECT_TRUE(contains(bytes, "caf\xc3\xa9")) << "uncompressed";
}

TEST(Png, TheSamePictureIsTheSameBytes) {
  EXPECT_EQ(written(test_image(90, 40), {{"a", "b"}}), written(test_image(90, 40), {{"a", "b"}}));
}

TEST(Png, PngcheckHasNothingToSay) {
  if (std::system("pngcheck -h > /dev/null 2>&1") != 0) GTEST_SKIP() << "pngcheck is not installed";
  const IoFolder folder;
  write_bytes(folder.file("a.png"), written(test_image(300, 200), {{"headscope", "{\"phrase\": \"\xe5\xad\x97\"}"}}));
  EXPECT_EQ(std::system(("pngcheck -q '" + folder.file("a.png") + "' > /dev/null").c_str()), 0);
}

// 1000 rows, each of one grey; `load` and `draw` are told to `seen`.
PictureRows gray_rows(int width, int rows_at_once, const std::function<void(const char*, Range)>& seen) {
  PictureRows rows;
  rows.width = width;
  rows.height = 1000;
  rows.rows_at_once = rows_at_once;
  rows.load = [seen](Range part) { seen("load", part); };
  rows.draw = [seen](Range part, Image& into) {
    seen("draw", part);
    ASSERT_EQ(into.height, part.size());
    for (std::int64_t y = part.begin; y < part.end; ++y) {
      const auto gray = static_cast<std::uint8_t>(y % 251);
      for (int x = 0; x < into.width; ++x) into.at(x, static_cast<int>(y - part.begin)) = {gray, gray, gray, 255};
    }
  };
  return rows;
}

TEST(Png, RowsAreMadeInStripsThatWereLoadedBefore) {
  std::ostringstream out;
  std::mutex mutex;
  Range loaded;
  std::int64_t drawn = 0, widest = 0;
  double share = 0;
  const auto seen = [&](const std::string& what, Range rows) {
    const std::lock_guard lock(mutex);
    if (what == "load") {
      EXPECT_EQ(rows.begin, loaded.end);
      EXPECT_EQ(drawn, rows.begin);
      EXPECT_LE(rows.size(), 300);
      loaded = rows;
    } else {
      EXPECT_TRUE(loaded.begin <= rows.begin && rows.end <= loaded.end);
      drawn += rows.size();
      widest = std::max(widest, rows.size());
    }
  };
  write_png(out, gray_rows(4000, 300, seen), {}, {}, [&](double done) {
    EXPECT_GT(done, share);
    share = done;
  });
  EXPECT_EQ(share, 1);
  EXPECT_EQ(drawn, 1000);
  EXPECT_LE(widest * 4000, 1 << 18);
  const std::string bytes = out.str();
  const Image image = parse_png(bytes_of(bytes), "a.png");
  for (const int y : {0, 299, 300, 599, 998, 999}) EXPECT_EQ(image.at(3999, y).g, y % 251) << y;
}

TEST(Png, AnExceptionOfARowComesThrough) {
  std::ostringstream out;
  const auto seen = [](const std::string& what, Range rows) {
    if (what == "draw" && rows.begin > 500) throw Error("row 500");
  };
  EXPECT_EQ(refusal_of([&] { write_png(out, gray_rows(4000, 1000, seen), {}); }), "row 500");
}

TEST(Png, CancellingStopsTheWriting) {
  CancelToken cancel;
  std::ostringstream out;
  std::atomic<std::int64_t> rows = 0;
  const auto seen = [&](const std::string& what, Range part) {
    if (what == "draw" && (rows += part.size()) > 200) cancel.cancel();
  };
  EXPECT_THROW(write_png(out, gray_rows(200000, 1000, seen), {}, cancel), Cancelled);
  EXPECT_LT(rows, 500);
}

TEST(Png, AStreamThatFailsIsAnError) {
  std::ostringstream broken;
  broken.setstate(std::ios_base::badbit);
  EXPECT_TRUE(contains(refusal_of([&] { write_png(broken, test_image(3, 3), {}); }), "PNG"));
  EXPECT_TRUE(contains(refusal_of([&] {
                         write_file_atomically("/dev/full", [](std::ostream& out) {
                           write_png(out, test_image(600, 600), {{"headscope", std::string(600000, 'x')}});
                         });
                       }),
                       "No space left on device"));
}

TEST(Png, OtherKindsOfPicturesAreRead) {
  // Gray, 1 bit, 9 pixels a row: 10101010 1.
  const std::string gray =
      kSignature + ihdr(9, 1, 1, 0) + chunk("IDAT", deflated(std::string("\0\xaa\x80", 3))) + chunk("IEND", "");
  const Image image = parse_png(bytes_of(gray), "gray.png");
  EXPECT_EQ(image.at(0, 0), (Rgba{255, 255, 255, 255}));
  EXPECT_EQ(image.at(1, 0), (Rgba{0, 0, 0, 255}));
  EXPECT_EQ(image.at(8, 0), (Rgba{255, 255, 255, 255}));
  // Palette with transparency.
  const std::string palette = kSignature + ihdr(2, 1, 8, 3) +
                              chunk("PLTE", std::string("\x01\x02\x03\x0a\x0b\x0c", 6)) +
                              chunk("tRNS", std::string("\xff\x80", 2)) +
                              chunk("IDAT", deflated(std::string("\0\0\x01", 3))) + chunk("IEND", "");
  EXPECT_EQ(parse_png(bytes_of(palette), "p.png").at(1, 0), (Rgba{10, 11, 12, 128}));
  // 16 bits, gray with alpha.
  const std::string deep = kSignature + ihdr(1, 1, 16, 4) +
                           chunk("IDAT", deflated(std::string("\0\x12\x34\x56\x78", 5))) + chunk("IEND", "");
  EXPECT_EQ(parse_png(bytes_of(deep), "d.png").at(0, 0), (Rgba{0x12, 0x12, 0x12, 0x56}));
}

TEST(Png, TextsOfOtherProgramsAreRead) {
  const std::string compressed = std::string("packed\0\1\0de\0k\0", 14);
  const std::string bytes = kSignature + ihdr(1, 1) + chunk("tEXt", std::string("Title\0caf\xe9", 10)) +
                            chunk("IDAT", deflated(std::string(4, '\0'))) +
                            chunk("iTXt", compressed + deflated(std::string(100000, 'z'))) +
                            chunk("tEXt", std::string("Title\0second", 12)) + chunk("IEND", "");
  const PngInfo info = parse_png_info(bytes_of(bytes), "a.png");
  EXPECT_EQ(info.texts.at("Title"), "caf\xc3\xa9") << "Latin-1 becomes UTF-8, and the first of two counts";
  EXPECT_EQ(info.texts.at("packed"), std::string(100000, 'z')) << "texts after the pixels are found";
}

}  // namespace
}  // namespace headscope
