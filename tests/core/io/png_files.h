// PNG files made piece by piece, for tests.
#pragma once

#include <zlib.h>

#include <map>
#include <sstream>
#include <string>

#include "core/base/image.h"
#include "core/io/png.h"
#include "tests/core/io/io_helpers.h"

namespace headscope::test {

// A gradient.
inline Image test_image(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      image.at(x, y) = {static_cast<std::uint8_t>(x * 7), static_cast<std::uint8_t>(y * 3),
                        static_cast<std::uint8_t>(x + y), 255};
    }
  }
  return image;
}

// What write_png makes of it.
inline std::string written(const Image& image, const std::map<std::string, std::string>& texts = {}) {
  std::ostringstream out;
  write_png(out, image, texts);
  return out.str();
}

// Four bytes, the highest first.
inline std::string big_endian(std::uint32_t value) {
  std::string bytes = raw(value);
  return {bytes.rbegin(), bytes.rend()};
}

// A chunk with its length and checksum; `type` has four letters.
inline std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(crc));
}

// The IHDR chunk, RGB of 8 bits unless said otherwise.
inline std::string ihdr(std::uint32_t width, std::uint32_t height, int depth = 8, int color = 2, int interlace = 0) {
  return chunk("IHDR", big_endian(width) + big_endian(height) + static_cast<char>(depth) + static_cast<char>(color) +
                           std::string(2, '\0') + static_cast<char>(interlace));
}

// By zlib, as IDAT and compressed texts hold it.
inline std::string deflated(const std::string& data) {
  uLongf size = ::compressBound(data.size());
  std::string packed(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(data.data()), data.size());
  packed.resize(size);
  return packed;
}

inline const std::string kSignature = "\x89PNG\r\n\x1a\n";

}  // namespace headscope::test
