// The place of one number in a trace: a stage and an index.
#pragma once

#include "core/request/stage.h"
#include "core/tensor/shape.h"

namespace headscope {

struct CellPlace {
  StageId stage{};
  Index index;  // in the stage's own axes
  friend bool operator==(const CellPlace&, const CellPlace&) = default;
};

}  // namespace headscope
