#include "core/io/gzip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/error.h"
#include "tests/core/io/gzip_files.h"

namespace headscope {
namespace {

std::span<const std::byte> bytes_in(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string unpacked(const std::string& packed) {
  GzipReader reader(bytes_in(packed), "x.gz");
  std::string text;
  for (std::string_view piece = reader.next(); !piece.empty(); piece = reader.next()) text += piece;
  EXPECT_TRUE(reader.next().empty());
  return text;
}

std::string gzip_refusal_of(const std::string& packed) {
  try {
    unpacked(packed);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Gzip, UnpacksWhatGzipPacked) {
  EXPECT_EQ(unpacked(test::gzip_of_cat_box()), "cat box\nink\n");
  EXPECT_EQ(unpacked(test::gzip_of_cat_box() + test::gzip_of_fox() + test::gzip_of_cat_box()),
            "cat box\nink\nfox\ncat box\nink\n");
  EXPECT_EQ(unpacked(test::gzipped("")), "");
  EXPECT_EQ(unpacked(test::gzipped("") + test::gzip_of_fox()), "fox\n");
}

TEST(Gzip, GivesTextOfAnySizeInWholePieces) {
  std::mt19937 draw(5);
  for (const std::size_t size : {GzipReader::kPiece - 1, GzipReader::kPiece, GzipReader::kPiece + 1,
                                 2 * GzipReader::kPiece, std::size_t{300007}}) {
    std::string text(size, ' ');
    for (char& letter : text) letter = static_cast<char>('a' + draw() % 20);
    const std::string packed = test::gzipped(text, static_cast<int>(draw() % 4));
    EXPECT_EQ(unpacked(packed), text);
    GzipReader reader(bytes_in(packed), "x.gz");
    EXPECT_EQ(reader.next().size(), std::min(size, GzipReader::kPiece));
  }
}

TEST(Gzip, ABombIsUnpackedInPieces) {
  // 16 MiB in 16 KB; what is held meanwhile is one piece.
  const std::string packed = test::gzipped(std::string(std::size_t{16} << 20, '\0'), 9);
  EXPECT_LT(packed.size(), 17000u);
  GzipReader reader(bytes_in(packed), "x.gz");
  std::size_t size = 0;
  for (std::string_view piece = reader.next(); !piece.empty(); piece = reader.next()) {
    EXPECT_LE(piece.size(), GzipReader::kPiece);
    size += piece.size();
  }
  EXPECT_EQ(size, std::size_t{16} << 20);
}

TEST(Gzip, WhatIsCutShortDamagedOrGoesOnIsRefused) {
  const std::string two = test::gzip_of_cat_box() + test::gzip_of_fox();
  for (std::size_t size = 0; size < two.size(); ++size) {
    if (size == test::gzip_of_cat_box().size()) continue;  // a whole file
    EXPECT_NE(gzip_refusal_of(two.substr(0, size)).find("x.gz: "), std::string::npos) << size;
  }
  EXPECT_NE(gzip_refusal_of(two.substr(0, two.size() - 1)).find("break off after 16 unpacked bytes"),
            std::string::npos);
  std::string wrong = test::gzip_of_cat_box();
  wrong[wrong.size() - 8] ^= 1;  // its CRC-32
  EXPECT_NE(gzip_refusal_of(wrong).find("damaged"), std::string::npos) << gzip_refusal_of(wrong);
  wrong = test::gzip_of_cat_box();
  wrong[wrong.size() - 4] ^= 1;  // its length
  EXPECT_NE(gzip_refusal_of(wrong).find("damaged"), std::string::npos) << gzip_refusal_of(wrong);
  EXPECT_NE(gzip_refusal_of(two + "more").find("4 bytes that gzip has not written follow"), std::string::npos);
  EXPECT_NE(gzip_refusal_of("cat box\n").find("does not begin as a gzip file does"), std::string::npos);
  EXPECT_NE(gzip_refusal_of("").find("is empty"), std::string::npos);
  EXPECT_NE(gzip_refusal_of("PK\x03\x04").find("a zip archive"), std::string::npos);
}

}  // namespace
}  // namespace headscope
