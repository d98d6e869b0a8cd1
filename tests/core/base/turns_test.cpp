// Work by turns: its order, what is thrown, and that never two go on at a time.
#include "core/base/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace headscope {
namespace {

TEST(Turns, EachGoesOnToItsNextPauseThenTheNextOne) {
  std::string order;
  work_by_turns(3, [&](std::size_t k, const Pause& pause) {
    const char name = static_cast<char>('a' + k);
    for (std::size_t step = 0; step <= k; ++step) {  // a has one step, c three
      order += name;
      pause();
    }
    order += static_cast<char>('A' + k);
  });
  EXPECT_EQ(order, "abcAbcBcC");
}

TEST(Turns, NeverTwoAtATime) {
  std::atomic<int> inside = 0;
  int most = 0;
  work_by_turns(8, [&](std::size_t, const Pause& pause) {
    for (int step = 0; step < 200; ++step) {
      most = std::max(most, ++inside);
      --inside;
      pause();
    }
  });
  EXPECT_EQ(most, 1);
}

TEST(Turns, WhatIsThrownFirstIsThrownOnceAllHaveEnded) {
  std::vector<std::string> ends(3);
  try {
    work_by_turns(3, [&](std::size_t k, const Pause& pause) {
      try {
        pause();
        if (k == 1) throw std::runtime_error("one failed");
        pause();
        ends[k] = "went on";
      } catch (const Cancelled&) {
        ends[k] = "cancelled";
        throw;
      }
    });
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "one failed");
  }
  EXPECT_EQ(ends, (std::vector<std::string>{"cancelled", "", "cancelled"}));
}

TEST(Turns, OneOrNoneNeedsNoThread) {
  int runs = 0;
  work_by_turns(1, [&](std::size_t, const Pause& pause) {
    pause();
    ++runs;
  });
  work_by_turns(0, [&](std::size_t, const Pause&) { ++runs; });
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace headscope
