#include "app/session/background/tensor_comparison.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/backend/backend.h"
#include "core/base/error.h"
#include "core/diagnose/layer_lab.h"
#include "core/export/external_stages.h"

namespace headscope {
namespace {

// The trace with these tensors for its stages.
std::shared_ptr<const Trace> with_stages(const Trace& trace, const TensorComparison& found,
                                         Tensor StageSides::*tensor) {
  auto made = std::make_shared<Trace>(trace);
  made->stages.clear();
  for (std::size_t k = 0; k < found.sides.size(); ++k) {
    Stage stage = *trace.find(found.diagnosis.stages[k].stage);
    stage.tensor = found.sides[k].*tensor;
    stage.equals_previous = false;
    made->stages.push_back(std::move(stage));
  }
  return made;
}

// The three sides of every stage, each from their stages before it.
void add_sides(TensorComparison& made, const std::vector<ExternalStage>& theirs,
               const std::shared_ptr<const Backend>& backend, const CancelToken& cancel) {
  GivenStages given;
  for (const StageComparison& found : made.diagnosis.stages) {
    const auto external = std::find_if(theirs.begin(), theirs.end(),
                                       [&](const ExternalStage& each) { return each.stage == found.stage; });
    made.sides.push_back(stage_sides(*made.trace, *external, found, given, backend, cancel));
    const StageSides& sides = made.sides.back();
    // Axes that were exchanged are no reading: diagnose() passes such a stage over, too.
    if (!sides.averaged && sides.read_as == found.read_as) given[found.stage] = sides.theirs;
  }
  made.ours = with_stages(*made.trace, made, &StageSides::ours);
  made.theirs = with_stages(*made.trace, made, &StageSides::theirs);
  made.difference = with_stages(*made.trace, made, &StageSides::difference);
}

}  // namespace

void TensorComparer::compare(const std::shared_ptr<const Trace>& trace, const std::vector<TheirFile>& files,
                             const CancelToken& cancel, const std::function<void(double)>& progress) {
  if (trace->find(StageId::raw_scores) == nullptr) {
    throw Error("These weights came without their queries and keys: they cannot be computed in another way.");
  }
  auto made = std::make_shared<TensorComparison>();
  made->trace = trace;
  made->files = files;
  std::vector<ExternalStage> theirs;
  for (const TheirFile& file : files) {
    for (ExternalStage& each : read_external_stages(*trace, file.path, file.stage)) {
      made->parts.push_back({file.path, each.stage, each.tensor.shape()});
      theirs.push_back(std::move(each));
    }
  }
  const auto backend = make_cpu_backend(trace->request.threads);
  made->diagnosis = diagnose(*trace, theirs, backend, progress, cancel);
  add_sides(*made, theirs, backend, cancel);
  const std::lock_guard lock(mutex_);
  newest_ = std::move(made);
}

std::shared_ptr<const TensorComparison> TensorComparer::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

void TensorComparer::forget() {
  const std::lock_guard lock(mutex_);
  newest_.reset();
}

}  // namespace headscope
