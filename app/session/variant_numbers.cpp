#include "app/session/variant_numbers.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "core/attention/variant_run.h"

namespace headscope {
namespace {

bool same(const VariantWish& a, const VariantWish& b) {
  return a.trace == b.trace && a.picked == b.picked;
}

StageId last_stage(const Trace& trace) {
  return trace.find(StageId::output) != nullptr ? StageId::output : StageId::concat;
}

}  // namespace

struct VariantNumbers::Impl {
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
  bool unfinished() const {
    return wish && !(look && same(look->of, *wish) && (!look->refusal.empty() || !look->lines.empty()));
  }

  void work() {
    while (true) {
      VariantWish task;
      CancelToken cancel;
      std::shared_ptr<const VariantLook> before;
      {
        const std::lock_guard lock(mutex);
        if (!unfinished()) {
          running = false;
          return;
        }
        task = *wish;
        token = cancel;
        before = look;
      }
      try {
        make(task, before, cancel);
      } catch (const Cancelled&) {
        continue;
      } catch (const std::exception& error) {
        VariantLook failed;
        failed.of = task;
        failed.refusal = error.what();
        publish(std::move(failed));
      }
    }
  }

  void make(const VariantWish& task, const std::shared_ptr<const VariantLook>& before, const CancelToken& cancel) {
    VariantLook made;
    made.of = task;
    made.refusal = rerun_refusal(*task.trace);
    if (!made.refusal.empty()) return publish(std::move(made));
    if (!backend || threads != task.trace->request.threads) {
      threads = task.trace->request.threads;
      backend = make_cpu_backend(threads);
    }
    const bool same_trace = before && before->of.trace == task.trace && before->right;
    made.right = same_trace ? before->right : rerun(*task.trace, {}, backend, cancel);
    made.last = last_stage(*made.right);
    made.problem = variant_problem(*task.trace, task.picked);
    if (!made.problem) {
      made.wrong = rerun(*task.trace, task.picked, backend, cancel);
      made.difference = difference_trace(made.right, made.wrong);
      made.effect = std::make_shared<const VariantEffect>(variant_effect(*made.right, *made.wrong, cancel));
    }
    if (same_trace && !before->lines.empty()) {
      made.lines = before->lines;
      made.seconds = before->seconds;
    } else {
      // What is picked comes first where all of them take a while.
      constexpr double kWhile = 0.05;
      const auto start = std::chrono::steady_clock::now();
      const double estimate = made.right->seconds * static_cast<double>(variant_names().size());
      if (estimate > kWhile) publish(made);
      for (const std::string_view name : variant_names()) made.lines.push_back(line_of(name, made, cancel));
      made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    publish(std::move(made));
  }

  VariantLine line_of(std::string_view name, const VariantLook& made, const CancelToken& cancel) const {
    VariantLine line;
    line.name = name;
    line.problem = variant_problem(*made.right, {line.name});
    if (line.problem) return line;
    const auto wrong = rerun(*made.right, {line.name}, backend, cancel);
    const StageDifference last = stage_difference(made.last, made.right->tensor(made.last), wrong->tensor(made.last));
    const StageDifference weights =
        stage_difference(StageId::weights, made.right->tensor(StageId::weights), wrong->tensor(StageId::weights));
    line.largest = last.largest;
    line.changes = !last.same_shape || !last.equal;
    line.nan_rows = weights.same_shape ? weights.wrong_nan_rows - weights.right_nan_rows : 0;
    return line;
  }

  void publish(VariantLook made) {
    {
      const std::lock_guard lock(mutex);
      look = std::make_shared<const VariantLook>(std::move(made));
    }
    if (wake) wake();
  }

  const std::function<void()> wake;
  std::shared_ptr<const Backend> backend;  // touched by work() only, as is `threads`
  int threads = -1;
  mutable std::mutex mutex;
  std::optional<VariantWish> wish;
  std::shared_ptr<const VariantLook> look;
  bool running = false;
  CancelToken token;
  std::unique_ptr<Executor> executor;  // last: it ends before what its work uses
};

VariantNumbers::VariantNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(wake))) {}

VariantNumbers::~VariantNumbers() = default;

std::shared_ptr<const VariantLook> VariantNumbers::want(const VariantWish& wish) {
  Impl& impl = *impl_;
  bool start = false;
  {
    const std::lock_guard lock(impl.mutex);
    if (!impl.wish || !same(*impl.wish, wish)) {
      if (impl.running) impl.token.cancel();
      impl.wish = wish;
    }
    if (!impl.running && impl.unfinished()) impl.running = start = true;
  }
  if (start) impl.executor->run([&impl] { impl.work(); });
  const std::lock_guard lock(impl.mutex);
  return impl.look;
}

bool VariantNumbers::busy() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->running;
}

}  // namespace headscope
