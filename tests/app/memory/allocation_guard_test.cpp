#include "app/memory/allocation_guard.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "core/base/memory_failures.h"

namespace headscope {
namespace {

// What no machine has.
constexpr std::size_t kTooMuch = std::size_t{1} << 60;

TEST(AllocationGuard, AFailureTakesTheReserveAndIsCounted) {
#ifdef HEADSCOPE_SANITIZED
  GTEST_SKIP() << "a sanitizer has an allocator of its own";
#endif
  keep_memory_reserve();
  volatile std::size_t size = kTooMuch;
  errno = 0;
  void* const memory = std::malloc(size);
  ASSERT_EQ(memory, nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_TRUE(memory_reserve_is_used());
  EXPECT_EQ(failed_allocations(), 1U);
  EXPECT_THROW(check_memory(), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(::operator new(size)), std::bad_alloc);
  EXPECT_EQ(failed_allocations(), 2U);
  EXPECT_TRUE(renew_memory_reserve());
  EXPECT_FALSE(memory_reserve_is_used());
  EXPECT_EQ(std::malloc(size), nullptr);
  EXPECT_TRUE(memory_reserve_is_used()) << "the new one was given up, too";
}

TEST(AllocationGuard, MemoryIsThatOfTheAllocatorBehindIt) {
  keep_memory_reserve();
  void* memory = std::malloc(100);
  memory = std::realloc(memory, 100'000);
  ASSERT_NE(memory, nullptr);
  std::free(memory);
  int* const zeros = static_cast<int*>(std::calloc(1000, sizeof(int)));
  EXPECT_EQ(zeros[999], 0);
  std::free(zeros);
  void* const aligned = std::aligned_alloc(256, 1024);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 256, 0U);
  std::free(aligned);
  void* posix = nullptr;
  EXPECT_EQ(::posix_memalign(&posix, 64, 10), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(posix) % 64, 0U);
  std::free(posix);
}

}  // namespace
}  // namespace headscope
