// What a model of a configuration holds and takes, before any of its files is there.
#pragma once

#include <cstdint>

#include "core/model/model_config.h"

namespace headscope {

struct PlannedSize {
  std::int64_t parameters = 0;  // numbers of all tensors with the output head, a tied decoder once
  // Of one token: a multiplication and an addition for each number of the matrices that it passes (of a mixture those
  // of the chosen experts), the decoder's among them, without what attention takes of a text.
  std::int64_t multiply_adds = 0;
  std::int64_t cached = 0;  // numbers of one token's keys and values in all layers
};

// By the tensors that weight_plan lists.
PlannedSize planned_size(const ModelConfig& config);

}  // namespace headscope
