#include "core/io/png_tokens.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr std::uint32_t kFarthest = 32768;  // bytes that a match reaches back
constexpr std::uint32_t kMostPixels = 86;   // of a match: 258 bytes

inline std::uint32_t color_of(const Rgba& pixel) {
  std::uint32_t color = 0;
  std::memcpy(&color, &pixel, sizeof color);
  return color;
}

// Adler-32 (RFC 1950, section 8.2) over rows of pixels.
class Adler {
 public:
  void byte(std::uint32_t value) {
    a_ = (a_ + value) % kModulus;
    b_ = (b_ + a_) % kModulus;
  }
  void zeros(std::int64_t count) { b_ = (b_ + static_cast<std::uint64_t>(count) % kModulus * a_) % kModulus; }
  // Of n pixels, byte k of 3 n counts 3 n - k times into the second sum: with s = r + g + b that is
  // 3 (n - x) s - g - 2 b for pixel x. Eight lanes side by side; a lane adds up its s, and that sum after each step.
  void pixels(const Rgba* from, std::int64_t count) {
    constexpr std::int64_t kLanes = 8, kSteps = 2048;
    while (count >= kLanes) {
      const std::int64_t steps = std::min(count / kLanes, kSteps), n = steps * kLanes;
      std::array<std::uint32_t, kLanes> sum{}, sums{}, less{};
      for (std::int64_t step = 0; step < steps; ++step) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const std::uint32_t color = color_of(from[static_cast<std::size_t>(step * kLanes) + lane]);
          const std::uint32_t r = color & 255U, g = (color >> 8) & 255U, b = (color >> 16) & 255U;
          sum[lane] += r + g + b;
          sums[lane] += sum[lane];
          less[lane] += g + 2 * b;
        }
      }
      std::uint64_t total = 0, weighted = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        total += sum[lane];
        weighted +=
            3 * (kLanes * static_cast<std::uint64_t>(sums[lane]) - lane * static_cast<std::uint64_t>(sum[lane])) -
            less[lane];
      }
      b_ = (b_ + static_cast<std::uint64_t>(3 * n) * a_ + weighted) % kModulus;
      a_ = (a_ + total) % kModulus;
      from += n;
      count -= n;
    }
    for (; count > 0; --count, ++from) {
      byte(from->r);
      byte(from->g);
      byte(from->b);
    }
  }
  std::uint32_t value() const { return static_cast<std::uint32_t>(b_ << 16 | a_); }

 private:
  static constexpr std::uint64_t kModulus = 65521;
  std::uint64_t a_ = 1, b_ = 0;
};

// Pixels as tokens, with how often each symbol of the two alphabets occurs.
class Tokenizer {
 public:
  Tokenizer(std::span<const Rgba> pixels, std::int64_t width, bool thorough)
      : pixels_(pixels.data()),
        width_(static_cast<std::uint32_t>(width)),
        most_back_(static_cast<std::uint32_t>((kFarthest - 1) * width / (3 * width + 1))) {
    const auto rows = static_cast<std::uint32_t>(std::ssize(pixels) / width);
    // A row is its filter byte and a token a pixel at most; zeros of a row "up" are far fewer.
    tokens_ = std::make_unique_for_overwrite<PngToken[]>(std::size_t{rows} * (width_ + 4));
    end_ = tokens_.get();
    if (thorough) fours_.assign(std::size_t{1} << kFourBits, Seen().place);
    for (std::uint32_t row = 0; row < rows; ++row) add_row(row);
    ++lengths_[kEndOfBlock];
  }

  PngTokens result() {
    PngTokens made;
    made.tokens = {tokens_.get(), end_};
    made.memory = std::move(tokens_);
    made.length_counts = lengths_;
    made.distance_counts = distances_;
    made.adler = adler_.value();
    return made;
  }

 private:
  // The last pixel of a colour.
  struct Seen {
    std::uint32_t color = 0;
    std::uint32_t place = 0x80000000U;  // counted from the strip's first pixel; here: farther than any match reaches
  };

  struct Match {
    std::uint32_t pixels = 0, distance = 0;
  };
  static constexpr int kFourBits = 14;

  void add_row(std::uint32_t row) {
    const Rgba* pixels = pixels_ + std::size_t{row} * width_;
    const bool as_above = row > 0 && std::memcmp(pixels, pixels - width_, width_ * sizeof(Rgba)) == 0;
    const std::uint32_t filter = as_above ? 2 : 0;  // PNG: up, none
    end_ = literal(end_, filter);
    adler_.byte(filter);
    if (as_above) {
      adler_.zeros(3 * std::int64_t{width_});
      add_zeros(3 * width_);
    } else {
      adler_.pixels(pixels, width_);
      const bool above_in_reach = row > 0 && above_is_pixels_ && 3 * width_ + 1 <= kFarthest;
      if (fours_.empty()) {
        add_pixels(pixels, row * width_, above_in_reach);
      } else {
        add_pixels_thoroughly(pixels, row * width_, above_in_reach);
      }
    }
    above_is_pixels_ = !as_above;
  }

  void add_zeros(std::uint32_t count) {
    end_ = literal(end_, 0);
    for (--count; count >= 3;) {
      const std::uint32_t length = std::min(count, 258U);
      end_ = match(end_, length, 1);
      count -= length;
    }
    for (; count > 0; --count) end_ = literal(end_, 0);
  }

  // `first` is the place of the row's first pixel.
  void add_pixels(const Rgba* row, std::uint32_t first, bool above_in_reach) {
    PngToken* end = end_;
    const std::uint32_t width = width_;
    for (std::uint32_t x = 0; x < width;) {
      const std::uint32_t color = color_of(row[x]);
      if (x > 0 && color == color_of(row[x - 1])) {
        const std::uint32_t stop = end_of_run(row, x + 1, color);
        for (; x < stop; x += std::min(stop - x, kMostPixels)) end = match(end, 3 * std::min(stop - x, kMostPixels), 3);
        continue;
      }
      Seen& seen = seen_[slot_of(color)];
      const std::uint32_t back = first + x - seen.place;
      const bool known = seen.color == color && back <= most_back_;
      seen = {color, first + x};
      const bool goes_on = x + 1 < width;
      const Rgba* here = row + x;
      const bool like_above = above_in_reach && goes_on && color == color_of(*(here - width)) &&
                              color_of(here[1]) == color_of(*(here - width + 1));
      if (!known && !like_above) {
        end = pixel_literal(end, color);
        ++x;
      } else if (known && !like_above && (!goes_on || color_of(here[1]) != color_of(*(here - back + 1)))) {
        end = match(end, 3, distance_of(back, x));
        ++x;
      } else {
        std::uint32_t same = known ? equal_pixels(here, back, x) : 0, distance = known ? distance_of(back, x) : 0;
        const std::uint32_t above = like_above ? equal_pixels(here, width, x) : 0;
        if (above > same) {
          same = above;
          distance = 3 * width + 1;
        }
        end = match(end, 3 * same, distance);
        x += same;
      }
    }
    end_ = end;
  }

  // The same with one more place to look: where the four pixels from here on were last. Finds what repeats over several
  // rows (hatches, letters), at twice the time.
  void add_pixels_thoroughly(const Rgba* row, std::uint32_t first, bool above_in_reach) {
    for (std::uint32_t x = 0; x < width_;) {
      const std::uint32_t color = color_of(row[x]);
      const Rgba* here = row + x;
      Match best;
      const auto look_at = [&](std::uint32_t back, std::uint32_t distance) {
        if (back > most_back_ || color_of(*(here - back)) != color) return;
        const std::uint32_t same = equal_pixels(here, back, x);
        if (same > best.pixels) best = {same, distance};
      };
      if (x > 0) look_at(1, 3);
      if (above_in_reach) look_at(width_, 3 * width_ + 1);
      const Seen& seen = seen_[slot_of(color)];
      const std::uint32_t back = first + x - seen.place;
      if (seen.color == color) look_at(back, distance_of(back, x));
      if (x + 4 <= width_) {
        const std::uint32_t four_back = first + x - fours_[four_slot(here)];
        look_at(four_back, distance_of(four_back, x));
      }
      if (best.pixels == 0) {
        end_ = pixel_literal(end_, color);
        best.pixels = 1;
      } else {
        end_ = match(end_, 3 * best.pixels, best.distance);
      }
      for (const std::uint32_t stop = x + best.pixels; x < stop; ++x) {
        seen_[slot_of(color_of(row[x]))] = {color_of(row[x]), first + x};
        if (x + 4 <= width_) fours_[four_slot(row + x)] = first + x;
      }
    }
  }

  static std::size_t slot_of(std::uint32_t color) { return (color * 0x9E3779B1U) >> 22; }

  static std::size_t four_slot(const Rgba* from) {
    std::array<std::uint64_t, 2> pixels;
    std::memcpy(pixels.data(), from, sizeof pixels);
    const std::uint64_t mixed = (pixels[0] ^ std::rotl(pixels[1], 29)) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(mixed >> (64 - kFourBits));
  }

  // The first pixel from `x` on of another colour.
  std::uint32_t end_of_run(const Rgba* row, std::uint32_t x, std::uint32_t color) const {
    const std::uint64_t two = color | static_cast<std::uint64_t>(color) << 32;
    for (; x + 8 <= width_; x += 8) {
      std::array<std::uint64_t, 4> eight;
      std::memcpy(eight.data(), row + x, sizeof eight);
      if (((eight[0] ^ two) | (eight[1] ^ two) | (eight[2] ^ two) | (eight[3] ^ two)) != 0) break;
    }
    while (x < width_ && color_of(row[x]) == color) ++x;
    return x;
  }

  // In bytes, of pixel x of a row from the one `back` pixels before: each row that begins between has a filter byte.
  std::uint32_t distance_of(std::uint32_t back, std::uint32_t x) const {
    return back <= x ? 3 * back : 3 * back + 1 + (back - x - 1) / width_;
  }

  // How many pixels from `here`, pixel x of its row, equal those `back` before; 1 at least. Ends with either row.
  std::uint32_t equal_pixels(const Rgba* here, std::uint32_t back, std::uint32_t x) const {
    const std::uint32_t from = back <= x ? x - back : width_ - 1 - (back - x - 1) % width_;
    const std::uint32_t most = std::min(width_ - std::max(from, x), kMostPixels);
    std::uint32_t same = 1;
    while (same < most && color_of(here[same]) == color_of(*(here - back + same))) ++same;
    return same;
  }

  PngToken* literal(PngToken* to, std::uint32_t byte) {
    *to = kPngByte | byte;
    ++lengths_[byte];
    return to + 1;
  }

  PngToken* pixel_literal(PngToken* to, std::uint32_t color) {
    *to = color & 0xFFFFFFU;
    ++lengths_[color & 255U];
    ++lengths_[(color >> 8) & 255U];
    ++lengths_[(color >> 16) & 255U];
    return to + 1;
  }

  PngToken* match(PngToken* to, std::uint32_t length, std::uint32_t distance) {
    const std::uint32_t symbol = distance_symbol(distance - 1);
    *to = kPngMatch | (length - 3) << 20 | symbol << 15 | (distance - 1);
    ++lengths_[257U + kLengthSymbol[length - 3]];
    ++distances_[symbol];
    return to + 1;
  }

  const Rgba* pixels_;
  const std::uint32_t width_, most_back_;  // pixels, and how many of them a match reaches back
  bool above_is_pixels_ = false;           // the row above was not sent as "up"
  std::unique_ptr<PngToken[]> tokens_;
  PngToken* end_ = nullptr;
  std::array<std::uint32_t, kLengthSymbols> lengths_{};
  std::array<std::uint32_t, kDistanceSymbols> distances_{};
  std::array<Seen, 1024> seen_{};
  std::vector<std::uint32_t> fours_;  // places by the hash of four pixels; empty: not thorough
  Adler adler_;
};

}  // namespace

PngTokens png_tokens(std::span<const Rgba> pixels, std::int64_t width, bool thorough) {
  return Tokenizer(pixels, width, thorough).result();
}

}  // namespace headscope
