#include "app/memory/returned_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headscope {
namespace {

#ifdef __GLIBC__
// A block that is kept alive, so that no compiler leaves it out.
void* volatile block = nullptr;

TEST(ReturnedMemory, ALargeBlockIsMappedByItselfWhateverWasFreedBefore) {
#ifdef HEADSCOPE_SANITIZED
  GTEST_SKIP() << "a sanitizer has an allocator of its own";
#endif
  return_large_blocks();
  block = std::malloc(kMappedBlock * 32);
  std::free(block);
  const auto mapped = mallinfo2().hblks;
  block = std::malloc(kMappedBlock);
  EXPECT_EQ(mallinfo2().hblks, mapped + 1) << "it lies among others, and its memory stays with the process";
  std::free(block);
  EXPECT_EQ(mallinfo2().hblks, mapped);
}
#endif

}  // namespace
}  // namespace headscope
