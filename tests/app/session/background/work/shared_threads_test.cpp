// Lines of work on a few threads: in order, one piece of a line at a time, heavy ones never on all threads.
#include "app/session/background/work/shared_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <list>
#include <memory>
#include <thread>
#include <vector>

#include "app/session/background/work/executor.h"

namespace headscope {
namespace {

using std::chrono::milliseconds;

// A piece of work that goes on until the test lets it.
class Gate {
 public:
  void open() { opened_.set_value(); }
  std::function<void()> work() {
    return [this, until = opened_.get_future().share()] {
      ++begun_;
      until.wait();
    };
  }
  bool begins() const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (begun_ == 0 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
    return begun_ > 0;
  }
  bool begun() const { return begun_ > 0; }

 private:
  std::promise<void> opened_;
  std::atomic<int> begun_ = 0;
};

TEST(SharedThreads, ALineRunsItsWorkInOrderAndOnePieceAtATime) {
  const auto first = make_thread_executor();
  std::vector<std::unique_ptr<Executor>> lines;
  for (int k = 0; k < 8; ++k) lines.push_back(first->make_sibling(k % 2 == 0 ? Load::light : Load::heavy));
  std::vector<std::vector<int>> seen(lines.size());
  std::vector<std::atomic<int>> inside(lines.size());
  std::atomic<int> done = 0, together = 0;
  for (int k = 0; k < 200; ++k) {
    for (std::size_t line = 0; line < lines.size(); ++line) {
      lines[line]->run([&, line, k] {
        if (++inside[line] > 1) ++together;
        seen[line].push_back(k);
        --inside[line];
        ++done;
      });
    }
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (done < 1600 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(1));
  lines.clear();
  EXPECT_EQ(done, 1600);
  EXPECT_EQ(together, 0);
  for (const auto& order : seen) EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(SharedThreads, HeavyWorkLeavesAThreadForLightWork) {
  const auto first = make_thread_executor();
  std::list<Gate> gates(4);
  std::vector<std::unique_ptr<Executor>> heavy;
  for (Gate& gate : gates) {
    heavy.push_back(first->make_sibling(Load::heavy));
    heavy.back()->run(gate.work());
  }
  auto gate = gates.begin();
  EXPECT_TRUE(gate->begins());
  EXPECT_TRUE((++gate)->begins());
  const auto light = first->make_sibling(Load::light);
  for (int k = 0; k < 3; ++k) {
    std::promise<void> ran;
    light->run([&ran] { ran.set_value(); });
    ran.get_future().wait();
  }
  EXPECT_FALSE((++gate)->begun()) << "two heavy pieces are the most";
  gates.front().open();
  EXPECT_TRUE(gate->begins()) << "the next one takes its turn";
  for (auto each = std::next(gates.begin()); each != gates.end(); ++each) each->open();
}

TEST(SharedThreads, AnOwnerWaitsForItsOwnWorkOnly) {
  const auto first = make_thread_executor();
  Gate slow, own;
  auto other = first->make_sibling(Load::heavy);
  other->run(slow.work());
  EXPECT_TRUE(slow.begins());
  auto ending = first->make_sibling(Load::light);
  bool dropped_ran = false;
  ending->run(own.work());
  ending->run([&] { dropped_ran = true; });
  EXPECT_TRUE(own.begins());
  std::thread opener([&own] {
    std::this_thread::sleep_for(milliseconds(20));
    own.open();
  });
  ending.reset();
  opener.join();
  EXPECT_FALSE(dropped_ran) << "what waits is dropped";
  slow.open();
}

TEST(SharedThreads, AnotherLineTakesItsTurnBetweenTwoPieces) {
  // A piece that passes itself on again and again keeps no thread from the others.
  const auto first = make_thread_executor();
  std::atomic<bool> stop = false;
  std::vector<std::unique_ptr<Executor>> busy;
  std::list<std::function<void()>> again;
  for (int k = 0; k < 5; ++k) {
    busy.push_back(first->make_sibling(Load::light));
    Executor* by = busy.back().get();
    std::function<void()>& work = again.emplace_back();
    work = [&stop, &work, by] {
      if (!stop) by->run(work);
    };
    by->run(work);
  }
  const auto late = first->make_sibling(Load::heavy);
  std::promise<void> ran;
  late->run([&ran] { ran.set_value(); });
  EXPECT_EQ(ran.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  stop = true;
  busy.clear();
}

}  // namespace
}  // namespace headscope
