// Reports of single numbers for the panels: at once where that is cheap, else from a worker, the newest query first.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/session/background/executor.h"
#include "core/explain/cell_report.h"

namespace headscope {

class Explanations {
 public:
  // `wake` is called by `executor` when a report is there.
  Explanations(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Waits for the report that is being made.
  ~Explanations();
  Explanations(const Explanations&) = delete;
  Explanations& operator=(const Explanations&) = delete;

  struct Answer {
    std::shared_ptr<const CellReport> report;  // null: not known yet
    std::string failure;                       // why there will be none: a sentence
  };
  // Of a cell that the trace has. What is not quick is asked for, and replaces what was asked for before it and has not
  // begun. The last few are kept.
  Answer report(const std::shared_ptr<const Trace>& trace, StageId stage, const Index& index);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headscope
