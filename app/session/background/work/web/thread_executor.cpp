// make_thread_executor() without threads: pieces of work wait in lines for run_waiting_work(), which a page calls
// between its frames.
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "app/session/background/work/executor.h"
#include "app/session/background/work/waiting_work.h"

namespace headscope {

namespace {

struct Line {
  const bool heavy;
  std::deque<std::function<void()>> work = {};
};

// All lines, in the order in which they take turns.
std::vector<Line*>& lines() {
  static std::vector<Line*> all;
  return all;
}

class WaitingExecutor : public Executor {
 public:
  explicit WaitingExecutor(Load load) : line_{load == Load::heavy} { lines().push_back(&line_); }
  ~WaitingExecutor() override { std::erase(lines(), &line_); }
  WaitingExecutor(const WaitingExecutor&) = delete;
  WaitingExecutor& operator=(const WaitingExecutor&) = delete;

  void run(std::function<void()> work) override { line_.work.push_back(std::move(work)); }
  std::unique_ptr<Executor> make_sibling(Load load) const override { return std::make_unique<WaitingExecutor>(load); }

 private:
  Line line_;
};

// The oldest piece of the line whose turn it is: heavy lines wait for all others. Null when nothing waits.
std::function<void()> next_piece() {
  for (const bool heavy : {false, true}) {
    const auto found = std::find_if(lines().begin(), lines().end(),
                                    [=](const Line* line) { return line->heavy == heavy && !line->work.empty(); });
    if (found == lines().end()) continue;
    Line& line = **found;
    std::function<void()> piece = std::move(line.work.front());
    line.work.pop_front();
    std::rotate(found, found + 1, lines().end());  // it is the last one now
    return piece;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Executor> make_thread_executor() {
  return std::make_unique<WaitingExecutor>(Load::alone);
}

bool run_waiting_work(double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  bool ran = false;
  do {
    const std::function<void()> piece = next_piece();
    if (piece == nullptr) return ran;
    piece();
    ran = true;
  } while (Clock::now() < end);
  return true;
}

}  // namespace headscope
