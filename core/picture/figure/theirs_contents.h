// What a picture of a stage that other code computed shows.
#pragma once

#include <string>

#include "core/diagnose/diagnosis.h"
#include "core/diagnose/stage_sides.h"

namespace headscope {

struct TheirsFigure {
  std::string file;       // where theirs is from, as it was named
  StageComparison found;  // of the stage, which is also the view's
  StageSides sides;
};

}  // namespace headscope
