// What an export is made of.
#pragma once

#include "core/picture/figure/figure_source.h"

namespace headscope {

struct WeightGradients;  // core/sweep/weight_gradients.h

// Results, and what is known of them already.
struct ExportSource : FigureSource {
  using FigureSource::FigureSource;
  ExportSource(const FigureSource& of, const WeightGradients* known = nullptr) : FigureSource(of), gradients(known) {}
  const WeightGradients* gradients = nullptr;  // of ExportSubject::gradients; null for others
};

}  // namespace headscope
