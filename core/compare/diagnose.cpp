#include "core/compare/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/attention/forward.h"
#include "core/attention/input_problem.h"
#include "core/base/error.h"
#include "core/compare/mistakes.h"
#include "core/request/problem.h"

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

// The stages as the mistakes make them, in the order of `wanted`; nothing when they cannot be made here, or one has
// another shape then.
std::optional<std::vector<std::vector<float>>> altered_stages(const Trace& ours,
                                                              const std::vector<ExternalStage>& wanted,
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
    std::vector<std::vector<float>> result;
    for (const ExternalStage& each : wanted) {
      const Stage* found = trace->find(each.stage);
      if (found == nullptr) return std::nullopt;
      Tensor tensor = found->tensor;
      if (what.batch_is_sequence || what.axes_exchanged) {
        if (tensor.rank() != 3) return std::nullopt;
        if (what.batch_is_sequence != what.axes_exchanged) tensor = tensor.permuted({1, 0, 2});
      }
      if (!(tensor.shape() == each.tensor.shape())) return std::nullopt;
      result.push_back(tensor.values());
    }
    return result;
  } catch (const UsageError&) {  // a mask file that no longer fits, say
    return std::nullopt;
  }
}

// Each as it must lie to be compared; in the order in which they are computed.
void check_stages(const Trace& ours, std::vector<ExternalStage>& theirs) {
  if (theirs.empty()) throw UsageError("theirs", "found no stage", "one or more");
  std::stable_sort(theirs.begin(), theirs.end(),
                   [](const ExternalStage& a, const ExternalStage& b) { return a.stage < b.stage; });
  for (std::size_t k = 0; k < theirs.size(); ++k) {
    const auto& [stage, tensor] = theirs[k];
    if (k > 0 && theirs[k - 1].stage == stage) {
      throw UsageError("theirs", fmt::format("{} is given twice", stage_name(stage)), "each stage once");
    }
    const Shape& shape = ours.tensor(stage).shape();
    const bool exchanged = shape.count == 3 && tensor.shape() == Shape{shape[1], shape[0], shape[2]};
    if (tensor.shape() == shape || exchanged) continue;
    throw UsageError("theirs",
                     fmt::format("found {}; {} is {}", to_string(tensor.shape()), stage_name(stage), to_string(shape)));
  }
}

// The search for what makes `theirs` of ours.
class Search {
 public:
  Search(const Trace& ours, std::vector<ExternalStage> theirs, const std::shared_ptr<const Backend>& backend,
         const std::function<void(double)>& progress, const CancelToken& cancel)
      : ours_(ours), theirs_(std::move(theirs)), backend_(backend), progress_(progress), cancel_(cancel) {
    for (const ExternalStage& each : theirs_) wanted_.push_back(each.tensor.values());
  }

  Diagnosis run() {
    compare();
    if (result_.equal) return std::move(result_);
    const std::vector<Mistake>& mistakes = known_mistakes();
    for (const Mistake& mistake : mistakes) make({&mistake});
    if (result_.explanations.empty()) {
      for (std::size_t first = 0; first < mistakes.size(); ++first) {
        for (std::size_t second = first + 1; second < mistakes.size(); ++second) {
          make({&mistakes[first], &mistakes[second]});
        }
      }
    }
    // Residuals below the rounding of float32 say nothing about which is right: there the table's order stays.
    const auto rounded = [](const DiagnosisExplanation& each) { return std::max(each.residual, 2e-6); };
    const auto better = [=](const DiagnosisExplanation& a, const DiagnosisExplanation& b) {
      return rounded(a) < rounded(b);
    };
    std::stable_sort(result_.explanations.begin(), result_.explanations.end(), better);
    std::stable_sort(result_.nearest.begin(), result_.nearest.end(), better);
    if (result_.nearest.size() > kNearest) result_.nearest.resize(kNearest);
    return std::move(result_);
  }

 private:
  // Our stages without any mistake.
  void compare() {
    DiagnosisExplanation nothing;
    result_.equal = true;
    for (std::size_t k = 0; k < theirs_.size(); ++k) {
      const Tensor& own = ours_.tensor(theirs_[k].stage);
      const bool same_shape = theirs_[k].tensor.shape() == own.shape();
      const Difference plain = same_shape ? difference_of(own.values(), wanted_[k]) : Difference{kInfinity, kInfinity};
      const bool equal = plain.residual <= kSameResidual;
      result_.stages.push_back({theirs_[k].stage, equal, plain.largest});
      result_.max_difference = std::max(result_.max_difference, plain.largest);
      result_.equal = result_.equal && equal;
      if (!equal && !result_.first_different) result_.first_different = theirs_[k].stage;
      nothing.residual = std::max(nothing.residual, plain.residual);
      nothing.largest = std::max(nothing.largest, plain.largest);
    }
    if (!result_.equal && std::isfinite(nothing.residual)) result_.nearest.push_back(nothing);
  }

  void make(const std::vector<const Mistake*>& mistakes) {
    cancel_.check();
    const std::size_t count = known_mistakes().size();
    if (progress_) progress_(static_cast<double>(done_++) / static_cast<double>(count * (count + 1) / 2));
    const auto made = altered_stages(ours_, theirs_, mistakes, backend_, cancel_);
    if (!made) return;
    ++result_.tried;
    DiagnosisExplanation explanation;
    for (const Mistake* mistake : mistakes) explanation.variants.emplace_back(mistake->name);
    for (std::size_t k = 0; k < made->size(); ++k) {
      const Difference difference = difference_of((*made)[k], wanted_[k]);
      explanation.residual = std::max(explanation.residual, difference.residual);
      explanation.largest = std::max(explanation.largest, difference.largest);
    }
    if (explanation.residual <= kSameResidual) {
      result_.explanations.push_back(std::move(explanation));
    } else if (std::isfinite(explanation.residual)) {
      result_.nearest.push_back(std::move(explanation));
    }
  }

  const Trace& ours_;
  std::vector<ExternalStage> theirs_;
  std::vector<std::vector<float>> wanted_;
  const std::shared_ptr<const Backend>& backend_;
  const std::function<void(double)>& progress_;
  const CancelToken& cancel_;
  Diagnosis result_;
  std::size_t done_ = 0;
};

}  // namespace

Diagnosis diagnose(const Trace& ours, std::vector<ExternalStage> theirs, const std::shared_ptr<const Backend>& backend,
                   const std::function<void(double)>& progress, const CancelToken& cancel) {
  check_stages(ours, theirs);
  return Search(ours, std::move(theirs), backend, progress, cancel).run();
}

}  // namespace headscope
