// Pixels as the literals and matches of deflate (RFC 1951), before they are given codes. Internal to png_strip.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/image.h"

namespace headscope {

// What a strip is sent as, a word each:
//   a literal pixel    red, green, blue from the lowest byte on
//   a literal byte     kPngByte, the byte
//   a match            kPngMatch, length less 3 from bit 20, symbol of the distance from bit 15, distance less 1
using PngToken = std::uint32_t;
constexpr PngToken kPngMatch = 0x80000000U, kPngByte = 0x40000000U;

// The two alphabets: bytes, kEndOfBlock and lengths; distances.
constexpr std::size_t kEndOfBlock = 256, kLengthSymbols = 286, kDistanceSymbols = 30;

// RFC 1951, section 3.2.5: symbol 257 + k stands for lengths from kLengthBase[k], with extra bits for those between.
constexpr std::array<std::uint16_t, 29> kLengthBase = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint8_t, 29> kLengthExtra = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

// The symbol (less 257) of each length less 3.
constexpr std::array<std::uint8_t, 256> length_symbols() {
  std::array<std::uint8_t, 256> symbols{};
  for (std::size_t k = 0; k < kLengthBase.size(); ++k) {
    for (std::size_t length = kLengthBase[k]; length <= 258; ++length) {
      symbols[length - 3] = static_cast<std::uint8_t>(k);
    }
  }
  return symbols;
}
constexpr std::array<std::uint8_t, 256> kLengthSymbol = length_symbols();

// Distances 1 to 4 are symbols 0 to 3; from there on each power of two is two symbols, told apart by the second bit.
inline std::uint32_t distance_symbol(std::uint32_t distance_less_1) {
  if (distance_less_1 < 4) return distance_less_1;
  const std::uint32_t bits = static_cast<std::uint32_t>(std::bit_width(distance_less_1)) - 2;
  return 2 * bits + (distance_less_1 >> bits);
}
constexpr std::uint32_t distance_extra_bits(std::uint32_t symbol) {
  return symbol < 4 ? 0 : symbol / 2 - 1;
}

// Rows of `width` pixels; see png_strip.h for `thorough` and for where matches are looked for.
struct PngTokens {
  std::unique_ptr<PngToken[]> memory;
  std::span<const PngToken> tokens;
  std::array<std::uint32_t, kLengthSymbols> length_counts{};  // how often each symbol occurs, kEndOfBlock once
  std::array<std::uint32_t, kDistanceSymbols> distance_counts{};
  std::uint32_t adler = 1;  // Adler-32 of the rows
};
PngTokens png_tokens(std::span<const Rgba> pixels, std::int64_t width, bool thorough);

}  // namespace headscope
