#include "core/io/png_chunks.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/io/bytes.h"
#include "core/io/mapped_file.h"

namespace headscope {

namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";

std::uint32_t big_endian(const std::byte* at) {
  return load<std::uint32_t>(at, true);
}

}  // namespace

void for_each_png_chunk(std::span<const std::byte> bytes, const std::string& what,
                        const std::function<void(const PngChunk&)>& visit) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kSignature)) {
    const std::string seen = describe_bytes(bytes);
    throw Error(fmt::format("{}: not a PNG picture{}{}", what, seen.empty() ? "" : ": it is ", seen));
  }
  std::size_t at = kSignature.size();
  bool first = true;
  while (true) {
    if (bytes.size() - at < 12) {
      throw Error(fmt::format("{}: the picture ends after {} bytes, without its end mark (a download cut short?)", what,
                              bytes.size()));
    }
    const std::size_t length = big_endian(&bytes[at]);
    const std::string_view type = text.substr(at + 4, 4);
    const bool letters =
        std::all_of(type.begin(), type.end(), [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); });
    if (!letters) throw Error(fmt::format("{}: damaged PNG: no chunk begins at byte {}", what, at));
    if (length > bytes.size() - at - 12) {
      throw Error(
          fmt::format("{}: the PNG's {} chunk at byte {} has {} bytes, the file ends before (a download cut "
                      "short?)",
                      what, type, at, length));
    }
    const PngChunk chunk{type, bytes.subspan(at + 8, length), big_endian(&bytes[at + 8 + length])};
    if (first && type != "IHDR") throw Error(fmt::format("{}: damaged PNG: it begins with {}, not IHDR", what, type));
    first = false;
    visit(chunk);
    if (type == "IEND") return;
    at += 12 + length;
  }
}

bool checksum_fits(const PngChunk& chunk) {
  uLong crc = ::crc32(0, reinterpret_cast<const Bytef*>(chunk.type.data()), 4);
  if (!chunk.data.empty()) {
    crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(chunk.data.data()), chunk.data.size());
  }
  return crc == chunk.checksum;
}

PngHeader png_header(const PngChunk& chunk, const std::string& what) {
  if (chunk.data.size() != 13) {
    throw Error(fmt::format("{}: damaged PNG: its IHDR has {} bytes, expected 13", what, chunk.data.size()));
  }
  if (!checksum_fits(chunk)) throw Error(fmt::format("{}: damaged PNG: the checksum of IHDR is wrong", what));
  PngHeader header;
  header.width = big_endian(&chunk.data[0]);
  header.height = big_endian(&chunk.data[4]);
  header.bit_depth = std::to_integer<int>(chunk.data[8]);
  header.color_type = std::to_integer<int>(chunk.data[9]);
  constexpr std::uint32_t most = 0x7FFFFFFF;
  if (header.width == 0 || header.height == 0 || header.width > most || header.height > most) {
    throw Error(fmt::format("{}: a PNG of {} x {} pixels cannot be", what, header.width, header.height));
  }
  return header;
}

}  // namespace headscope
