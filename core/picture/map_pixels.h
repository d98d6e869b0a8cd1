// The pixels of a large map of weights, chosen while a pass hands its rows out: no cell is read twice.
#pragma once

#include <memory>

#include "core/backend/backend.h"
#include "core/picture/heatmap_spec.h"

namespace headscope {

class MapPixels {
 public:
  // `spec` is of a head's weights, sized and with its range. Keeps what it needs of it.
  explicit MapPixels(const HeatmapSpec& spec);
  ~MapPixels();

  // Whether the pixels can be made of rows in any order, and are better: each shows many columns, colours do not depend
  // on the row of a cell, and what the mask leaves of a row are runs of keys.
  bool possible() const;
  // Adds a row of the matrix, from any thread.
  void add(const WeightRow& row);
  // HeatmapSpec::pixels, when all rows were added.
  std::shared_ptr<const PooledPixels> pixels() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same map as one whose matrix are spec.pixels, which must be set.
HeatmapSpec of_chosen_pixels(const HeatmapSpec& spec);

}  // namespace headscope
