#include "core/io/jpeg.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/error.h"
#include "tests/core/io/jpeg_files.h"
#include "tests/core/io/png_files.h"

namespace headscope {
namespace {

using namespace test;

std::string jpeg_refusal_of(const std::string& bytes) {
  try {
    parse_jpeg(bytes_of(bytes), "a.jpg");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Jpeg, PixelsAreThoseThatWereCompressed) {
  const Image image = parse_jpeg(bytes_of(small_jpeg()), "a.jpg");
  ASSERT_EQ(image.width, kJpegWidth);
  ASSERT_EQ(image.height, kJpegHeight);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Rgba found = image.at(x, y), made = jpeg_pixel(x, y);
      EXPECT_LE(std::abs(found.r - made.r), 6) << x << ", " << y;
      EXPECT_LE(std::abs(found.g - made.g), 6) << x << ", " << y;
      EXPECT_LE(std::abs(found.b - made.b), 6) << x << ", " << y;
      EXPECT_EQ(found.a, 255);
    }
  }
}

TEST(Jpeg, ProgressiveGrayIsRead) {
  const Image image = parse_jpeg(bytes_of(gray_jpeg()), "a.jpg");
  ASSERT_EQ(image.width, kJpegWidth);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Rgba found = image.at(x, y);
      EXPECT_LE(std::abs(found.r - jpeg_gray(x, y)), 4) << x << ", " << y;
      EXPECT_TRUE(found.r == found.g && found.g == found.b);
    }
  }
}

TEST(Jpeg, EveryShorterFileIsRefusedByName) {
  for (const std::string& whole : {small_jpeg(), gray_jpeg()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string refusal = jpeg_refusal_of(whole.substr(0, size));
      EXPECT_TRUE(refusal.starts_with("a.jpg: ")) << size << " of " << whole.size() << " bytes: " << refusal;
    }
  }
}

TEST(Jpeg, WhatCannotBeReadIsRefusedWithASentence) {
  EXPECT_NE(jpeg_refusal_of(cmyk_jpeg()).find("CMYK"), std::string::npos) << jpeg_refusal_of(cmyk_jpeg());
  EXPECT_NE(jpeg_refusal_of("GIF89a").find("expected a JPEG picture"), std::string::npos);
  EXPECT_NE(jpeg_refusal_of("\xFF\xD8\xFF").find("damaged JPEG"), std::string::npos);
}

// The sizes stand in the frame's header, behind FF C0 00 11 08.
TEST(Jpeg, SizesThatTheBytesCannotHoldAreRefused) {
  std::string large = small_jpeg();
  const std::size_t frame = large.find(std::string("\xFF\xC0\x00\x11\x08", 5));
  ASSERT_NE(frame, std::string::npos);
  for (std::size_t k = 0; k < 4; ++k) large[frame + 5 + k] = '\xF0';
  EXPECT_NE(jpeg_refusal_of(large).find("at most 100000000 are read"), std::string::npos) << jpeg_refusal_of(large);
  large[frame + 5] = large[frame + 7] = '\x20';
  EXPECT_NE(jpeg_refusal_of(large).find("cannot hold"), std::string::npos) << jpeg_refusal_of(large);
}

TEST(Jpeg, APictureIsToldByItsBytes) {
  const auto folder = std::filesystem::temp_directory_path() / ("headscope_jpeg_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto file = [&folder](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return (folder / name).string();
  };
  EXPECT_EQ(read_picture(file("a.png", small_jpeg())).width, kJpegWidth);
  EXPECT_EQ(read_picture(file("a.jpg", written(test_image(5, 4)))).width, 5);
  try {
    read_picture(file("a.txt", "no picture"));
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a.txt: found bytes of another kind; expected a PNG or a JPEG picture"),
              std::string::npos)
        << error.what();
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace headscope
