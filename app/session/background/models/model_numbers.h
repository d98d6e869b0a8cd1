// Numbers for the view over all layers and heads of a model: metrics and small pictures of every head, aggregates, and
// results of the same request without interventions and with each of them alone. Computed by a worker; the newest query
// wins.
#pragma once

#include <functional>
#include <memory>

#include "app/session/background/models/model_result.h"
#include "app/session/background/work/compute_queue.h"
#include "app/session/background/work/executor.h"

namespace headscope {

class ModelNumbers {
 public:
  // One worker runs on `executor` and calls `wake` when there is a new result. `compute` runs the baseline.
  ModelNumbers(std::unique_ptr<Executor> executor, Compute compute, EngineOptions engine, std::function<void()> wake);
  // Cancels running work and waits for it.
  ~ModelNumbers();
  ModelNumbers(const ModelNumbers&) = delete;
  ModelNumbers& operator=(const ModelNumbers&) = delete;

  // Call it in every frame that shows the numbers. Replaces the last query; results that both share are kept.
  ModelResult want(const ModelQuery& query);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
