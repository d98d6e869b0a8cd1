// One matrix of a stage, and the small strip that its card shows.
#pragma once

#include <cstdint>
#include <memory>

#include "app/session/background/maps/map_picture.h"
#include "core/attention/trace.h"
#include "core/picture/heatmap.h"
#include "core/request/mask.h"
#include "core/tensor/tensor.h"

namespace headscope {

// The [rows, columns] matrix of one slice; rows are positions (qkv_split is read head by head).
Tensor slice_matrix(const Trace& trace, StageId stage, std::int64_t batch, std::int64_t slice);

// The strip of a stage's card: about twelve rows, evenly spread, of all slices of one batch item side by side.
struct Strip {
  Tensor matrix;
  std::shared_ptr<const Mask> mask;  // null: nothing hidden
  ValueRange range;
};

// Reads the rows; `mask` is that of the stage as pictures draw it, null: nothing is hidden.
Strip strip_of(const Trace& trace, const std::shared_ptr<const Mask>& mask, StageId stage, std::int64_t batch);
// The same from a picture of one slice.
Strip strip_of(const MapPicture& picture, bool weight_like);

}  // namespace headscope
