// The sizes of a computation whose inputs are read.
#pragma once

#include "core/model/inputs.h"
#include "core/request/memory.h"

namespace headscope {

// The StageSizes of these inputs; `layers` counts all layers from the first to theirs.
StageSizes stage_sizes_of(const Inputs& inputs);

}  // namespace headscope
