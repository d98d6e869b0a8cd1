// Runs kernels with each of the instruction sets that this machine has.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "hwy/targets.h"

namespace headscope {

// Kernels use `target` while this lives.
class UsedTarget {
 public:
  explicit UsedTarget(std::int64_t target) { hwy::GetChosenTarget().Update(target); }
  ~UsedTarget() { hwy::GetChosenTarget().Update(hwy::SupportedTargets()); }
  UsedTarget(const UsedTarget&) = delete;
  UsedTarget& operator=(const UsedTarget&) = delete;
};

// Calls body(whether the target has fused multiply-add) for every target.
template <typename Body>
void on_every_target(Body&& body) {
  int targets = 0;
#if HWY_ARCH_X86
  for (const std::int64_t target : {HWY_AVX3, HWY_AVX2, HWY_SSE4}) {
#else
  for (const std::int64_t target : {HWY_NEON, HWY_EMU128}) {
#endif
    if ((hwy::SupportedTargets() & target) == 0 && target != HWY_EMU128) continue;
    const UsedTarget used(target);
    SCOPED_TRACE(hwy::TargetName(target));
    body(target <= HWY_AVX2 || target == HWY_NEON);
    ++targets;
  }
  EXPECT_GE(targets, 1);
}

}  // namespace headscope
