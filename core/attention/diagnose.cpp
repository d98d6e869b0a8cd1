#include "core/attention/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/attention/forward.h"
#include "core/attention/mistakes.h"
#include "core/attention/problem.h"
#include "core/error.h"

namespace headscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Difference {
  double residual = 0, largest = 0;
};

// Of values of the same shape; infinite where one of the two is NaN or an infinity that the other is not.
Difference difference_of(const std::vector<float>& ours, const std::vector<float>& theirs) {
  double squares = 0, size = 0, largest = 0;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const auto a = static_cast<double>(ours[k]), b = static_cast<double>(theirs[k]);
    if (std::isfinite(b)) size += b * b;
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double apart = std::abs(a - b);
    if (!std::isfinite(apart)) return {kInfinity, kInfinity};
    squares += apart * apart;
    largest = std::max(largest, apart);
  }
  if (squares == 0) return {0, largest};
  return {size > 0 ? std::sqrt(squares / size) : kInfinity, largest};
}

// The stage as the mistakes make it; nothing when they cannot be made here, or the stage has another shape then.
std::optional<std::vector<float>> altered_stage(const Trace& ours, StageId stage, const Shape& wanted,
                                                const std::vector<const Mistake*>& mistakes,
                                                const std::shared_ptr<const Backend>& backend,
                                                const CancelToken& cancel) {
  Altered what{ours.request, *ours.inputs, false, false};
  for (const Mistake* mistake : mistakes) {
    if (!mistake->make(what)) return std::nullopt;
  }
  try {
    if (find_problem(what.request, what.inputs)) return std::nullopt;
    const auto inputs = std::make_shared<const Inputs>(std::move(what.inputs));
    const auto trace = forward(what.request, inputs, backend, cancel);
    const Stage* found = trace->find(stage);
    if (found == nullptr) return std::nullopt;
    Tensor tensor = found->tensor;
    if (what.batch_is_sequence || what.axes_exchanged) {
      if (tensor.rank() != 3) return std::nullopt;
      if (what.batch_is_sequence != what.axes_exchanged) tensor = tensor.permuted({1, 0, 2});
    }
    if (!(tensor.shape() == wanted)) return std::nullopt;
    return tensor.values();
  } catch (const UsageError&) {  // a mask file that no longer fits, say
    return std::nullopt;
  }
}

}  // namespace

Diagnosis diagnose(const Trace& ours, StageId stage, const Tensor& theirs,
                   const std::shared_ptr<const Backend>& backend, const std::function<void(double)>& progress,
                   const CancelToken& cancel) {
  const Tensor& own = ours.tensor(stage);
  const Shape& shape = own.shape();
  const bool same_shape = theirs.shape() == shape;
  const bool exchanged = shape.count == 3 && theirs.shape() == Shape{shape[1], shape[0], shape[2]};
  if (!same_shape && !exchanged) {
    throw UsageError(
        fmt::format("--theirs: found {}; {} is {}", to_string(theirs.shape()), stage_name(stage), to_string(shape)));
  }
  const std::vector<float> wanted = theirs.values();
  Diagnosis result;
  const Difference plain = same_shape ? difference_of(own.values(), wanted) : Difference{kInfinity, kInfinity};
  result.max_difference = plain.largest;
  result.equal = plain.residual <= kSameResidual;
  if (result.equal) return result;

  const std::vector<Mistake>& mistakes = known_mistakes();
  std::size_t tried = 0;
  const std::size_t all = mistakes.size() * (mistakes.size() + 1) / 2;
  const auto residual_with = [&](const std::vector<const Mistake*>& made) {
    cancel.check();
    if (progress) progress(static_cast<double>(tried++) / static_cast<double>(all));
    const auto values = altered_stage(ours, stage, theirs.shape(), made, backend, cancel);
    return values ? difference_of(*values, wanted).residual : kInfinity;
  };
  const auto keep = [&](const std::vector<const Mistake*>& made) {
    const double residual = residual_with(made);
    if (!(residual <= kSameResidual)) return;
    DiagnosisExplanation explanation;
    explanation.residual = residual;
    for (const Mistake* mistake : made) explanation.variants.emplace_back(mistake->name);
    result.explanations.push_back(std::move(explanation));
  };
  for (const Mistake& mistake : mistakes) keep({&mistake});
  if (result.explanations.empty()) {
    for (std::size_t first = 0; first < mistakes.size(); ++first) {
      for (std::size_t second = first + 1; second < mistakes.size(); ++second) {
        keep({&mistakes[first], &mistakes[second]});
      }
    }
  }
  // Residuals below the rounding of float32 say nothing about which is right: there the table's order stays.
  const auto rounded = [](const DiagnosisExplanation& each) { return std::max(each.residual, 2e-6); };
  std::stable_sort(
      result.explanations.begin(), result.explanations.end(),
      [=](const DiagnosisExplanation& a, const DiagnosisExplanation& b) { return rounded(a) < rounded(b); });
  return result;
}

}  // namespace headscope
