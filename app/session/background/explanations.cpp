#include "app/session/background/explanations.h"

#include <algorithm>
#include <list>
#include <optional>
#include <utility>

#include "app/session/background/work/worker.h"
#include "core/base/memory_failures.h"

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
    return {nullptr, failure_words(error)};
  }
}

}  // namespace

struct Explanations::Impl {
  Impl(std::unique_ptr<Executor> executor, std::function<void()> wake)
      : worker(std::move(executor), std::move(wake),
               {[this] { return waiting.has_value(); }, [this] { return take(); }}) {}

  // The report, which becomes the one that was asked for last. With the lock held.
  std::optional<Answer> find(const Wish& query) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const Entry& each) { return each.query == query; });
    if (found == known.end()) return std::nullopt;
    known.splice(known.begin(), known, found);
    return known.front().answer;
  }

  void keep(Entry entry) {
    known.push_front(std::move(entry));
    if (known.size() > kKept) known.pop_back();
  }

  Worker::Piece take() {
    running = std::exchange(waiting, std::nullopt);
    return [this, query = *running](const CancelToken&) {
      Entry entry{query, answer_to(query)};
      {
        const auto lock = worker.lock();
        keep(std::move(entry));
        running.reset();
      }
      worker.wake();
    };
  }

  // Behind the worker's lock.
  std::list<Entry> known;       // the one asked for last first
  std::optional<Wish> waiting;  // of several the newest
  std::optional<Wish> running;
  Worker worker;  // last: it ends before what its pieces use
};

Explanations::Explanations(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(wake))) {}

Explanations::~Explanations() = default;

Explanations::Answer Explanations::report(const std::shared_ptr<const Trace>& trace, StageId stage,
                                          const Index& index) {
  const Wish query{trace, {stage, index}};
  {
    const auto lock = impl_->worker.lock();
    // Reports of other traces are not asked for again.
    std::erase_if(impl_->known, [&](const Entry& each) { return each.query.trace != trace; });
    if (const std::optional<Answer> known = impl_->find(query)) return *known;
    if (report_is_quick(*trace)) {
      impl_->keep({query, answer_to(query)});
      return impl_->known.front().answer;
    }
    if (impl_->running == query) return {};
    impl_->waiting = query;
  }
  impl_->worker.start();
  const auto lock = impl_->worker.lock();
  return impl_->find(query).value_or(Answer{});
}

bool Explanations::busy() const {
  return impl_->worker.busy();
}

}  // namespace headscope
