// Texts and pixels of a picture are read or refused. Changed pictures get their checksums right, for behind a wrong one
// nothing is read.
#include <zlib.h>

#include <cstring>
#include <sstream>

#include "core/base/error.h"
#include "core/io/png.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

constexpr std::size_t kSignature = 8, kLength = 4, kType = 4, kChecksum = 4;

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

// The checksum of every chunk that lies within the file.
void mend_checksums(std::uint8_t* data, std::size_t size) {
  std::size_t at = kSignature;
  while (at + kLength + kType + kChecksum <= size) {
    const std::size_t length = big_endian(data + at);
    if (length > size - at - kLength - kType - kChecksum) return;
    const auto sum = static_cast<std::uint32_t>(crc32(0, data + at + kLength, static_cast<uInt>(kType + length)));
    at += kLength + kType + length;
    for (std::size_t k = 0; k < kChecksum; ++k) data[at + k] = static_cast<std::uint8_t>(sum >> (24 - 8 * k));
    at += kChecksum;
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  constexpr unsigned int kLeftWrong = 16;
  const std::size_t changed = LLVMFuzzerMutate(data, size, most);
  if (seed % kLeftWrong != 0) mend_checksums(data, changed);
  return changed;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::as_bytes(data, size);
  try {
    const PngInfo info = parse_png_info(bytes, "fuzz.png");
    fuzz::require(info.width > 0 && info.height > 0, "a picture has pixels");
  } catch (const Error&) {
  }
  try {
    const Image image = parse_png(bytes, "fuzz.png");
    fuzz::require(image.pixels.size() == static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
                  "as many pixels as the sides say");
  } catch (const Error&) {
  }
  return 0;
}
