// The request on screen in number formats of fewer bits, against double. Computed by a worker; the newest wish wins.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/session/background/executor.h"
#include "core/compare/precision.h"

namespace headscope {

// Immutable; of one trace.
struct PrecisionResult {
  std::shared_ptr<const Trace> of;
  std::string refusal;  // why there is no report; then it is empty
  PrecisionReport report;
  double seconds = 0;  // of making it
};

class PrecisionNumbers {
 public:
  // One worker on `executor`; `wake` is called by it when there is something new.
  PrecisionNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels what runs and waits for it.
  ~PrecisionNumbers();
  PrecisionNumbers(const PrecisionNumbers&) = delete;
  PrecisionNumbers& operator=(const PrecisionNumbers&) = delete;

  // Asked in every frame that shows it. The newest result, which may be of an older trace (PrecisionResult::of); null
  // while there is none.
  std::shared_ptr<const PrecisionResult> want(const std::shared_ptr<const Trace>& trace);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
