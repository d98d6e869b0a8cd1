// How far a scan is: in place on a terminal, and now and then as a line where there is none.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/progress_line.h"
#include "core/corpus/scan_job.h"

namespace headscope::cli {

// Rate and time left; a new text once a second at most. Where standard error is no terminal, as of a job of Slurm or
// nohup, a line of its own once a minute: none for a short scan. HEADSCOPE_SCAN_SAY_SECONDS in the environment says how
// many seconds lie between two of them (0: one before every batch).
class ScanLine {
 public:
  // UsageError for an environment variable that is no number.
  explicit ScanLine(std::string out);

  void show(const ScanProgress& at);
  void show(const std::string& text) { line_.show(text); }
  void erase() { line_.erase(); }

 private:
  void say(double share) const;

  ProgressLine line_;
  ProgressText text_;
  const bool terminal_;
  double between_ = 60;         // seconds between two texts
  double shown_ = 0;            // seconds of the run at the last one
  std::int64_t begun_at_ = -1;  // phrases that were done before this run
};

}  // namespace headscope::cli
