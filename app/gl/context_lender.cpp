#include "app/gl/context_lender.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/error.h"

namespace headscope {
namespace {

class Borrowed : public OffscreenContext {
 public:
  explicit Borrowed(LentContext lent) : lent_(std::move(lent)) { lent_.make_current(); }
  ~Borrowed() override { lent_.release(); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  std::shared_ptr<TextureShare> share() const override { return lent_.share; }

 private:
  const LentContext lent_;
};

}  // namespace

struct ContextLender::State {
  std::function<void()> wake;
  std::mutex turn;  // held by the one who borrows
  std::mutex mutex;
  std::condition_variable changed;
  bool asked = false, closed = false;
  std::optional<LentContext> answer;
};

ContextLender::ContextLender(std::function<void()> wake) : state_(std::make_shared<State>()) {
  state_->wake = std::move(wake);
}

std::unique_ptr<OffscreenContext> ContextLender::borrow() const {
  const std::lock_guard turn(state_->turn);
  std::unique_lock lock(state_->mutex);
  if (state_->closed) return nullptr;
  state_->asked = true;
  lock.unlock();
  state_->wake();
  lock.lock();
  state_->changed.wait(lock, [this] { return state_->closed || state_->answer.has_value(); });
  std::optional<LentContext> answer = std::exchange(state_->answer, {});
  lock.unlock();
  if (!answer || !answer->make_current) return nullptr;
  try {
    return std::make_unique<Borrowed>(std::move(*answer));
  } catch (const Error&) {
    return nullptr;
  }
}

void ContextLender::serve(const std::function<LentContext()>& lend) const {
  {
    const std::lock_guard lock(state_->mutex);
    if (!std::exchange(state_->asked, false)) return;
  }
  LentContext lent;
  try {
    lent = lend();
  } catch (const Error&) {
    lent = {};
  }
  {
    const std::lock_guard lock(state_->mutex);
    state_->answer = std::move(lent);
  }
  state_->changed.notify_all();
}

void ContextLender::close() const {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }
  state_->changed.notify_all();
}

}  // namespace headscope
