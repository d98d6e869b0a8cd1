// Shows on the terminal what a command is doing.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace headscope::cli {

// One line on standard error, rewritten in place and erased at the end; nothing is written when standard error is no
// terminal. A share changes at most ten times a second.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // "drawing map.png", or with a share in [0, 1] "drawing map.png  42 %"; cut to the width of the terminal.
  void show(const std::string& what, std::optional<double> share = {});
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  const bool terminal_;
  std::string what_;  // on the line; "" when there is none
  Clock::time_point next_;
};

}  // namespace headscope::cli
