// Finds out why the numbers of other code differ from ours: equal, one known mistake, two known mistakes, or unknown.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/backend/backend.h"
#include "core/base/cancel.h"

namespace headscope {

// With a residual of this size or more, a set of mistakes does not explain a tensor. Correct float32 code differs by
// about 1e-6.
constexpr double kSameResidual = 2e-5;

// One stage as other code computed it.
struct ExternalStage {
  StageId stage{};
  Tensor tensor;
};

struct DiagnosisExplanation {
  std::vector<std::string> variants;  // Mistake::name, none, one or two
  double residual = 0;                // ||theirs - ours with these mistakes|| / ||theirs||, the largest over stages
  double largest = 0;                 // |theirs - ours with these mistakes|, the largest over stages
};

struct StageComparison {
  StageId stage{};
  bool equal = false;
  double max_difference = 0;  // |ours - theirs|; infinite when only one is NaN or the shapes differ
};

struct Diagnosis {
  bool equal = false;         // every stage is equal
  double max_difference = 0;  // the largest over stages
  // Best first; empty when equal, and when no known mistake explains the difference. Two mistakes are named only when
  // neither of them explains it alone.
  std::vector<DiagnosisExplanation> explanations;
  // The nearest of the other sets that were tried, the empty set included; best first, at most kNearest.
  std::vector<DiagnosisExplanation> nearest;
  std::vector<StageComparison> stages;     // in the order in which they are computed
  std::optional<StageId> first_different;  // of `stages`
  std::size_t tried = 0;                   // the number of single mistakes and pairs that were tried
};
constexpr std::size_t kNearest = 4;

// Compares `theirs` with ours, then makes every known mistake, and every pair of them, with the layer of `ours` (its
// own inputs and weights), and keeps those that give all of `theirs` within kSameResidual. Each tensor of `theirs` has
// the shape of its stage, or, with three axes, [len, batch, features]; else UsageError. UsageError too when `theirs` is
// empty or names a stage twice. `progress` gets the share done in [0, 1]. Throws Cancelled.
Diagnosis diagnose(const Trace& ours, std::vector<ExternalStage> theirs, const std::shared_ptr<const Backend>& backend,
                   const std::function<void(double)>& progress, const CancelToken& cancel);

}  // namespace headscope
