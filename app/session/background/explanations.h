// Reports on single numbers for the panels: made at once when that is cheap, else by a worker, the newest query first.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/session/background/work/executor.h"
#include "core/explain/cell_report.h"

namespace headscope {

class Explanations {
 public:
  // `wake` is called on `executor` when a report is ready.
  Explanations(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Waits for the report that is being made.
  ~Explanations();
  Explanations(const Explanations&) = delete;
  Explanations& operator=(const Explanations&) = delete;

  struct Answer {
    std::shared_ptr<const CellReport> report;  // null: not known yet
    std::string failure;                       // why there is no report, as a sentence; else ""
  };
  // The report of a cell that the trace has. A report that is not quick is queued; it replaces an older queued one that
  // has not begun. The last few reports are kept.
  Answer report(const std::shared_ptr<const Trace>& trace, StageId stage, const Index& index);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
