#include "core/backend/pyramid_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/backend/kernels/column_sums.h"
#include "core/tensor/parts.h"

namespace headscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

ColumnSums::ColumnSums(std::int64_t columns, std::int64_t cells, Pooling pooling)
    : pooling_(pooling),
      columns_(columns),
      cells_(cells),
      columns_a_place_(pooling == Pooling::max && cells >= kWidePixel ? cells : 1) {
  const auto count = static_cast<std::size_t>(parts_over(columns, columns_a_place_));
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
  if (pooling_ == Pooling::max) return add_max(rows, at, count);
  bool nan = false;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    nan |= add_mean(rows.values + i * rows.stride, static_cast<std::size_t>(at), static_cast<std::size_t>(count));
  }
  return nan;
}

bool ColumnSums::add_max(const Rows& rows, std::int64_t at, std::int64_t count) {
  bool nan = false;
  for (std::int64_t first = 0; first < rows.count; first += kRowsOfExtremes) {
    const float* const values = rows.values + first * rows.stride;
    const std::int64_t together = std::min(kRowsOfExtremes, rows.count - first);
    nan |= columns_a_place_ == 1
               ? add_extremes(values, rows.stride, together, count, high_.data() + at, low_.data() + at)
               : add_pixel_extremes({values, rows.stride, together}, {at, count, cells_}, high_.data(), low_.data());
  }
  if (!nan) return false;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const float* const values = rows.values + i * rows.stride;
    for (std::int64_t j = 0; j < count; ++j) {
      if (std::isnan(values[j])) add_nan(at + j);
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

void ColumnSums::write_row(PooledPixels& to, std::int64_t row) const {
  const std::int64_t places_a_pixel = cells_ / columns_a_place_, places = parts_over(columns_, columns_a_place_);
  for (std::int64_t x = 0; x < to.columns; ++x) {
    const auto at = static_cast<std::size_t>(row * to.columns + x);
    write_pixel({x * places_a_pixel, std::min((x + 1) * places_a_pixel, places)}, to.values[at], to.counts[at]);
  }
}

void ColumnSums::write_pixel(Range places, float& value, std::uint32_t& count) const {
  const auto begin = static_cast<std::size_t>(places.begin), end = static_cast<std::size_t>(places.end);
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
