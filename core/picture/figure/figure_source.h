// What a figure is drawn from.
#pragma once

#include "core/attention/trace.h"

namespace headscope {

struct CorpusFigure;
struct Sweep;
struct TheirsFigure;

// The data of a figure: a result and, for ViewKind::difference, another one: the figure shows A - B, where `against` is
// A and `trace` is B. Of ViewKind::sweep, B is the request's own run and A that of --against, and `sweep` is what came
// of patching one with the other. `against` and `sweep` are null for other views. With `corpus` the figure is of the
// heads of a scan, whatever the trace and the kind of view; scale, theme, colour map and paper are the view's. With
// `theirs` a difference shows that stage of other code, that of `trace` and theirs - ours; `against` is null.
struct FigureSource {
  FigureSource(const Trace& of, const Trace* other = nullptr, const Sweep* of_both = nullptr)
      : trace(of), against(other), sweep(of_both) {}
  const Trace& trace;
  const Trace* against;
  const Sweep* sweep;
  const CorpusFigure* corpus = nullptr;
  const TheirsFigure* theirs = nullptr;
};

}  // namespace headscope
