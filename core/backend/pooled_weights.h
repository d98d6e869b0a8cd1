// Pixels of weights that are pooled while softmax has their rows in its caches, and never written to memory.
#pragma once

#include <memory>
#include <vector>

#include "core/backend/pooled_pixels.h"
#include "core/backend/pyramid_source.h"

namespace headscope {

// The cells of each row and of each column of pixels: ranges that begin and end in ascending order. They may overlap,
// and a pixel of none is hidden.
struct PixelLines {
  std::vector<Range> rows, columns;
};

// The pixels of a matrix of weights, from its rows in any order: what Pooling::max makes of the cells of each.
class WeightPixels {
 public:
  // `source` says what is hidden; it must outlive this.
  WeightPixels(const PyramidSource& source, PixelLines lines);
  ~WeightPixels();

  // Whether what is seen of a row are runs of keys. Else rows cannot be added.
  bool sees_runs() const;
  // Adds a row, from any thread.
  void add(const WeightRow& row);
  // The pixels of the rows that were added.
  PooledPixels pixels() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// pool_cells() of Pooling::max by source.visit_weights: the same pixels. False, and `to` is as it was, where the source
// has no such way, hides cells that are no runs of keys, or has pixels so narrow that rows pool better several at once.
// `to` has the size of the result. Throws Cancelled.
bool pool_weights(const PyramidSource& source, Range rows, Range columns, PixelCells cells, PooledPixels& to,
                  const CancelToken& cancel);

}  // namespace headscope
