#include "core/base/per_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace headscope {
namespace {

std::atomic<int> alive = 0;

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int value = 0;
};

TEST(PerThread, EachThreadHasItsOwnUntilItEnds) {
  static PerThread<Counted> counted;
  const int before = alive;
  counted.get().value = 1;
  EXPECT_EQ(alive, before + 1);
  std::thread other([&] {
    EXPECT_EQ(counted.get().value, 0);
    counted.get().value = 2;
    EXPECT_EQ(counted.get().value, 2);
    EXPECT_EQ(alive, before + 2);
  });
  other.join();
  EXPECT_EQ(alive, before + 1);
  EXPECT_EQ(counted.get().value, 1);
}

TEST(PerThread, AThreadThatNeverAsksMakesNone) {
  static PerThread<Counted> counted;
  const int before = alive;
  std::thread([] {}).join();
  EXPECT_EQ(alive, before);
}

}  // namespace
}  // namespace headscope
