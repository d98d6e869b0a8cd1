// Runs kernels with each of the instruction sets that they were compiled for and that this machine has.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/backend/kernels/targets.h"

namespace headscope {

// Kernels use `target` while this lives.
class UsedTarget {
 public:
  explicit UsedTarget(const std::string& target) { choose_kernel_target(target); }
  ~UsedTarget() { choose_kernel_target(""); }
  UsedTarget(const UsedTarget&) = delete;
  UsedTarget& operator=(const UsedTarget&) = delete;
};

// Calls body(whether the target has fused multiply-add) for every target.
template <typename Body>
void on_every_target(Body&& body) {
  int targets = 0;
  for (const std::string& target : kernel_targets()) {
    const UsedTarget used(target);
    SCOPED_TRACE(target);
    body(target == "AVX3" || target == "AVX2" || target == "NEON");
    ++targets;
  }
  EXPECT_GE(targets, 1);
}

}  // namespace headscope
