// What parsing a stage's place needs to know of its axes.
#pragma once

#include "core/request/stage.h"

namespace headscope {

// Whether one of its axes counts heads, so that a place in it may name one (core/request/stage_names.cpp).
bool stage_has_heads(StageId stage);

}  // namespace headscope
