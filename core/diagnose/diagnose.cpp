#include "core/diagnose/diagnose.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/diagnose/layout_readings.h"
#include "core/diagnose/part_order.h"
#include "core/diagnose/stage_comparer.h"
#include "core/diagnose/stage_search.h"
#include "core/diagnose/told_apart.h"

namespace headscope {
namespace {

// Sorts the stages by the order in which they are computed, and refuses a stage that is given twice.
void check_stages(std::vector<ExternalStage>& theirs) {
  if (theirs.empty()) throw UsageError("theirs", "found no stage", "one or more");
  std::stable_sort(theirs.begin(), theirs.end(),
                   [](const ExternalStage& a, const ExternalStage& b) { return a.stage < b.stage; });
  for (std::size_t k = 0; k < theirs.size(); ++k) {
    const StageId stage = theirs[k].stage;
    if (k > 0 && theirs[k - 1].stage == stage) {
      throw UsageError("theirs", fmt::format("{} is given twice", stage_name(stage)), "each stage once");
    }
  }
}

// Every reading of the stage; of three axes also [len, batch, features], which the search turns.
std::vector<LayoutReading> readings_of(const Trace& ours, const ExternalStage& theirs, const std::string& layout) {
  std::vector<LayoutReading> readings = layout_readings(ours, theirs.stage, theirs.tensor, layout);
  const Shape& shape = ours.tensor(theirs.stage).shape();
  const Tensor& tensor = theirs.tensor;
  const bool exchanged = shape.count == 3 && tensor.shape() == Shape{shape[1], shape[0], shape[2]};
  if (readings.empty() && exchanged) readings.push_back({"", tensor, false});
  if (!readings.empty()) return readings;
  throw UsageError("theirs",
                   fmt::format("found {}; {} is {}{}", to_string(tensor.shape()), stage_name(theirs.stage),
                               to_string(shape), layout.empty() ? "" : ", and --layout " + layout + " does not fit"));
}

// How good an answer is: equal before explained by few, before explained by many, before not explained.
std::size_t rank_of(const StageComparison& stage) {
  if (stage.equal) return 0;
  return stage.explanations.empty() ? 2 * kMostMistakes : stage.explanations.front().variants.size();
}

// Whether a reading says more than the best so far. Where theirs has the stage's own shape, it is meant so: another
// reading has to be equal, or to explain what differs nearly everywhere else.
bool is_better(const StageComparison& found, const StageComparison& best, const LayoutReading& chosen) {
  if (!chosen.as.empty() || found.equal) return rank_of(found) < rank_of(best);
  const bool nearly_right = best.where.cells > 0 && 2 * best.where.cells < best.where.of_cells;
  return !nearly_right && best.explanations.empty() && !found.explanations.empty();
}

// The stage in the reading that says most.
StageComparison best_reading(const Trace& ours, ExternalStage& theirs, const GivenStages& given,
                             const DiagnoseWork& work, const CancelToken& cancel) {
  const std::vector<LayoutReading> readings = readings_of(ours, theirs, work.options.layout);
  std::optional<StageComparison> best;
  std::size_t chosen = 0;
  for (std::size_t k = 0; k < readings.size(); ++k) {
    const ExternalStage read{theirs.stage, readings[k].tensor, readings[k].averaged, theirs.format};
    StageComparison found = judged_stage(ours, read, given, work, cancel);
    if (best && !is_better(found, *best, readings[chosen])) continue;
    best = std::move(found);
    chosen = k;
    if (best->equal) break;
  }
  best->read_as = readings[chosen].as;
  for (std::size_t k = 0; k < readings.size(); ++k) {
    if (k != chosen) best->other_readings.push_back(readings[k].as);
  }
  theirs.tensor = readings[chosen].tensor;
  theirs.averaged = readings[chosen].averaged;
  return std::move(*best);
}

// The order of heads or features that theirs, in our shapes, come nearest in.
std::optional<PartOrder> order_of(const Trace& ours, std::span<const ExternalStage> theirs) {
  const bool sums_heads = std::any_of(theirs.begin(), theirs.end(),
                                      [](const ExternalStage& each) { return each.stage == StageId::output; });
  std::vector<NamedStage> named;
  for (const ExternalStage& each : theirs) named.emplace_back(each.stage, each.tensor);
  return part_order(ours, named, sums_heads);
}

// Theirs, in the order of ours already, where every stage is equal; nothing is searched.
std::optional<Diagnosis> equal_stages(const Trace& ours, std::span<const ExternalStage> theirs,
                                      const DiagnoseWork& work, const CancelToken& cancel) {
  Diagnosis found;
  found.equal = true;
  GivenStages given;
  for (const ExternalStage& each : theirs) {
    if (!(each.tensor.shape() == ours.tensor(each.stage).shape())) return std::nullopt;
    StageComparison stage = StageComparer(ours, each, given, work, cancel).compare();
    if (!stage.equal) return std::nullopt;
    found.max_difference = std::max(found.max_difference, stage.max_difference);
    found.stages.push_back(std::move(stage));
    given[each.stage] = each.tensor;
  }
  return found;
}

// Whether theirs read in another order explain more: with fewer mistakes, or with more stages that are equal.
bool says_more(const Diagnosis& turned, const Diagnosis& plain) {
  if (plain.equal || turned.equal) return !plain.equal;
  if (turned.explanations.empty() != plain.explanations.empty()) return plain.explanations.empty();
  if (!plain.explanations.empty()) {
    return turned.explanations.front().variants.size() < plain.explanations.front().variants.size();
  }
  const auto equal = [](const Diagnosis& found) {
    return std::count_if(found.stages.begin(), found.stages.end(),
                         [](const StageComparison& each) { return each.equal; });
  };
  return equal(turned) > equal(plain);
}

// One explanation for all stages: what explains each that differs, each mistake once.
void explain_together(Diagnosis& found) {
  DiagnosisExplanation together;
  together.share = together.cells = 1;
  std::set<std::string> named;
  for (const StageComparison& stage : found.stages) {
    if (stage.equal) continue;
    if (stage.explanations.empty()) {
      if (found.nearest.empty()) found.nearest = stage.nearest;
      return;
    }
    const DiagnosisExplanation& best = stage.explanations.front();
    for (std::size_t k = 0; k < best.variants.size(); ++k) {
      if (!named.insert(best.variants[k]).second) continue;
      together.variants.push_back(best.variants[k]);
      if (k < best.code.size()) together.code.push_back(best.code[k]);
    }
    together.residual = std::max(together.residual, best.residual);
    together.largest = std::max(together.largest, best.largest);
    together.share = std::min(together.share, best.share);
    together.cells = std::min(together.cells, best.cells);
  }
  found.explanations.push_back(std::move(together));
}

void list_alike(Diagnosis& found) {
  for (const StageComparison& stage : found.stages) {
    if (stage.explanations.size() < 2) continue;
    std::vector<std::string> alike;
    for (const DiagnosisExplanation& each : stage.explanations) {
      alike.push_back(fmt::format("{}", fmt::join(each.variants, "+")));
    }
    found.alike.push_back(std::move(alike));
  }
}

}  // namespace

std::string StageComparison::verdict() const {
  if (equal) return format.is_float32() ? "equal" : fmt::format("equal within {}", format.name);
  return explanations.empty() ? "differs" : "explained";
}

std::string Diagnosis::verdict() const {
  if (equal) {
    for (const StageComparison& stage : stages) {
      if (!stage.format.is_float32()) return stage.verdict();
    }
    return "equal";
  }
  return explanations.empty() ? "differs" : "explained";
}

namespace {

// Every stage in the layout that says most, from their stages before it.
Diagnosis searched(const Trace& ours, std::vector<ExternalStage> theirs, const std::shared_ptr<const Backend>& backend,
                   const std::function<void(double)>& progress, const CancelToken& cancel,
                   const DiagnoseOptions& options) {
  Diagnosis found;
  found.equal = true;
  GivenStages given;
  DiagnoseWork work{backend, options, {}};
  for (std::size_t k = 0; k < theirs.size(); ++k) {
    work.progress = [&, k](double share) {
      if (progress) progress((static_cast<double>(k) + share) / static_cast<double>(theirs.size()));
    };
    StageComparison stage = best_reading(ours, theirs[k], given, work, cancel);
    found.equal = found.equal && stage.equal;
    found.max_difference = std::max(found.max_difference, stage.max_difference);
    found.tried += stage.tried;
    if (!stage.equal && !found.first_different) found.first_different = stage.stage;
    if (theirs[k].tensor.shape() == ours.tensor(theirs[k].stage).shape()) given[theirs[k].stage] = theirs[k].tensor;
    found.stages.push_back(std::move(stage));
  }
  if (found.equal) return found;
  if (found.stages.size() > 1) tell_apart(ours, theirs, {backend, options, {}}, cancel, found);
  list_alike(found);
  if (found.stages.size() == 1) {
    found.explanations = found.stages.front().explanations;
    found.nearest = found.stages.front().nearest;
  } else {
    explain_together(found);
  }
  return found;
}

}  // namespace

void mark_order(const PartOrder& order, Diagnosis& found) {
  for (StageComparison& stage : found.stages) {
    if (!order.moves(stage.stage)) continue;
    stage.order = order;
    stage.read_as = order.words(stage.stage);
  }
}

Diagnosis diagnose(const Trace& ours, std::vector<ExternalStage> theirs, const std::shared_ptr<const Backend>& backend,
                   const std::function<void(double)>& progress, const CancelToken& cancel,
                   const DiagnoseOptions& options) {
  check_stages(theirs);
  const std::optional<PartOrder> order = order_of(ours, theirs);
  if (!order) return searched(ours, std::move(theirs), backend, progress, cancel, options);
  std::vector<ExternalStage> turned = theirs;
  for (ExternalStage& each : turned) each.tensor = in_own_order(*order, ours, each.stage, each.tensor);
  std::optional<Diagnosis> found = equal_stages(ours, turned, {backend, options, {}}, cancel);
  if (!found) {
    Diagnosis plain = searched(ours, std::move(theirs), backend, progress, cancel, options);
    if (plain.equal) return plain;
    found = searched(ours, std::move(turned), backend, progress, cancel, options);
    if (!says_more(*found, plain)) return plain;
  }
  mark_order(*order, *found);
  return std::move(*found);
}

}  // namespace headscope
