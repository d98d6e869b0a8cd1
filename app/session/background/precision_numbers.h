// The shown request in number formats of fewer bits, compared with double. Computed by a worker; the newest query wins.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/session/background/work/executor.h"
#include "core/compare/precision.h"

namespace headscope {

struct PrecisionQuery {
  std::shared_ptr<const Trace> trace;
  std::vector<Rounding> roundings;
  friend bool operator==(const PrecisionQuery&, const PrecisionQuery&) = default;
};

// Immutable; of one query.
struct PrecisionResult {
  PrecisionQuery of;
  std::string refusal;  // why there is no report; "": `report` is filled
  PrecisionReport report;
  double seconds = 0;  // time of computing the report
};

class PrecisionNumbers {
 public:
  // One worker runs on `executor` and calls `wake` when there is a new result.
  PrecisionNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels running work and waits for it.
  ~PrecisionNumbers();
  PrecisionNumbers(const PrecisionNumbers&) = delete;
  PrecisionNumbers& operator=(const PrecisionNumbers&) = delete;

  // Call it in every frame that shows the result. Returns the newest result, which may be of an older query
  // (PrecisionResult::of); null before the first.
  std::shared_ptr<const PrecisionResult> want(const PrecisionQuery& query);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
