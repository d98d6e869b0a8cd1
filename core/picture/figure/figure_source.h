// What a figure is drawn from.
#pragma once

#include "core/attention/trace.h"

namespace headscope {

// The data of a figure: a result and, for ViewKind::difference, another one: the figure shows A - B, where `against` is
// A and `trace` is B. `against` is null for other views.
struct FigureSource {
  FigureSource(const Trace& of, const Trace* other = nullptr) : trace(of), against(other) {}
  const Trace& trace;
  const Trace* against;
};

}  // namespace headscope
