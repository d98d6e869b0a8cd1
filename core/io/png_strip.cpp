#include "core/io/png_strip.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "core/base/assert.h"
#include "core/io/png_tokens.h"
#include "core/io/prefix_code.h"

namespace headscope {

namespace {

constexpr std::size_t kRunSymbols = 19;  // of the code that sends the lengths of codes

// Bits, the first lowest, into memory that is large enough.
class BitWriter {
 public:
  explicit BitWriter(char* to) : to_(to) {}
  // At most 48 bits at a time.
  void put(std::uint64_t bits, int count) {
    held_ |= bits << count_;
    count_ += count;
    std::memcpy(to_, &held_, sizeof held_);
    to_ += count_ >> 3;
    held_ >>= count_ & ~7;
    count_ &= 7;
  }
  void align() { put(0, (8 - count_) & 7); }
  char* end() const { return to_; }

 private:
  char* to_;
  std::uint64_t held_ = 0;
  int count_ = 0;  // below 8 between calls
};

// Bits to send and how many.
struct Code {
  std::uint32_t bits = 0, count = 0;
};

struct Alphabet {
  std::vector<std::uint8_t> lengths;
  std::vector<std::uint16_t> codes;
  Alphabet(std::span<const std::uint32_t> counts, int longest)
      : lengths(code_lengths(counts, longest)), codes(canonical_codes(lengths)) {}
  Code operator[](std::size_t symbol) const { return {codes[symbol], lengths[symbol]}; }
};

// The lengths of a block's codes, run by run (RFC 1951, section 3.2.7): a symbol of 19, and the extra bits of 16 to 18.
struct LengthRun {
  std::uint8_t symbol, extra, extra_bits;
};
std::vector<LengthRun> length_runs(const std::vector<std::uint8_t>& lengths) {
  std::vector<LengthRun> runs;
  for (std::size_t at = 0; at < lengths.size();) {
    std::size_t end = at + 1;
    while (end < lengths.size() && lengths[end] == lengths[at]) ++end;
    std::size_t left = end - at;
    if (lengths[at] == 0) {
      for (; left >= 3; left -= std::min<std::size_t>(left, 138)) {
        const std::size_t run = std::min<std::size_t>(left, 138);
        runs.push_back(run < 11 ? LengthRun{17, static_cast<std::uint8_t>(run - 3), 3}
                                : LengthRun{18, static_cast<std::uint8_t>(run - 11), 7});
      }
    } else {
      runs.push_back({lengths[at], 0, 0});
      for (--left; left >= 3; left -= std::min<std::size_t>(left, 6)) {
        runs.push_back({16, static_cast<std::uint8_t>(std::min<std::size_t>(left, 6) - 3), 2});
      }
    }
    for (; left > 0; --left) runs.push_back({lengths[at], 0, 0});
    at = end;
  }
  return runs;
}

void put_block_header(BitWriter& bits, bool last, const Alphabet& lengths, const Alphabet& distances) {
  std::vector<std::uint8_t> all = lengths.lengths;
  all.insert(all.end(), distances.lengths.begin(), distances.lengths.end());
  const std::vector<LengthRun> runs = length_runs(all);
  std::array<std::uint32_t, kRunSymbols> counts{};
  for (const LengthRun& run : runs) ++counts.at(run.symbol);
  const Alphabet of_runs(counts, 7);
  bits.put(last ? 1 : 0, 1);
  bits.put(2, 2);  // dynamic codes
  bits.put(kLengthSymbols - 257, 5);
  bits.put(kDistanceSymbols - 1, 5);
  bits.put(kRunSymbols - 4, 4);
  for (const std::size_t symbol : {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}) {
    bits.put(of_runs.lengths[symbol], 3);
  }
  for (const LengthRun& run : runs) {
    bits.put(of_runs[run.symbol].bits, static_cast<int>(of_runs[run.symbol].count));
    bits.put(run.extra, run.extra_bits);
  }
}

std::uint64_t token_bits(const PngTokens& tokens, const Alphabet& lengths, const Alphabet& distances) {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < kLengthSymbols; ++k) {
    const int extra = k > kEndOfBlock ? kLengthExtra[k - 257] : 0;
    bits +=
        static_cast<std::uint64_t>(tokens.length_counts[k]) * static_cast<std::uint64_t>(lengths.lengths[k] + extra);
  }
  for (std::uint32_t k = 0; k < kDistanceSymbols; ++k) {
    bits += static_cast<std::uint64_t>(tokens.distance_counts[k]) * (distances.lengths[k] + distance_extra_bits(k));
  }
  return bits;
}

BitWriter with_tokens(BitWriter bits, std::span<const PngToken> tokens, const Alphabet& lengths,
                      const Alphabet& distances) {
  std::array<Code, 256> bytes, of_length;
  for (std::size_t k = 0; k < 256; ++k) {
    bytes[k] = lengths[k];
    const std::size_t symbol = kLengthSymbol[k];
    const Code code = lengths[257 + symbol];
    const auto extra = static_cast<std::uint32_t>(k + 3 - kLengthBase[symbol]);
    of_length[k] = {code.bits | extra << code.count, code.count + kLengthExtra[symbol]};
  }
  std::array<Code, kDistanceSymbols> of_distance;
  for (std::size_t k = 0; k < kDistanceSymbols; ++k) of_distance[k] = distances[k];
  // Most tokens of a noisy map are one pixel seen a short while ago: those are looked up whole.
  constexpr std::uint32_t kNear = 4096, kNotNear = 0xFU << 28 | 0xFFU << 20 | (0x7FFFU & ~(kNear - 1));
  constexpr int kCountAt = 58;
  const auto near = std::make_unique_for_overwrite<std::uint64_t[]>(kNear);
  for (std::uint32_t k = 0; k < kNear; ++k) {
    const std::uint32_t symbol = distance_symbol(k), extra_bits = distance_extra_bits(symbol);
    const std::uint64_t extra = k & ((1U << extra_bits) - 1);
    const Code length = of_length[0], distance = of_distance[symbol];
    near[k] = length.bits | (distance.bits | extra << distance.count) << length.count |
              static_cast<std::uint64_t>(length.count + distance.count + extra_bits) << kCountAt;
  }
  for (const PngToken token : tokens) {
    if ((token & kNotNear) == kPngMatch) {
      const std::uint64_t code = near[token & (kNear - 1)];
      bits.put(code & ((std::uint64_t{1} << kCountAt) - 1), static_cast<int>(code >> kCountAt));
    } else if ((token & kPngMatch) != 0) {
      const Code length = of_length[(token >> 20) & 255U];
      const std::uint32_t symbol = (token >> 15) & 31U, extra_bits = distance_extra_bits(symbol);
      const Code distance = of_distance[symbol];
      const std::uint64_t extra = token & ((1U << extra_bits) - 1);
      bits.put(length.bits | (distance.bits | extra << distance.count) << length.count,
               static_cast<int>(length.count + distance.count + extra_bits));
    } else if ((token & kPngByte) != 0) {
      bits.put(bytes[token & 255U].bits, static_cast<int>(bytes[token & 255U].count));
    } else {
      const Code r = bytes[token & 255U], g = bytes[(token >> 8) & 255U], b = bytes[(token >> 16) & 255U];
      const std::uint64_t two = r.bits | static_cast<std::uint64_t>(g.bits) << r.count;
      bits.put(two | static_cast<std::uint64_t>(b.bits) << (r.count + g.count),
               static_cast<int>(r.count + g.count + b.count));
    }
  }
  bits.put(lengths[kEndOfBlock].bits, static_cast<int>(lengths[kEndOfBlock].count));
  return bits;
}

}  // namespace

PngStrip png_strip(std::span<const Rgba> pixels, std::int64_t width, bool last, bool thorough) {
  HEADSCOPE_ASSERT(width > 0 && std::ssize(pixels) % width == 0 && !pixels.empty(),
                   std::to_string(pixels.size()) + " pixels in rows of " + std::to_string(width));
  PngStrip strip;
  const PngTokens made = png_tokens(pixels, width, thorough);
  const Alphabet lengths(made.length_counts, 15), distances(made.distance_counts, 15);
  // The header of a block is below 1 KB.
  strip.blocks.resize(static_cast<std::size_t>(token_bits(made, lengths, distances) / 8) + 1024);
  BitWriter bits(strip.blocks.data());
  put_block_header(bits, last, lengths, distances);
  bits = with_tokens(bits, made.tokens, lengths, distances);
  if (!last) {
    bits.put(0, 3);  // an empty stored block, which begins at a byte
    bits.align();
    bits.put(0xFFFF0000U, 32);
  }
  bits.align();
  strip.blocks.resize(static_cast<std::size_t>(bits.end() - strip.blocks.data()));
  strip.adler = made.adler;
  strip.plain_bytes = std::ssize(pixels) / width * (3 * width + 1);
  return strip;
}

}  // namespace headscope
