// Squares of a matrix turned, so that what lay along rows lies along columns: how a matrix whose rows follow one
// another becomes one whose columns do. Included by a .cpp file that is compiled once a target, after highway.h (see
// micro_kernel-inl.h).
#include <hwy/highway.h>

#include <cstdint>

#if defined(HEADSCOPE_TURN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADSCOPE_TURN_INL_H
#undef HEADSCOPE_TURN_INL_H
#else
#define HEADSCOPE_TURN_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// Rows and columns of a square of T: what 16 bytes hold.
template <typename T>
inline constexpr int kTurned = 16 / sizeof(T);

// Four vectors of four-byte numbers, turned within their blocks of 16 bytes: number c of block b of rows[r] is number r
// of block b of columns[c].
template <class D>
HWY_INLINE void turn_blocks(D d, const hwy::HWY_NAMESPACE::Vec<D> (&rows)[4],
                            hwy::HWY_NAMESPACE::Vec<D> (&columns)[4]) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Repartition<std::uint64_t, D> pairs;
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}

// to[c * to_stride + r] = from[r * from_stride + c] for r, c < 4.
HWY_INLINE void turn_square(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<float, 4> d;
  const hn::Vec<decltype(d)> rows[4] = {hn::LoadU(d, from), hn::LoadU(d, from + from_stride),
                                        hn::LoadU(d, from + 2 * from_stride), hn::LoadU(d, from + 3 * from_stride)};
  hn::Vec<decltype(d)> columns[4];
  turn_blocks(d, rows, columns);
  for (int c = 0; c < 4; ++c) hn::StoreU(columns[c], d, to + c * to_stride);
}

// The same for r, c < 8.
HWY_INLINE void turn_square(const std::uint16_t* from, std::int64_t from_stride, std::uint16_t* to,
                            std::int64_t to_stride) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<std::uint16_t, 8> d;
  const hn::Repartition<std::uint32_t, decltype(d)> pairs;
  const hn::Repartition<std::uint64_t, decltype(d)> fours;
  const auto row = [&](int r) { return hn::LoadU(d, from + r * from_stride); };
  // Columns 2 c and 2 c + 1 of four rows, for c = 0 ... 3.
  const auto four_rows = [&](int r, auto& columns01, auto& columns23, auto& columns45, auto& columns67) {
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, row(r), row(r + 1)));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, row(r + 2), row(r + 3)));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, row(r), row(r + 1)));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, row(r + 2), row(r + 3)));
    columns01 = hn::BitCast(fours, hn::InterleaveLower(pairs, low01, low23));
    columns23 = hn::BitCast(fours, hn::InterleaveUpper(pairs, low01, low23));
    columns45 = hn::BitCast(fours, hn::InterleaveLower(pairs, high01, high23));
    columns67 = hn::BitCast(fours, hn::InterleaveUpper(pairs, high01, high23));
  };
  hn::Vec<decltype(fours)> upper01, upper23, upper45, upper67, lower01, lower23, lower45, lower67;
  four_rows(0, upper01, upper23, upper45, upper67);
  four_rows(4, lower01, lower23, lower45, lower67);
  const auto store = [&](int column, const auto& upper, const auto& lower) {
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(fours, upper, lower)), d, to + column * to_stride);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(fours, upper, lower)), d, to + (column + 1) * to_stride);
  };
  store(0, upper01, lower01);
  store(2, upper23, lower23);
  store(4, upper45, lower45);
  store(6, upper67, lower67);
}

#else

// The same without vectors.
HWY_INLINE void turn_square(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride) {
  for (std::int64_t row = 0; row < 4; ++row) {
    for (std::int64_t column = 0; column < 4; ++column) to[column * to_stride + row] = from[row * from_stride + column];
  }
}

#endif  // HWY_TARGET != HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#endif  // once a target
