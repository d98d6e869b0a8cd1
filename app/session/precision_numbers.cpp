#include "app/session/precision_numbers.h"

#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

namespace headscope {
namespace {

PrecisionLook look_of(const std::shared_ptr<const Trace>& trace, const CancelToken& cancel) {
  const auto start = std::chrono::steady_clock::now();
  PrecisionLook look;
  look.of = trace;
  try {
    look.refusal = precision_refusal(*trace);
    if (look.refusal.empty()) look.report = precision_report(trace, cancel);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    look.refusal = error.what();
  }
  look.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return look;
}

}  // namespace

struct PrecisionNumbers::Impl {
  Impl(std::unique_ptr<Executor> on, std::function<void()> wake_by)
      : wake(std::move(wake_by)), executor(std::move(on)) {}

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      wish.reset();
      token.cancel();
    }
    executor.reset();
  }

  // With mutex held.
  bool unfinished() const { return wish && !(look && look->of == wish); }

  void work() {
    while (true) {
      std::shared_ptr<const Trace> task;
      CancelToken cancel;
      {
        const std::lock_guard lock(mutex);
        if (!unfinished()) {
          running = false;
          return;
        }
        task = wish;
        token = cancel;
      }
      try {
        auto made = std::make_shared<const PrecisionLook>(look_of(task, cancel));
        const std::lock_guard lock(mutex);
        look = std::move(made);
      } catch (const Cancelled&) {
        continue;
      }
      if (wake) wake();
    }
  }

  const std::function<void()> wake;
  mutable std::mutex mutex;
  std::shared_ptr<const Trace> wish;
  std::shared_ptr<const PrecisionLook> look;
  bool running = false;
  CancelToken token;
  std::unique_ptr<Executor> executor;  // last: it ends before what its work uses
};

PrecisionNumbers::PrecisionNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(wake))) {}

PrecisionNumbers::~PrecisionNumbers() = default;

std::shared_ptr<const PrecisionLook> PrecisionNumbers::want(const std::shared_ptr<const Trace>& trace) {
  Impl& impl = *impl_;
  bool start = false;
  {
    const std::lock_guard lock(impl.mutex);
    if (impl.wish != trace) {
      if (impl.running) impl.token.cancel();
      impl.wish = trace;
    }
    if (!impl.running && impl.unfinished()) impl.running = start = true;
  }
  if (start) impl.executor->run([&impl] { impl.work(); });
  const std::lock_guard lock(impl.mutex);
  return impl.look;
}

bool PrecisionNumbers::busy() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->running;
}

}  // namespace headscope
