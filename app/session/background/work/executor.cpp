#include "app/session/background/work/executor.h"

#include <utility>

namespace headscope {

namespace {

class InlineExecutor : public Executor {
 public:
  void run(std::function<void()> work) override {
    work_.push_back(std::move(work));
    if (running_) return;
    running_ = true;
    while (!work_.empty()) {
      const std::function<void()> next = std::move(work_.front());
      work_.pop_front();
      next();
    }
    running_ = false;
  }
  std::unique_ptr<Executor> make_sibling(Load) const override { return make_inline_executor(); }

 private:
  std::deque<std::function<void()>> work_;
  bool running_ = false;
};

}  // namespace

std::unique_ptr<Executor> make_inline_executor() {
  return std::make_unique<InlineExecutor>();
}

void ManualExecutor::run(std::function<void()> work) {
  work_.push_back(std::move(work));
}

std::unique_ptr<Executor> ManualExecutor::make_sibling(Load) const {
  return std::make_unique<ManualExecutor>();
}

bool ManualExecutor::step() {
  if (work_.empty()) return false;
  const std::function<void()> next = std::move(work_.front());
  work_.pop_front();
  next();
  return true;
}

}  // namespace headscope
