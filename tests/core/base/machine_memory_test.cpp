// The machine's memory is what sysconf() says.
#include "core/base/machine_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace headscope {
namespace {

TEST(MachineMemory, IsWhatTheSystemSays) {
  const double pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  EXPECT_NEAR(static_cast<double>(machine_memory()) / pages, 1, 0.05);
}

}  // namespace
}  // namespace headscope
