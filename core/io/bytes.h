// Numbers out of a file's bytes: little or big endian, sizes that cannot overflow.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "core/tensor/two_byte_floats.h"

namespace headscope {

static_assert(std::endian::native == std::endian::little, "files are written as the bytes lie in memory");
static_assert(std::numeric_limits<float>::is_iec559 && sizeof(float) == 4);

// The value stored at `at`, which needs no alignment; `swap` for the other byte order.
template <typename T>
T load(const std::byte* at, bool swap = false) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), at, sizeof(T));
  if (swap) std::reverse(raw.begin(), raw.end());
  T value;
  std::memcpy(&value, raw.data(), sizeof(T));
  return value;
}

// a * b for sizes; nullopt when a or b is negative or the product is above 2^62.
inline std::optional<std::int64_t> checked_product(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (a < 0 || b < 0 || (b != 0 && a > most / b)) return std::nullopt;
  return a * b;
}

// The product of all sizes; nullopt when a size is negative or the product of those that are not zero is above 2^62.
template <typename Sizes>
std::optional<std::int64_t> checked_count(const Sizes& sizes) {
  std::int64_t of_nonzero = 1;
  bool zero = false;
  for (const std::int64_t size : sizes) {
    zero = zero || size == 0;
    const auto next = checked_product(of_nonzero, size == 0 ? 1 : size);
    if (!next) return std::nullopt;
    of_nonzero = *next;
  }
  return zero ? 0 : of_nonzero;
}

}  // namespace headscope
