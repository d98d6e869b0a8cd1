// One service's work, piece by piece.
#include "app/session/background/work/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace headscope {
namespace {

// Takes numbers and keeps those that are done.
struct Numbers {
  std::deque<int> waiting;
  std::vector<int> done;
  std::function<void(int, const CancelToken&)> during = [](int, const CancelToken&) {};
  int woken = 0;
  Worker worker;

  explicit Numbers(std::unique_ptr<Executor> executor)
      : worker(std::move(executor), [this] { ++woken; },
               {[this] { return !waiting.empty(); },
                [this] {
                  const int number = waiting.front();
                  waiting.pop_front();
                  return [this, number](const CancelToken& token) {
                    during(number, token);
                    const auto lock = worker.lock();
                    done.push_back(number);
                  };
                }}) {}

  void add(int number) {
    {
      const auto lock = worker.lock();
      waiting.push_back(number);
    }
    worker.start();
  }
};

TEST(Worker, EveryPieceIsATurnOfItsOwn) {
  auto own = std::make_unique<ManualExecutor>();
  ManualExecutor* executor = own.get();
  Numbers numbers(std::move(own));
  numbers.add(1);
  numbers.add(2);
  EXPECT_EQ(executor->waiting(), 1U);
  EXPECT_TRUE(numbers.worker.busy());
  EXPECT_TRUE(executor->step());
  EXPECT_EQ(numbers.done, (std::vector<int>{1}));
  EXPECT_TRUE(numbers.worker.busy());
  EXPECT_TRUE(executor->step());
  EXPECT_EQ(numbers.done, (std::vector<int>{1, 2}));
  EXPECT_FALSE(numbers.worker.busy());
  EXPECT_FALSE(executor->step()) << "an idle worker starts nothing";
}

TEST(Worker, WithAnInlineExecutorEverythingIsDoneAtOnce) {
  Numbers numbers(make_inline_executor());
  numbers.during = [&](int number, const CancelToken&) {
    if (number < 3) numbers.add(number + 1);  // while it runs
  };
  numbers.add(1);
  EXPECT_EQ(numbers.done, (std::vector<int>{1, 2, 3}));
  EXPECT_FALSE(numbers.worker.busy());
}

TEST(Worker, CancelsThePieceThatRunsAndNoOther) {
  auto own = std::make_unique<ManualExecutor>();
  ManualExecutor* executor = own.get();
  Numbers numbers(std::move(own));
  numbers.during = [&](int number, const CancelToken& token) {
    if (number == 1) {
      const auto lock = numbers.worker.lock();
      numbers.worker.cancel();
    }
    token.check();
  };
  numbers.add(1);
  {
    const auto lock = numbers.worker.lock();
    numbers.worker.cancel();  // nothing runs yet
  }
  numbers.add(2);
  while (executor->step()) {
  }
  EXPECT_EQ(numbers.done, (std::vector<int>{2}));
}

TEST(Worker, EndsWhileItsPiecesRunOnSharedThreads) {
  const auto threads = make_thread_executor();
  for (int round = 0; round < 30; ++round) {
    std::vector<std::unique_ptr<Numbers>> all;
    for (int k = 0; k < 6; ++k) {
      all.push_back(std::make_unique<Numbers>(threads->make_sibling(k % 2 == 0 ? Load::light : Load::heavy)));
      all.back()->during = [](int, const CancelToken& token) {
        std::this_thread::yield();
        token.check();
      };
    }
    for (int number = 0; number < 20; ++number) {
      for (const auto& each : all) each->add(number);
    }
    if (round % 2 == 0) continue;  // ends in the middle
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (const auto& each : all) {
      while (each->worker.busy() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      const auto lock = each->worker.lock();
      EXPECT_EQ(each->done.size(), 20U);
    }
  }
}

}  // namespace
}  // namespace headscope
