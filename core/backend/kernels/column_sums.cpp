#include "core/backend/kernels/column_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/backend/kernels/column_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headscope {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, Wide>;  // as many floats
using Full = hn::ScalableTag<float>;

// Of each lane: v changes high and low unless it is NaN, and `nans` is not 0 after one that is.
HWY_INLINE void take(hn::Vec<Full> v, hn::Vec<Full>& high, hn::Vec<Full>& low, hn::Vec<Full>& nans) {
  high = hn::IfThenElse(hn::Gt(v, high), v, high);
  low = hn::IfThenElse(hn::Lt(v, low), v, low);
  nans = hn::Or(nans, hn::IfThenElseZero(hn::IsNaN(v), hn::Set(Full(), 1.0F)));
}

template <std::int64_t kRows>
HWY_INLINE bool extremes_of(const float* values, std::int64_t stride, std::int64_t count, float* high, float* low) {
  const Full d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto nans = hn::Zero(d);  // not 0 in the lanes that saw a NaN
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    auto h = hn::LoadU(d, high + j), l = hn::LoadU(d, low + j);
    for (std::int64_t i = 0; i < kRows; ++i) {
      take(hn::LoadU(d, values + i * stride + j), h, l, nans);
    }
    hn::StoreU(h, d, high + j);
    hn::StoreU(l, d, low + j);
  }
  bool nan = !hn::AllTrue(d, hn::Eq(nans, hn::Zero(d)));
  for (; j < count; ++j) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      const float v = values[i * stride + j];
      high[j] = v > high[j] ? v : high[j];
      low[j] = v < low[j] ? v : low[j];
      nan |= std::isnan(v);
    }
  }
  return nan;
}

bool extremes(const float* values, std::int64_t stride, std::int64_t rows, std::int64_t count, float* high,
              float* low) {
  if (rows == kRowsOfExtremes) return extremes_of<kRowsOfExtremes>(values, stride, count, high, low);
  bool nan = false;
  for (std::int64_t i = 0; i < rows; ++i) nan |= extremes_of<1>(values + i * stride, 0, count, high, low);
  return nan;
}

// Extremes of one pixel's columns, which are as many as a vector has or more: the last vector may overlap the one
// before.
template <std::int64_t kRows>
HWY_INLINE hn::Vec<Full> extremes_of_pixel(const float* values, std::int64_t stride, std::int64_t count, float& high,
                                           float& low) {
  const Full d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto h = hn::Set(d, high), l = hn::Set(d, low), nans = hn::Zero(d);
  for (std::int64_t j = 0; j < count; j += lanes) {
    const std::int64_t from = HWY_MIN(j, count - lanes);
    for (std::int64_t i = 0; i < kRows; ++i) {
      take(hn::LoadU(d, values + i * stride + from), h, l, nans);
    }
  }
  high = hn::GetLane(hn::MaxOfLanes(d, h));
  low = hn::GetLane(hn::MinOfLanes(d, l));
  return nans;
}

template <std::int64_t kRows>
HWY_INLINE bool extremes_of_pixels(const ValueRows& of, const PixelColumns& columns, float* high, float* low) {
  const Full d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto nans = hn::Zero(d);
  bool nan = false;
  for (std::int64_t j = 0; j < columns.count;) {
    const std::int64_t pixel = (columns.at + j) / columns.cells;
    const std::int64_t end = HWY_MIN(columns.count, (pixel + 1) * columns.cells - columns.at);
    if (end - j >= lanes) {
      nans = hn::Or(nans, extremes_of_pixel<kRows>(of.values + j, of.stride, end - j, high[pixel], low[pixel]));
      j = end;
    }
    for (; j < end; ++j) {
      for (std::int64_t i = 0; i < kRows; ++i) {
        const float v = of.values[i * of.stride + j];
        high[pixel] = v > high[pixel] ? v : high[pixel];
        low[pixel] = v < low[pixel] ? v : low[pixel];
        nan |= std::isnan(v);
      }
    }
  }
  return nan || !hn::AllTrue(d, hn::Eq(nans, hn::Zero(d)));
}

bool pixel_extremes(const ValueRows& of, const PixelColumns& columns, float* high, float* low) {
  if (of.rows == kRowsOfExtremes) return extremes_of_pixels<kRowsOfExtremes>(of, columns, high, low);
  bool nan = false;
  for (std::int64_t i = 0; i < of.rows; ++i) {
    nan |= extremes_of_pixels<1>({of.values + i * of.stride, 0, 1}, columns, high, low);
  }
  return nan;
}

// The largest of `high` and these values, and whether one of them is NaN. From a vector on, the last one may overlap
// the one before.
HWY_INLINE bool largest_of_part(const float* values, std::int64_t count, float& high) {
  const Full d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (count < lanes) {
    bool nan = false;
    for (std::int64_t j = 0; j < count; ++j) {
      high = values[j] > high ? values[j] : high;
      nan |= std::isnan(values[j]);
    }
    return nan;
  }
  auto h = hn::Set(d, high), nans = hn::Zero(d);
  for (std::int64_t j = 0; j < count; j += lanes) {
    const auto v = hn::LoadU(d, values + HWY_MIN(j, count - lanes));
    h = hn::IfThenElse(hn::Gt(v, h), v, h);
    nans = hn::Or(nans, hn::IfThenElseZero(hn::IsNaN(v), hn::Set(d, 1.0F)));
  }
  high = hn::GetLane(hn::MaxOfLanes(d, h));
  return !hn::AllTrue(d, hn::Eq(nans, hn::Zero(d)));
}

bool largest_of_parts(const float* values, Range seen, const Range* parts, std::int64_t count, float* high) {
  bool nan = false;
  for (std::int64_t p = 0; p < count; ++p) {
    const std::int64_t begin = HWY_MAX(parts[p].begin, seen.begin), end = HWY_MIN(parts[p].end, seen.end);
    nan |= largest_of_part(values + begin, end - begin, high[p]);
  }
  return nan;
}

bool finite_sums(const float* values, std::int64_t count, double* sums) {
  const Full d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  auto beyond = hn::Zero(d);  // not 0 in the lanes that saw a value that is not finite
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    const auto is_finite = hn::Lt(hn::Abs(hn::LoadU(d, values + j)), infinity);
    beyond = hn::Or(beyond, hn::IfThenZeroElse(is_finite, hn::Set(d, 1.0F)));
  }
  bool finite = hn::AllTrue(d, hn::Eq(beyond, hn::Zero(d)));
  for (; j < count; ++j) finite = finite && std::isfinite(values[j]);
  if (!finite) return false;
  const Wide wide;
  const Narrow narrow;
  const auto wide_lanes = static_cast<std::int64_t>(hn::Lanes(wide));
  for (j = 0; j + wide_lanes <= count; j += wide_lanes) {
    const auto v = hn::PromoteTo(wide, hn::LoadU(narrow, values + j));
    hn::StoreU(hn::Add(hn::LoadU(wide, sums + j), v), wide, sums + j);
  }
  for (; j < count; ++j) sums[j] += static_cast<double>(values[j]);
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headscope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headscope {
namespace {
HWY_EXPORT(extremes);
HWY_EXPORT(pixel_extremes);
HWY_EXPORT(largest_of_parts);
HWY_EXPORT(finite_sums);
}  // namespace

bool add_extremes(const float* values, std::int64_t stride, std::int64_t rows, std::int64_t count, float* high,
                  float* low) {
  return HWY_DYNAMIC_DISPATCH(extremes)(values, stride, rows, count, high, low);
}

bool add_pixel_extremes(const ValueRows& rows, const PixelColumns& columns, float* high, float* low) {
  return HWY_DYNAMIC_DISPATCH(pixel_extremes)(rows, columns, high, low);
}

Range parts_that_hold(std::span<const Range> parts, Range seen) {
  const auto first =
      std::partition_point(parts.begin(), parts.end(), [&](const Range& part) { return part.end <= seen.begin; });
  const auto end = std::partition_point(first, parts.end(), [&](const Range& part) { return part.begin < seen.end; });
  return {first - parts.begin(), end - parts.begin()};
}

bool add_largest(const float* values, Range seen, std::span<const Range> parts, float* high) {
  const Range held = parts_that_hold(parts, seen);
  return HWY_DYNAMIC_DISPATCH(largest_of_parts)(values, seen, parts.data() + held.begin, held.size(),
                                                high + held.begin);
}

bool add_finite(const float* values, std::int64_t count, double* sums) {
  return HWY_DYNAMIC_DISPATCH(finite_sums)(values, count, sums);
}

}  // namespace headscope
#endif
