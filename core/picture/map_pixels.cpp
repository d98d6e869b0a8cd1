#include "core/picture/map_pixels.h"

#include "core/backend/pooled_weights.h"
#include "core/backend/pyramid_columns.h"
#include "core/base/assert.h"

namespace headscope {

struct MapPixels::Impl {
  const HeatmapSpec spec;
  const PyramidSource source;
  WeightPixels pixels;

  explicit Impl(const HeatmapSpec& of)
      : spec(of),
        source{of.matrix, of.mask, of.batch, of.head},
        pixels(source, {pixel_cells(axis_window(of.row0, of.rows, of.height), of.height, of.matrix.dim(0)),
                        pixel_cells(axis_window(of.column0, of.columns, of.width), of.width, of.matrix.dim(1))}) {}
};

MapPixels::MapPixels(const HeatmapSpec& spec) : impl_(std::make_unique<Impl>(spec)) {}

MapPixels::~MapPixels() = default;

bool MapPixels::possible() const {
  const HeatmapSpec& spec = impl_->spec;
  const AxisWindow columns = axis_window(spec.column0, spec.columns, spec.width);
  return !spec.range.per_row && columns.step >= static_cast<float>(kWidePixel) && impl_->pixels.sees_runs();
}

void MapPixels::add(const WeightRow& row) {
  impl_->pixels.add(row);
}

std::shared_ptr<const PooledPixels> MapPixels::pixels() const {
  return std::make_shared<const PooledPixels>(impl_->pixels.pixels());
}

HeatmapSpec of_chosen_pixels(const HeatmapSpec& spec) {
  HEADSCOPE_ASSERT(spec.pixels != nullptr, "no pixels were chosen");
  const PooledPixels& pixels = *spec.pixels;
  HeatmapSpec chosen = spec;
  chosen.pixels = nullptr;
  chosen.matrix = Tensor::of({pixels.rows, pixels.columns}, spec.matrix.axes(), pixels.values);
  chosen.mask = hidden_pixels(pixels);
  chosen.batch = chosen.head = 0;
  chosen.row0 = chosen.column0 = 0;
  chosen.rows = static_cast<double>(pixels.rows);
  chosen.columns = static_cast<double>(pixels.columns);
  return chosen;
}

}  // namespace headscope
