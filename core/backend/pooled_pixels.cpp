#include "core/backend/pooled_pixels.h"

#include <algorithm>
#include <limits>

#include "core/tensor/parts.h"

namespace headscope {

const char* pooling_name(Pooling pooling) {
  return pooling == Pooling::max ? "max" : "mean";
}

PooledPixels::PooledPixels(std::int64_t row_count, std::int64_t column_count)
    : rows(row_count),
      columns(column_count),
      values(static_cast<std::size_t>(row_count * column_count)),
      counts(static_cast<std::size_t>(row_count * column_count)) {}

bool PooledPixels::hidden(std::int64_t row, std::int64_t column) const {
  const auto at = static_cast<std::size_t>(row * columns + column);
  return counts[at] == 0 && std::isfinite(values[at]);
}

std::shared_ptr<const Mask> hidden_pixels(const PooledPixels& pixels) {
  std::shared_ptr<Mask> mask;
  for (std::int64_t y = 0; y < pixels.rows; ++y) {
    std::uint8_t* bytes = mask ? mask->hidden.mutable_row(0, 0, y) : nullptr;
    for (std::int64_t x = 0; x < pixels.columns; ++x) {
      if (!pixels.hidden(y, x)) continue;
      if (!mask) {
        mask = std::make_shared<Mask>();
        mask->hidden = HiddenCells(1, 1, pixels.rows, pixels.columns);
        bytes = mask->hidden.mutable_row(0, 0, y);
      }
      bytes[x] = 1;
    }
  }
  if (mask) mask->hidden.refresh_any();
  return mask;
}

PooledPixels pool_pixels(const PooledPixels& pixels, PixelCells by, Pooling pooling) {
  PooledPixels result(parts_over(pixels.rows, by.rows), parts_over(pixels.columns, by.columns));
  for (std::int64_t y = 0; y < result.rows; ++y) {
    for (std::int64_t x = 0; x < result.columns; ++x) {
      bool seen = false, nan = false;
      float largest = 0;
      double sum = 0;
      std::uint32_t count = 0;
      for (std::int64_t i = y * by.rows; i < std::min((y + 1) * by.rows, pixels.rows); ++i) {
        for (std::int64_t j = x * by.columns; j < std::min((x + 1) * by.columns, pixels.columns); ++j) {
          const auto at = static_cast<std::size_t>(i * pixels.columns + j);
          const float value = pixels.values[at];
          nan = nan || std::isnan(value);
          if (pixels.counts[at] > 0) sum += static_cast<double>(value) * pixels.counts[at];
          count += pixels.counts[at];
          if (pixels.hidden(i, j) || (seen && !beats(value, largest))) continue;
          seen = true;
          largest = value;
        }
      }
      const auto at = static_cast<std::size_t>(y * result.columns + x);
      if (nan) {
        result.values[at] = std::numeric_limits<float>::quiet_NaN();
      } else if (pooling == Pooling::mean && count > 0) {
        result.values[at] = static_cast<float>(sum / count);
        result.counts[at] = count;
      } else if (seen) {
        result.values[at] = largest;
        result.counts[at] = pooling == Pooling::max ? 1 : 0;
      }
    }
  }
  return result;
}

}  // namespace headscope
