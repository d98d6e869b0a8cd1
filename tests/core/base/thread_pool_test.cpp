#include "core/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace headscope {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (int threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    for (std::int64_t count : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      pool.run(count, true, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& times : runs) EXPECT_EQ(times.load(), 1);
    }
  }
}

TEST(ThreadPool, ThrowsTheFirstExceptionAgainAndGoesOn) {
  ThreadPool pool(3);
  for (bool parallel : {false, true}) {
    EXPECT_THROW(pool.run(100, parallel,
                          [](std::int64_t i) {
                            if (i == 7) throw std::runtime_error("seven");
                          }),
                 std::runtime_error);
    std::atomic<int> done{0};
    pool.run(10, true, [&](std::int64_t) { ++done; });
    EXPECT_EQ(done.load(), 10);
  }
}

TEST(ThreadPool, AFailureStopsTheTasksThatHaveNotStarted) {
  ThreadPool pool(2);
  std::atomic<int> started{0};
  EXPECT_THROW(pool.run(100000, true,
                        [&](std::int64_t) {
                          ++started;
                          throw std::runtime_error("at once");
                        }),
               std::runtime_error);
  EXPECT_LE(started.load(), 2);
}

TEST(ThreadPool, SeveralCallersDoNotWaitForOneAnother) {
  ThreadPool pool(2);
  std::atomic<int> done{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) pool.run(8, true, [&](std::int64_t) { ++done; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done.load(), 4 * 50 * 8);
}

TEST(ThreadPool, ACallerWorksAloneWhileTheWorkersHaveAnothersJob) {
  ThreadPool pool(2);
  std::atomic<bool> second_done{false};
  // The first job cannot end before the second has: were that one to wait, neither would.
  pool.run(2, true, [&](std::int64_t i) {
    if (i > 0) return;
    std::thread second([&] {
      std::atomic<int> done{0};
      pool.run(5, true, [&](std::int64_t) { ++done; });
      second_done = done.load() == 5;
    });
    second.join();
  });
  EXPECT_TRUE(second_done.load());
}

TEST(ThreadPool, ATaskMayRunTasks) {
  ThreadPool pool(3);
  std::atomic<int> done{0};
  pool.run(4, true, [&](std::int64_t) { pool.run(6, true, [&](std::int64_t) { ++done; }); });
  EXPECT_EQ(done.load(), 24);
}

TEST(ThreadPool, EveryTaskOfManyShortJobsRunsOnce) {
  // Workers that are still busy with one job meet the next: a task must run neither twice nor never.
  ThreadPool pool(4);
  for (int round = 0; round < 3000; ++round) {
    const int count = 2 + round % 7;
    int runs[8] = {};
    pool.run(count, true, [&](std::int64_t i) { ++runs[i]; });
    for (int i = 0; i < 8; ++i) ASSERT_EQ(runs[i], i < count ? 1 : 0) << round;
  }
}

TEST(ThreadPool, SleepersWakeForTheNextJob) {
  ThreadPool pool(2);
  for (int round = 0; round < 5; ++round) {
    // Two tasks that wait for each other need two threads.
    std::atomic<int> arrived{0};
    pool.run(2, true, [&](std::int64_t) {
      ++arrived;
      while (arrived.load() < 2) std::this_thread::yield();
    });
    EXPECT_EQ(arrived.load(), 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// A worker that looks at the last job just when the pool ends must not sleep on: nobody would wake it, and the end
// would wait for it forever. That needs one moment of a microsecond: many pools end here, which is no proof.
TEST(ThreadPool, EndsWhileItsWorkersWake) {
  for (int round = 0; round < 2000; ++round) {
    ThreadPool pool(4);
    std::atomic<int> ran{0};
    pool.run(3, true, [&](std::int64_t) { ++ran; });
    ASSERT_EQ(ran.load(), 3);
  }
}

TEST(ThreadPool, ZeroMeansAllCores) {
  EXPECT_GE(ThreadPool(0).threads(), 1);
}

}  // namespace
}  // namespace headscope
