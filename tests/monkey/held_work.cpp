#include "tests/monkey/held_work.h"

#include <limits>

namespace headscope::ui {

class HeldExecutor : public Executor {
 public:
  explicit HeldExecutor(HeldWork& all) : all_(all) {}
  ~HeldExecutor() override { all_.drop(this); }
  void run(std::function<void()> work) override { all_.add(this, std::move(work)); }
  std::unique_ptr<Executor> make_sibling(Load) const override { return all_.make_executor(); }

 private:
  HeldWork& all_;
};

std::unique_ptr<Executor> HeldWork::make_executor() {
  return std::make_unique<HeldExecutor>(*this);
}

void HeldWork::add(const void* owner, std::function<void()> work) {
  work_.emplace_back(owner, std::move(work));
  if (!held_) work_off(std::numeric_limits<int>::max());
}

void HeldWork::drop(const void* owner) {
  std::erase_if(work_, [owner](const auto& piece) { return piece.first == owner; });
}

void HeldWork::work_off(int pieces) {
  if (working_) return;  // work that running work passes on is done after it
  working_ = true;
  for (; pieces > 0 && !work_.empty(); --pieces) {
    const std::function<void()> next = std::move(work_.front().second);
    work_.pop_front();
    next();
  }
  working_ = false;
}

void HeldWork::let_go() {
  held_ = false;
  work_off(std::numeric_limits<int>::max());
}

}  // namespace headscope::ui
