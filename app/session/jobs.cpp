#include "app/session/jobs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/background/compare_backends.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"

namespace headscope {

Jobs::Jobs(std::unique_ptr<Executor> executor, std::function<void()> wake, BackendFactory make_backend)
    : wake_(std::move(wake)), make_backend_(std::move(make_backend)), executor_(std::move(executor)) {}

Jobs::~Jobs() {
  cancel();
  executor_.reset();
}

bool Jobs::start(const std::string& title, JobWork work) {
  CancelToken token;
  {
    const std::lock_guard lock(mutex_);
    if (job_.running) return false;
    job_ = {};
    job_.title = title;
    job_.running = true;
    job_.started = now_.value_or(std::chrono::steady_clock::now());
    token_ = token;
  }
  executor_->run([this, token, work = std::move(work)] { run(work, token); });
  return true;
}

bool Jobs::compare_backends(const std::shared_ptr<const Trace>& trace) {
  if (trace == nullptr) return false;
  return start("Compare backends", [request = trace->request, make = make_backend_](
                                       const CancelToken& cancel, const std::function<void(double)>& progress) {
    return headscope::compare_backends(request, make, cancel, progress);
  });
}

bool Jobs::compare_tensors(const std::shared_ptr<const Trace>& trace, const std::vector<TheirFile>& files) {
  if (trace == nullptr) return false;
  return start("Compare with my tensors",
               [this, trace, files](const CancelToken& cancel, const std::function<void(double)>& progress) {
                 comparer_.compare(trace, files, cancel, progress);
                 return std::string();  // the bug lab shows what was found
               });
}

void Jobs::run(const JobWork& work, const CancelToken& token) {
  std::string result;
  bool failed = true;
  const MemoryWatch watch;
  try {
    token.check();
    result = work(token, [this](double share) { set_progress(share); });
    failed = false;
  } catch (const Cancelled&) {
    result = "Cancelled; nothing was written.";
    failed = false;
  } catch (const std::exception& error) {
    result = failure_words(error);
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

void Jobs::set_progress(double share) {
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

void Jobs::cancel() {
  const std::lock_guard lock(mutex_);
  if (job_.running) token_.cancel();
}

Job Jobs::current() const {
  const std::lock_guard lock(mutex_);
  return job_;
}

void Jobs::dismiss() {
  const std::lock_guard lock(mutex_);
  if (!job_.running) job_ = {};
}

std::shared_ptr<const TensorComparison> Jobs::comparison() const {
  return comparer_.newest();
}

void Jobs::forget_comparison() {
  comparer_.forget();
}

void Jobs::set_time(std::chrono::steady_clock::time_point now) {
  const std::lock_guard lock(mutex_);
  now_ = now;
}

}  // namespace headscope
