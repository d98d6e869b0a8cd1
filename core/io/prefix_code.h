// Huffman codes as deflate (RFC 1951, section 3.2.2) wants them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

// One length in bits a symbol, at most `longest`, 0 for a symbol with count 0: those of a Huffman code, made a little
// longer where the limit asks for it. At least two symbols get a code (unused ones when they must), since decoders
// refuse a code that leaves bits without a meaning. Asserts that 2^longest symbols or fewer have a count.
std::vector<std::uint8_t> code_lengths(std::span<const std::uint32_t> counts, int longest);

// The canonical codes of these lengths, the first bit lowest, as deflate writes them.
std::vector<std::uint16_t> canonical_codes(std::span<const std::uint8_t> lengths);

}  // namespace headscope
