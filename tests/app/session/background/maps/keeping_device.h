// A device that keeps pixels in memory, so that they can be looked at.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/backend/device_pyramid.h"
#include "core/base/error.h"

namespace headscope {

struct KeptPixels : DevicePixels {
  explicit KeptPixels(PooledPixels made) : DevicePixels(made.rows, made.columns), pixels(std::move(made)) {}
  const PooledPixels pixels;
};

struct KeptPicture : DevicePicture {
  explicit KeptPicture(PooledPixels made)
      : DevicePicture(made.rows, made.columns, extents_of(made)), pixels(std::move(made)) {}

  static std::vector<RowExtent> extents_of(const PooledPixels& of) {
    std::vector<RowExtent> extents(static_cast<std::size_t>(of.rows));
    for (std::int64_t y = 0; y < of.rows; ++y) {
      RowExtent& row = extents[static_cast<std::size_t>(y)];
      for (std::int64_t x = 0; x < of.columns; ++x) {
        const float v = of.values[static_cast<std::size_t>(y * of.columns + x)];
        if (!std::isfinite(v) || of.hidden(y, x)) continue;
        row = row.low > row.high ? RowExtent{v, v} : RowExtent{std::min(row.low, v), std::max(row.high, v)};
      }
    }
    return extents;
  }

  PooledPixels read(Range row_range, Range column_range) const override {
    PooledPixels part(row_range.size(), column_range.size());
    for (std::int64_t y = 0; y < part.rows; ++y) {
      for (std::int64_t x = 0; x < part.columns; ++x) {
        const auto from = static_cast<std::size_t>((row_range.begin + y) * columns + column_range.begin + x);
        const auto to = static_cast<std::size_t>(y * part.columns + x);
        part.values[to] = pixels.values[from];
        part.counts[to] = pixels.hidden(row_range.begin + y, column_range.begin + x) ? 0 : 1;
      }
    }
    return part;
  }

  const PooledPixels pixels;
};

// Pools `own`, which nobody else reads. Fails from the call `fails_at` on.
class KeepingDevice : public DevicePyramid {
 public:
  explicit KeepingDevice(Tensor matrix) : own(std::move(matrix)) {}
  const void* device() const override { return this; }
  std::int64_t most_pixels() const override { return most; }

  std::shared_ptr<const DevicePixels> pool_cells(const PyramidSource& source, Range rows, Range columns,
                                                 PixelCells cells, Pooling pooling,
                                                 const CancelToken& cancel) const override {
    if (before_pooling) before_pooling();
    cancel.check();
    if (pooled++ >= fails_at) throw Error("the device was lost");
    PyramidSource here{own, source.mask, source.batch, source.head};
    return std::make_shared<KeptPixels>(headscope::pool_cells(here, rows, columns, cells, pooling, cancel));
  }

  std::shared_ptr<const DevicePicture> picture(const DevicePicturePlan& plan) const override {
    PooledPixels canvas(plan.canvas_rows, plan.canvas_columns);
    std::vector<int> covered(canvas.values.size());
    for (const DevicePicturePlan::Part& part : plan.parts) {
      const PooledPixels& pixels = dynamic_cast<const KeptPixels&>(*part.pixels).pixels;
      for (std::int64_t y = 0; y < part.rows; ++y) {
        for (std::int64_t x = 0; x < pixels.columns; ++x) {
          const std::int64_t row = part.row + y, column = part.column + x;
          if (row < 0 || column < 0 || row >= canvas.rows || column >= canvas.columns) continue;
          const auto to = static_cast<std::size_t>(row * canvas.columns + column);
          const auto from = static_cast<std::size_t>((pixels.rows == 1 ? 0 : y) * pixels.columns + x);
          canvas.values[to] = pixels.values[from];
          canvas.counts[to] = pixels.counts[from];
          EXPECT_EQ(covered[to]++, 0) << "parts lie one over another";
        }
      }
    }
    for (const int times : covered) EXPECT_EQ(times, 1) << "a hole in the canvas";
    const PooledPixels made = plan.by == PixelCells{} ? canvas : pool_pixels(canvas, plan.by, plan.pooling);
    PooledPixels all(plan.rows(), plan.columns());
    if (plan.below != nullptr) all = dynamic_cast<const KeptPicture&>(*plan.below).pixels;
    EXPECT_EQ(all.columns, made.columns);
    std::copy(made.values.begin(), made.values.end(), all.values.begin());
    std::copy(made.counts.begin(), made.counts.end(), all.counts.begin());
    return std::make_shared<KeptPicture>(std::move(all));
  }

  const Tensor own;
  std::int64_t most = 8192;
  int fails_at = 1 << 30;
  std::function<void()> before_pooling;
  mutable std::atomic<int> pooled = 0;
};

}  // namespace headscope
