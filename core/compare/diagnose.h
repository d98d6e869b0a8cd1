// What turns our numbers into somebody else's: equal, a known mistake, two of them, or nothing that is known.
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

// From this residual on a set of mistakes does not explain a tensor. Other float32 code differs by 1e-6 or so.
constexpr double kSameResidual = 2e-5;

// What other code gave for one stage.
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
  double max_difference = 0;  // |ours - theirs|; infinite where NaN or a shape stands against something else
};

struct Diagnosis {
  bool equal = false;         // every stage is
  double max_difference = 0;  // the largest over stages
  // Best first; empty when equal, and when nothing known explains it. Two mistakes are named only where neither of
  // them does alone.
  std::vector<DiagnosisExplanation> explanations;
  // What comes nearest of all else that was tried, no mistake at all among it; best first, at most kNearest.
  std::vector<DiagnosisExplanation> nearest;
  std::vector<StageComparison> stages;     // in the order in which they are computed
  std::optional<StageId> first_different;  // of `stages`
  std::size_t tried = 0;                   // mistakes, alone and in twos, that could be made
};
constexpr std::size_t kNearest = 4;

// Compares `theirs` with ours, then makes every known mistake, and every two, with the layer of `ours` (its own
// inputs and weights), and keeps what gives all of `theirs` within kSameResidual. Each has its stage's shape, or, of
// three axes, [len, batch, features]; UsageError otherwise, and for none or a stage given twice. `progress` hears of
// the share done.
Diagnosis diagnose(const Trace& ours, std::vector<ExternalStage> theirs, const std::shared_ptr<const Backend>& backend,
                   const std::function<void(double)>& progress, const CancelToken& cancel);

}  // namespace headscope
