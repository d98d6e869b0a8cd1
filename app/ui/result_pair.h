// Two results that a view shows beside each other.
#pragma once

#include <memory>
#include <optional>

#include "core/attention/trace.h"
#include "core/request/stage.h"

namespace headscope::ui {

// A and B of the compare view, right and wrong of the bug lab.
struct ResultPair {
  std::shared_ptr<const Trace> first, second;
  bool second_less_first = false;     // what the view subtracts; else first - second
  std::optional<StageId> stage = {};  // that the view shows of them; nothing: the selected one
};

}  // namespace headscope::ui
