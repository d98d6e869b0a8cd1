// What turns our numbers into somebody else's: equal, a known mistake, two of them, or nothing that is known.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/cancel.h"

namespace headscope {

// From this residual on a set of mistakes does not explain a tensor. Other float32 code differs by 1e-6 or so.
constexpr double kSameResidual = 2e-5;

struct DiagnosisExplanation {
  std::vector<std::string> variants;  // Mistake::name, one or two
  double residual = 0;                // ||theirs - ours with these mistakes|| / ||theirs||
};

struct Diagnosis {
  bool equal = false;
  double max_difference = 0;  // |ours - theirs|; infinite where NaN or a shape stands against something else
  // Best first; empty when equal, and when nothing known explains it. Two mistakes are named only where neither of
  // them does alone.
  std::vector<DiagnosisExplanation> explanations;
};

// Compares `theirs` with ours[stage], then makes every known mistake, and every two, with the layer of `ours` (its own
// inputs and weights), and keeps what gives `theirs` within kSameResidual. `theirs` has the stage's shape, or, of three
// axes, [len, batch, features]; UsageError otherwise. `progress` hears of the share done.
Diagnosis diagnose(const Trace& ours, StageId stage, const Tensor& theirs,
                   const std::shared_ptr<const Backend>& backend, const std::function<void(double)>& progress,
                   const CancelToken& cancel);

}  // namespace headscope
