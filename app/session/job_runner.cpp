#include "app/session/job_runner.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "core/base/error.h"

namespace headscope {

JobRunner::JobRunner(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : wake_(std::move(wake)), executor_(std::move(executor)) {}

JobRunner::~JobRunner() {
  cancel();
  executor_.reset();
}

bool JobRunner::start(const std::string& title, Session::JobWork work, std::chrono::steady_clock::time_point now) {
  CancelToken token;
  {
    const std::lock_guard lock(mutex_);
    if (job_.running) return false;
    job_ = {};
    job_.title = title;
    job_.running = true;
    job_.started = now;
    token_ = token;
  }
  executor_->run([this, token, work = std::move(work)] { run(work, token); });
  return true;
}

void JobRunner::run(const Session::JobWork& work, const CancelToken& token) {
  std::string result;
  bool failed = true;
  try {
    token.check();
    result = work(token, [this](double share) { set_progress(share); });
    failed = false;
  } catch (const Cancelled&) {
    result = "Cancelled; nothing was written.";
    failed = false;
  } catch (const std::bad_alloc&) {
    result = "There is not enough memory for this.";
  } catch (const std::exception& error) {
    result = error.what();
  }
  {
    const std::lock_guard lock(mutex_);
    job_.running = false;
    job_.failed = failed;
    if (!failed && !token.cancelled()) job_.progress = 1;
    job_.result = std::move(result);
  }
  if (wake_) wake_();
}

void JobRunner::set_progress(double share) {
  if (!std::isfinite(share)) return;
  const double clamped = std::clamp(share, 0.0, 1.0);
  {
    const std::lock_guard lock(mutex_);
    const bool visible = std::floor(clamped * 100) != std::floor(job_.progress * 100);
    job_.progress = clamped;
    if (!visible) return;
  }
  if (wake_) wake_();
}

void JobRunner::cancel() {
  const std::lock_guard lock(mutex_);
  if (job_.running) token_.cancel();
}

Session::Job JobRunner::job() const {
  const std::lock_guard lock(mutex_);
  return job_;
}

void JobRunner::dismiss() {
  const std::lock_guard lock(mutex_);
  if (!job_.running) job_ = {};
}

}  // namespace headscope
