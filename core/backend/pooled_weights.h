// Pixels of weights that are pooled while softmax has their rows in its caches, and never written to memory.
#pragma once

#include "core/backend/pooled_pixels.h"
#include "core/backend/pyramid_source.h"

namespace headscope {

// pool_cells() of Pooling::max by source.visit_weights: the same pixels. False, and `to` is as it was, where the source
// has no such way, hides cells that are no runs of keys, or has pixels so narrow that rows pool better several at once.
// `to` has the size of the result. Throws Cancelled.
bool pool_weights(const PyramidSource& source, Range rows, Range columns, PixelCells cells, PooledPixels& to,
                  const CancelToken& cancel);

}  // namespace headscope
