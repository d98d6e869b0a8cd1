#include "app/session/background/explanations.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

namespace headscope {
namespace {

constexpr std::size_t kKept = 8;  // the shown cell, those between which the user goes back and forth, one under the
                                  // mouse

struct Wish {
  std::shared_ptr<const Trace> trace;
  CellPlace place;
  friend bool operator==(const Wish&, const Wish&) = default;
};

struct Entry {
  Wish query;
  Explanations::Answer answer;
};

Explanations::Answer answer_to(const Wish& query) {
  try {
    return {std::make_shared<const CellReport>(report_of(*query.trace, query.place.stage, query.place.index)), ""};
  } catch (const std::exception& error) {
    return {nullptr, error.what()};
  }
}

}  // namespace

struct Explanations::Impl {
  Impl(std::unique_ptr<Executor> on, std::function<void()> wake_by)
      : wake(std::move(wake_by)), executor(std::move(on)) {}

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      waiting.reset();
    }
    executor.reset();
  }

  void keep(Entry entry) {
    known.push_front(std::move(entry));
    if (known.size() > kKept) known.pop_back();
  }

  void work() {
    for (;;) {
      Wish query;
      {
        const std::lock_guard lock(mutex);
        if (!waiting) {
          running.reset();
          return;
        }
        query = *waiting;
        running = std::exchange(waiting, std::nullopt);
      }
      Entry entry{query, answer_to(query)};
      {
        const std::lock_guard lock(mutex);
        keep(std::move(entry));
      }
      if (wake) wake();
    }
  }

  const std::function<void()> wake;
  mutable std::mutex mutex;
  std::list<Entry> known;       // the one asked for last first
  std::optional<Wish> waiting;  // of several the newest
  std::optional<Wish> running;
  std::unique_ptr<Executor> executor;
};

Explanations::Explanations(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(wake))) {}

Explanations::~Explanations() = default;

Explanations::Answer Explanations::report(const std::shared_ptr<const Trace>& trace, StageId stage,
                                          const Index& index) {
  const Wish query{trace, {stage, index}};
  const auto find = [&]() -> std::optional<Answer> {
    const auto found =
        std::find_if(impl_->known.begin(), impl_->known.end(), [&](const Entry& each) { return each.query == query; });
    if (found == impl_->known.end()) return std::nullopt;
    impl_->known.splice(impl_->known.begin(), impl_->known, found);
    return impl_->known.front().answer;
  };
  bool start = false;
  {
    const std::lock_guard lock(impl_->mutex);
    // Reports of other traces are not asked for again.
    std::erase_if(impl_->known, [&](const Entry& each) { return each.query.trace != trace; });
    if (const std::optional<Answer> known = find()) return *known;
    if (report_is_quick(*trace)) {
      impl_->keep({query, answer_to(query)});
      return impl_->known.front().answer;
    }
    if (impl_->running == query) return {};
    start = !impl_->running && !impl_->waiting;
    impl_->waiting = query;
  }
  if (!start) return {};
  impl_->executor->run([this] { impl_->work(); });
  const std::lock_guard lock(impl_->mutex);
  return find().value_or(Answer{});
}

bool Explanations::busy() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->running.has_value() || impl_->waiting.has_value();
}

}  // namespace headscope
