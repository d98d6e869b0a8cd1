// The inner loop of every matrix product: a tile of R rows whose cells stay in registers over the whole depth.
//
//   c[r][n] = start[r][n] + sum_k a[r][k] * b[k][n]        r < R, n < W
//
// Each cell is one chain of fused multiply-adds in the order of k, whatever R is and whichever target runs: a row has
// the same bits alone and in a block, and a product cut along k gives the same bits as in one piece when the second
// part starts from the cells of the first. (SSE4 has no fused multiply-add and rounds each product.)
//
// How to use it, in a .cpp file that is compiled once a target:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "core/backend/kernels/this_file.cpp"
//   #include <hwy/foreach_target.h>  // before highway.h
//   #include "core/backend/kernels/micro_kernel-inl.h"
//
//   Tile<float> tile;                              // pointers and strides of a, b and c
//   ...
//   tile_function<RowForm::strided, TileStart::zero, float>(rows)(tile);     // 1 <= rows <= kMaxRows
//
// A tile is kTileColumns = 2 vectors wide: 32 columns on AVX-512, 16 on AVX2, 8 on SSE4 and NEON. Rows are best cut
// with `rows_of_part`, which gives parts of nearly equal size, so that no part is a thin rest.

#include <hwy/highway.h>

#include <array>
#include <cstdint>
#include <utility>

#if defined(HEADSCOPE_MICRO_KERNEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADSCOPE_MICRO_KERNEL_INL_H
#undef HEADSCOPE_MICRO_KERNEL_INL_H
#else
#define HEADSCOPE_MICRO_KERNEL_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;

// Floats of one vector.
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(FloatTag()));
// Columns of a tile.
constexpr std::int64_t kTileColumns = 2 * kLanes;
// The most rows of a tile: registers must remain for two vectors of b and one value of a.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int kMaxRows = 12;  // 32 vector registers
#else
constexpr int kMaxRows = 6;  // 16
#endif

// The first term of every chain: 0, the bias of its column, or the cell of c.
enum class TileStart { zero, bias, cells };

// Where a[r][k] lies: at a[k * R + r] in packed rows, at a[r * a_stride + k] in strided ones.
enum class RowForm { packed, strided };

// B is float, or hwy::float16_t or hwy::bfloat16_t, which are widened to float exactly when read. No pointer needs to
// be aligned.
template <typename B>
struct Tile {
  const float* a = nullptr;
  std::int64_t a_stride = 0;  // of strided rows
  const B* b = nullptr;       // b[k][n] at b[k * b_stride + n]; kTileColumns values of every k are read
  std::int64_t b_stride = 0;
  float* c = nullptr;  // c[r][n] at c[r * c_stride + n]
  std::int64_t c_stride = 0;
  std::int64_t depth = 0;               // 0 is allowed: c gets its start
  std::int64_t columns = kTileColumns;  // of c that are read and written, 1 ... kTileColumns
  const float* bias = nullptr;          // `columns` values, with TileStart::bias
  // What to prefetch into the cache, one row of the tile's width for every k: at `fetch` + k * fetch_step. Null: the
  // rows of b that are used kRowsAhead steps later. Any address is allowed.
  const B* fetch = nullptr;
  std::int64_t fetch_step = 0;
};

template <typename B>
using TileFunction = void (*)(const Tile<B>& tile);

// Cuts the `rows` rows that are left into the fewest parts of at most kMaxRows, nearly equal; returns the size of the
// next part.
HWY_INLINE int rows_of_part(std::int64_t rows) {
  const std::int64_t parts = (rows + kMaxRows - 1) / kMaxRows;
  return static_cast<int>((rows + parts - 1) / parts);
}

HWY_INLINE FloatVector load_floats(const float* from) {
  return hn::LoadU(FloatTag(), from);
}

HWY_INLINE FloatVector load_floats(const hwy::bfloat16_t* from) {
  const hn::Rebind<std::uint16_t, FloatTag> narrow;
  const hn::RebindToUnsigned<FloatTag> wide;
  const auto bits = hn::LoadU(narrow, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(FloatTag(), hn::ShiftLeft<16>(hn::PromoteTo(wide, bits)));
}

HWY_INLINE FloatVector load_floats(const hwy::float16_t* from) {
#if HWY_TARGET <= HWY_AVX2 || HWY_ARCH_ARM_A64
  return hn::PromoteTo(FloatTag(), hn::LoadU(hn::Rebind<hwy::float16_t, FloatTag>(), from));
#else
  // Without an instruction for it: the bits moved to float's place are the value times 2^-112, also for subnormal
  // ones; the product is exact. Infinity and NaN keep the largest exponent.
  const FloatTag d;
  const hn::RebindToUnsigned<FloatTag> du;
  const hn::Rebind<std::uint16_t, FloatTag> narrow;
  const auto bits = hn::PromoteTo(du, hn::LoadU(narrow, reinterpret_cast<const std::uint16_t*>(from)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7FFFU)));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000U)));
  const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112F)));
  const auto special = hn::Ge(hn::BitCast(d, magnitude), hn::BitCast(d, hn::Set(du, 0x0F800000U)));
  const auto widened = hn::IfThenElse(hn::RebindMask(du, special), hn::Or(magnitude, hn::Set(du, 0x7F800000U)), scaled);
  return hn::BitCast(d, hn::Or(widened, sign));
#endif
}

// How many rows ahead b is prefetched: about the latency of the third cache.
constexpr std::int64_t kRowsAhead = 24;

// Prefetches the cache lines of one row of b.
template <typename B>
HWY_INLINE void fetch_row(const B* b) {
  constexpr std::int64_t kLine = 64 / sizeof(B);
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
  for (std::int64_t n = 0; n < kTileColumns; n += kLine) __builtin_prefetch(b + n, 0, 3);
#endif
}

// The two vectors of one row.
struct TileRow {
  FloatVector left, right;
};

HWY_INLINE void add_product(const float* a, FloatVector left, FloatVector right, TileRow& sums) {
  const FloatVector factor = hn::Set(FloatTag(), *a);
  sums.left = hn::MulAdd(factor, left, sums.left);
  sums.right = hn::MulAdd(factor, right, sums.right);
}

HWY_INLINE TileRow load_row(const float* from) {
  return {hn::LoadU(FloatTag(), from), hn::LoadU(FloatTag(), from + kLanes)};
}

HWY_INLINE void store_row(const TileRow& row, float* to) {
  hn::StoreU(row.left, FloatTag(), to);
  hn::StoreU(row.right, FloatTag(), to + kLanes);
}

// Rows shorter than the tile go through a buffer of a whole row, so that no memory beyond their end is touched.
HWY_INLINE TileRow load_part_of_row(const float* from, std::int64_t columns) {
  HWY_ALIGN float whole[kTileColumns] = {};
  for (std::int64_t n = 0; n < columns; ++n) whole[n] = from[n];
  return load_row(whole);
}

HWY_INLINE void store_sums(const TileRow& row, float* to, std::int64_t columns) {
  if (columns == kTileColumns) return store_row(row, to);
  HWY_ALIGN float whole[kTileColumns];
  store_row(row, whole);
  for (std::int64_t n = 0; n < columns; ++n) to[n] = whole[n];
}

template <TileStart start>
HWY_INLINE TileRow first_sums(const float* bias, const float* cells, std::int64_t columns) {
  if constexpr (start == TileStart::zero) {
    return {hn::Zero(FloatTag()), hn::Zero(FloatTag())};
  } else {
    const float* from = start == TileStart::bias ? bias : cells;
    return columns == kTileColumns ? load_row(from) : load_part_of_row(from, columns);
  }
}

// One step of k for all rows.
template <RowForm form, typename B, int... rows>
HWY_INLINE void add_products(const float* a, std::int64_t a_stride, const B* b, const B* fetch,
                             TileRow (&sums)[sizeof...(rows)], std::integer_sequence<int, rows...>) {
  const FloatVector left = load_floats(b);
  const FloatVector right = load_floats(b + kLanes);
  fetch_row(fetch);
  (add_product(form == RowForm::packed ? a + rows : a + rows * a_stride, left, right, sums[rows]), ...);
}

// `rows` is spelled out as a sequence 0 ... R - 1, so that every sum is a variable of its own: a register.
template <RowForm form, TileStart start, typename B, int... rows>
HWY_INLINE void multiply_rows(const Tile<B>& tile, std::integer_sequence<int, rows...>) {
  constexpr int R = sizeof...(rows);
  const float* a = tile.a;
  const B* b = tile.b;
  const std::int64_t a_stride = tile.a_stride;
  const std::int64_t b_stride = tile.b_stride;
  const B* fetch = tile.fetch == nullptr ? b + kRowsAhead * b_stride : tile.fetch;
  const std::int64_t fetch_step = tile.fetch == nullptr ? b_stride : tile.fetch_step;
  TileRow sums[R] = {first_sums<start>(tile.bias, tile.c + rows * tile.c_stride, tile.columns)...};
  // Four steps an iteration: the processor then predicts the end of a short loop.
  const auto step = std::int64_t{form == RowForm::packed ? R : 1};
  std::int64_t k = tile.depth;
  for (; k >= 4; k -= 4, a += 4 * step, b += 4 * b_stride, fetch += 4 * fetch_step) {
    add_products<form>(a, a_stride, b, fetch, sums, std::integer_sequence<int, rows...>());
    add_products<form>(a + step, a_stride, b + b_stride, fetch + fetch_step, sums,
                       std::integer_sequence<int, rows...>());
    add_products<form>(a + 2 * step, a_stride, b + 2 * b_stride, fetch + 2 * fetch_step, sums,
                       std::integer_sequence<int, rows...>());
    add_products<form>(a + 3 * step, a_stride, b + 3 * b_stride, fetch + 3 * fetch_step, sums,
                       std::integer_sequence<int, rows...>());
  }
  for (; k > 0; --k, a += step, b += b_stride, fetch += fetch_step) {
    add_products<form>(a, a_stride, b, fetch, sums, std::integer_sequence<int, rows...>());
  }
  (store_sums(sums[rows], tile.c + rows * tile.c_stride, tile.columns), ...);
}

// A tile of R rows.
template <int R, RowForm form, TileStart start, typename B>
HWY_NOINLINE void multiply_tile(const Tile<B>& tile) {
  multiply_rows<form, start>(tile, std::make_integer_sequence<int, R>());
}

template <RowForm form, TileStart start, typename B, int... rows>
constexpr std::array<TileFunction<B>, sizeof...(rows)> tile_functions(std::integer_sequence<int, rows...>) {
  return {&multiply_tile<rows + 1, form, start, B>...};
}

// The function for tiles of `rows` rows, 1 ... kMaxRows.
template <RowForm form, TileStart start, typename B>
HWY_INLINE TileFunction<B> tile_function(int rows) {
  static constexpr auto kFunctions = tile_functions<form, start, B>(std::make_integer_sequence<int, kMaxRows>());
  return kFunctions[static_cast<std::size_t>(rows - 1)];
}

}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#endif  // once a target
