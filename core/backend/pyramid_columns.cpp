#include "core/backend/pyramid_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/backend/kernels/column_sums.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

ColumnSums::ColumnSums(std::int64_t columns, Pooling pooling) : pooling_(pooling) {
  const auto count = static_cast<std::size_t>(columns);
  flags_.resize(count);
  if (pooling == Pooling::max) {
    high_.resize(count);
    low_.resize(count);
  } else {
    sums_.resize(count);
    counts_.resize(count);
  }
}

void ColumnSums::reset() {
  std::fill(flags_.begin(), flags_.end(), 0U);
  std::fill(high_.begin(), high_.end(), -kInfinity);
  std::fill(low_.begin(), low_.end(), kInfinity);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(counts_.begin(), counts_.end(), 0U);
}

std::int64_t ColumnSums::rows_at_once() const {
  return pooling_ == Pooling::max ? kRowsOfExtremes : 1;
}

bool ColumnSums::add(const Rows& rows, std::int64_t at, std::int64_t count) {
  const auto from = static_cast<std::size_t>(at), size = static_cast<std::size_t>(count);
  if (pooling_ == Pooling::max) return add_max(rows, from, size);
  bool nan = false;
  for (std::int64_t i = 0; i < rows.count; ++i) nan |= add_mean(rows.values + i * rows.stride, from, size);
  return nan;
}

bool ColumnSums::add_max(const Rows& rows, std::size_t at, std::size_t count) {
  const auto size = static_cast<std::int64_t>(count);
  bool nan = false;
  for (std::int64_t first = 0; first < rows.count; first += kRowsOfExtremes) {
    nan |= add_extremes(rows.values + first * rows.stride, rows.stride, std::min(kRowsOfExtremes, rows.count - first),
                        size, high_.data() + at, low_.data() + at);
  }
  if (!nan) return false;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const float* const values = rows.values + i * rows.stride;
    for (std::size_t j = 0; j < count; ++j) {
      if (std::isnan(values[j])) flags_[at + j] |= kNan;
    }
  }
  return true;
}

bool ColumnSums::add_mean(const float* values, std::size_t at, std::size_t count) {
  std::uint32_t* const counts = counts_.data() + at;
  if (add_finite(values, static_cast<std::int64_t>(count), sums_.data() + at)) {
    for (std::size_t j = 0; j < count; ++j) ++counts[j];
    return false;
  }
  std::uint32_t seen = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const float v = values[j];
    if (std::isfinite(v)) {
      ++counts[j];
      sums_[at + j] += static_cast<double>(v);
      continue;
    }
    const std::uint32_t own = std::isnan(v) ? kNan : v > 0 ? kPlus : kMinus;
    flags_[at + j] |= own;
    seen |= own;
  }
  return (seen & kNan) != 0;
}

void ColumnSums::write_pixel(Range columns, PooledPixels& to, std::int64_t row, std::int64_t column) const {
  const auto begin = static_cast<std::size_t>(columns.begin), end = static_cast<std::size_t>(columns.end);
  const auto at = static_cast<std::size_t>(row * to.columns + column);
  float& value = to.values[at];
  std::uint32_t& count = to.counts[at];
  std::uint32_t flags = 0;
  for (std::size_t j = begin; j < end; ++j) flags |= flags_[j];
  if ((flags & kNan) != 0) {
    value = std::numeric_limits<float>::quiet_NaN();
    return;
  }
  if (pooling_ == Pooling::max) {
    float high = -kInfinity, low = kInfinity;
    for (std::size_t j = begin; j < end; ++j) {
      high = std::max(high, high_[j]);
      low = std::min(low, low_[j]);
    }
    if (low > high) return;
    value = std::fabs(low) > std::fabs(high) ? low : high;
    count = 1;
    return;
  }
  double sum = 0;
  std::uint32_t seen = 0;
  for (std::size_t j = begin; j < end; ++j) {
    sum += sums_[j];
    seen += counts_[j];
  }
  if (seen > 0) {
    value = static_cast<float>(sum / seen);
    count = seen;
  } else if (flags != 0) {
    value = (flags & kPlus) != 0 ? kInfinity : -kInfinity;
  }
}

}  // namespace headscope
