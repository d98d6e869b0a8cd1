// A large matrix that is looked at from afar.
#pragma once

#include <cstdint>
#include <memory>

#include "core/backend/backend.h"
#include "core/base/cancel.h"
#include "core/request/mask.h"
#include "core/tensor/tensor.h"

namespace headscope {

class DevicePyramid;

// A matrix and which of its cells are hidden.
struct PyramidSource {
  Tensor matrix;                     // [rows, columns], stored or computed
  std::shared_ptr<const Mask> mask;  // null: nothing is hidden
  std::int64_t batch = 0, head = 0;  // which slice of the mask
  std::int64_t cost = 1;             // of reading a cell, in units of a cell of scores; decides the size of samples
  // The same matrix on a device that pools it for a window; null: the CPU makes the pixels.
  std::shared_ptr<const DevicePyramid> device = nullptr;
  // Of a matrix of weights: its rows while they are in the caches. Null: rows are read.
  WeightRows visit_weights = nullptr;
};

}  // namespace headscope
