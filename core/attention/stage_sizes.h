// The sizes of a computation whose inputs are read.
#pragma once

#include "core/model/inputs.h"
#include "core/request/memory.h"

namespace headscope {

// What StageSizes says of these inputs: all layers up to and with their own.
StageSizes stage_sizes_of(const Inputs& inputs);

}  // namespace headscope
