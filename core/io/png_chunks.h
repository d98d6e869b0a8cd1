// The chunks of a PNG file: https://www.w3.org/TR/png-3/ section 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

struct PngChunk {
  std::string_view type;            // "IHDR", "IDAT", ...
  std::span<const std::byte> data;  // within the file
  std::uint32_t checksum = 0;       // as the file says
};

// Calls `visit` with every chunk up to IEND. Error for a file that is no PNG (it says what the file seems to be), for a
// chunk that reaches beyond the file, for a first chunk that is no IHDR, and for a file that ends before IEND.
void for_each_png_chunk(std::span<const std::byte> bytes, const std::string& what,
                        const std::function<void(const PngChunk&)>& visit);

// Whether the chunk's CRC-32 is right.
bool checksum_fits(const PngChunk& chunk);

struct PngHeader {
  std::uint32_t width = 0, height = 0;
  int bit_depth = 0, color_type = 0;
};
// Of the IHDR chunk. Error when a side is 0 or above 2^31 - 1, or the chunk is damaged.
PngHeader png_header(const PngChunk& chunk, const std::string& what);

}  // namespace headscope
