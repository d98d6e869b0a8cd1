#include "app/session/background/tensor_comparison.h"

#include <utility>

#include "core/base/error.h"
#include "core/export/external_stages.h"

namespace headscope {

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
  made->diagnosis = diagnose(*trace, std::move(theirs), make_cpu_backend(trace->request.threads), progress, cancel);
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
