// What a library writes to standard error by itself.
#pragma once

#include <cstdint>

namespace headscope {

// While this lives, what the process writes to standard error is held back; then it is written, unless an allocation
// failed meanwhile: fontconfig tells of that in many lines, and the program says it in one. One at a time.
class HeldErrors {
 public:
  HeldErrors() noexcept;
  ~HeldErrors();
  HeldErrors(const HeldErrors&) = delete;
  HeldErrors& operator=(const HeldErrors&) = delete;

 private:
  std::uint64_t failed_before_;
  int real_ = -1, held_ = -1;  // descriptors; -1: nothing is held back
};

// Where a word reaches the user also while errors are held back: the descriptor of standard error.
int real_standard_error() noexcept;

}  // namespace headscope
