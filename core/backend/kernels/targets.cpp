#include "core/backend/kernels/targets.h"

#include <hwy/highway.h>

#include <cstdint>

#include "core/base/assert.h"

namespace headscope {

std::vector<std::string> kernel_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

std::string kernel_target() {
  return kernel_targets().front();
}

void choose_kernel_target(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  std::int64_t chosen = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name == hwy::TargetName(target)) chosen = target;
  }
  HEADSCOPE_ASSERT(name.empty() || chosen != 0, "no kernels for '" + name + "' here");
  hwy::SetSupportedTargetsForTest(chosen);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace headscope
