// Shows on the terminal what a command is doing.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace headscope::cli {

// "scanning for ", "all.hsagg", ": 5 of 12 phrases".
struct ProgressText {
  std::string before, name, after;
};

// The text in as many bytes at most: of a name that is too long the middle gives way to "...", then all of it with what
// stands before; what stands after stays, as far as it fits itself, then without the colon that it begins with. Cuts no
// code point of valid UTF-8.
std::string fitted(const ProgressText& text, std::size_t bytes);

// One line on standard error, rewritten in place and erased at the end; nothing is written when standard error is no
// terminal. A share changes at most ten times a second.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // "drawing map.png", or with a share in [0, 1] "drawing map.png  42 %"; fitted() to the width of the terminal.
  void show(const std::string& what, std::optional<double> share = {}) { show(ProgressText{"", what, ""}, share); }
  void show(const ProgressText& what, std::optional<double> share = {});
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  const bool terminal_;
  std::string what_;  // on the line; "" when there is none
  Clock::time_point next_;
};

}  // namespace headscope::cli
