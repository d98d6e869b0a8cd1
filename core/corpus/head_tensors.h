// What the file of a record holds of one head, but its tokens and vectors. Internal to core/corpus.
#pragma once

#include <cstddef>
#include <string>

#include "core/corpus/head_record.h"
#include "core/corpus/vector_tensors.h"

namespace headscope {

// Reads the head at place h of `heads` into `head`, which is new. Returns why it cannot be; "" when it can.
std::string read_head_counts(HeadRecord& head, std::size_t h, const PlacedTensors& tensors, bool patterns);

}  // namespace headscope
