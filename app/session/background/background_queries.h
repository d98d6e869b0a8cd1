// Questions that views ask in the background (latest_work.h), and what answers them.
#pragma once

#include <memory>
#include <optional>

#include "app/session/background/latest_work.h"
#include "core/compare/comparison.h"
#include "core/explain/sensitivity.h"

namespace headscope {

// Two results, as a whole: options, tokens, heads, every stage.
struct ComparisonQuestion {
  std::shared_ptr<const Trace> a, b;
  friend bool operator==(const ComparisonQuestion&, const ComparisonQuestion&) = default;
};
using Comparisons = LatestWork<ComparisonQuestion, Comparison>;

// A - B of one matrix.
struct DifferenceQuestion {
  std::shared_ptr<const Trace> a, b;
  StageId stage{};
  std::int64_t batch = 0, head = 0;
  friend bool operator==(const DifferenceQuestion&, const DifferenceQuestion&) = default;
};
using Differences = LatestWork<DifferenceQuestion, std::optional<MatrixDifference>>;

// What a cell depends on.
struct SensitivityQuestion {
  std::shared_ptr<const Trace> trace;
  StageId stage{};
  Index index;
  friend bool operator==(const SensitivityQuestion&, const SensitivityQuestion&) = default;
};
using Sensitivities = LatestWork<SensitivityQuestion, Sensitivity>;

}  // namespace headscope
