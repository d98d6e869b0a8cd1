#include "core/backend/kernels/wide_products.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/wide_products.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::CappedTag<double, 8>;
constexpr auto kWideLanes = static_cast<std::int64_t>(hn::MaxLanes(Wide()));

// A tile of the result stays in registers: its rows, and its columns in numbers or in vectors.
constexpr int kTileRows = 4, kTileKeys = 3, kTileVectors = 2;
// Rows that are read again for every tile of x before the next ones are: they stay in the first or second cache.
constexpr std::int64_t kRowsAtOnce = 48;

// Rows of x, rows of the other side and a part of the result, each with the distance between rows.
struct Tile {
  const double* x;
  std::int64_t x_stride;
  const double* rows;
  std::int64_t stride;
  double* out;
  std::int64_t out_stride;
};

template <int kRows, int kKeys>
HWY_INLINE void multiply_tile(const Tile& tile, std::int64_t width) {
  const Wide d;
  hn::Vec<Wide> sums[kRows][kKeys];
  for (auto& row : sums) {
    for (auto& sum : row) sum = hn::Zero(d);
  }
  std::int64_t k = 0;
  for (; k + kWideLanes <= width; k += kWideLanes) {
    hn::Vec<Wide> keys[kKeys];
    for (int n = 0; n < kKeys; ++n) keys[n] = hn::LoadU(d, tile.rows + n * tile.stride + k);
    for (int r = 0; r < kRows; ++r) {
      const auto x = hn::LoadU(d, tile.x + r * tile.x_stride + k);
      for (int n = 0; n < kKeys; ++n) sums[r][n] = hn::MulAdd(x, keys[n], sums[r][n]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int n = 0; n < kKeys; ++n) {
      double sum = hn::GetLane(hn::SumOfLanes(d, sums[r][n]));
      for (std::int64_t rest = k; rest < width; ++rest) {
        sum += tile.x[r * tile.x_stride + rest] * tile.rows[n * tile.stride + rest];
      }
      tile.out[r * tile.out_stride + n] = sum;
    }
  }
}

template <int kRows>
HWY_INLINE void multiply_tiles(Tile tile, std::int64_t keys, std::int64_t width) {
  std::int64_t n = 0;
  for (; n + kTileKeys <= keys; n += kTileKeys, tile.rows += kTileKeys * tile.stride, tile.out += kTileKeys) {
    multiply_tile<kRows, kTileKeys>(tile, width);
  }
  for (; n < keys; ++n, tile.rows += tile.stride, ++tile.out) multiply_tile<kRows, 1>(tile, width);
}

void multiply(const WideRows& x, const WideRows& rows, std::int64_t width, double* out, std::int64_t out_stride) {
  for (std::int64_t n = 0; n < rows.count; n += kRowsAtOnce) {
    const std::int64_t keys = std::min(kRowsAtOnce, rows.count - n);
    Tile tile{x.values, x.stride, rows.values + n * rows.stride, rows.stride, out + n, out_stride};
    std::int64_t r = 0;
    for (; r + kTileRows <= x.count;
         r += kTileRows, tile.x += kTileRows * x.stride, tile.out += kTileRows * out_stride) {
      multiply_tiles<kTileRows>(tile, keys, width);
    }
    for (; r < x.count; ++r, tile.x += x.stride, tile.out += out_stride) multiply_tiles<1>(tile, keys, width);
  }
}

// Adds `count` rows times their x to kVectors vectors of the result.
template <int kRows, int kVectors, typename D>
HWY_INLINE void mix_tile(D d, const Tile& tile, std::int64_t count) {
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  hn::Vec<D> sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::LoadU(d, tile.out + r * tile.out_stride + v * lanes);
  }
  for (std::int64_t j = 0; j < count; ++j) {
    hn::Vec<D> values[kVectors];
    for (int v = 0; v < kVectors; ++v) values[v] = hn::LoadU(d, tile.rows + j * tile.stride + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const auto x = hn::Set(d, tile.x[r * tile.x_stride + j]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(x, values[v], sums[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], d, tile.out + r * tile.out_stride + v * lanes);
  }
}

template <int kRows>
HWY_INLINE void mix_tiles(Tile tile, std::int64_t count, std::int64_t width) {
  const auto next = [&](std::int64_t features) {
    tile.rows += features;
    tile.out += features;
    return features;
  };
  std::int64_t at = 0;
  for (; at + kTileVectors * kWideLanes <= width; at += next(kTileVectors * kWideLanes)) {
    mix_tile<kRows, kTileVectors>(Wide(), tile, count);
  }
  while (at < width) {
    mix_tile<kRows, 1>(hn::CappedTag<double, 1>(), tile, count);
    at += next(1);
  }
}

void mix(const WideRows& x, const WideRows& rows, std::int64_t width, double* out, std::int64_t out_stride) {
  for (std::int64_t r = 0; r < x.count; ++r) std::fill_n(out + r * out_stride, width, 0.0);
  for (std::int64_t j = 0; j < rows.count; j += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, rows.count - j);
    Tile tile{x.values + j, x.stride, rows.values + j * rows.stride, rows.stride, out, out_stride};
    std::int64_t r = 0;
    for (; r + kTileRows <= x.count;
         r += kTileRows, tile.x += kTileRows * x.stride, tile.out += kTileRows * out_stride) {
      mix_tiles<kTileRows>(tile, count, width);
    }
    for (; r < x.count; ++r, tile.x += x.stride, tile.out += out_stride) mix_tiles<1>(tile, count, width);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {
HWY_EXPORT(multiply);
HWY_EXPORT(mix);
}  // namespace

void multiply_wide_rows(const WideRows& x, const WideRows& rows, std::int64_t width, double* out,
                        std::int64_t out_stride) {
  HWY_DYNAMIC_DISPATCH(multiply)(x, rows, width, out, out_stride);
}

void mix_wide_rows(const WideRows& x, const WideRows& rows, std::int64_t width, double* out, std::int64_t out_stride) {
  HWY_DYNAMIC_DISPATCH(mix)(x, rows, width, out, out_stride);
}

}  // namespace headscope
#endif
