// Stages in double.
#pragma once

#include <map>
#include <vector>

#include "core/request/stage.h"
#include "core/tensor/shape.h"

namespace headscope {

// A stage in double, row-major.
struct WideStage {
  Shape shape;
  std::vector<double> values;
};
using WideStages = std::map<StageId, WideStage>;

}  // namespace headscope
