#include "app/session/background/maps/slice_numbers.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include "app/session/background/work/worker.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/heads/head_metric_values.h"
#include "core/heads/token_places.h"
#include "core/io/mapping_guard.h"

namespace headscope {
namespace {

constexpr std::int64_t kStripValues = std::int64_t{1} << 20;

struct Strip {
  std::int64_t begin = 0;
  std::vector<float> values;
};

// A trace of which only the weights of one head can be read: what summarize_head() looks at.
Trace with_weights(const Trace& trace, const Tensor& weights) {
  Trace result = trace;
  for (Stage& stage : result.stages) {
    if (stage.id != StageId::weights) continue;
    const Tensor& all = stage.tensor;
    stage.tensor = Tensor::computed(all.shape(), all.axes(), [weights](const Region& region, std::span<float> out) {
      weights.read(Region{region[2], region[3]}, out);
    });
  }
  return result;
}

}  // namespace

Tensor read_by_strips(const Tensor& matrix, std::int64_t rows, std::function<void(std::int64_t)> on_strip) {
  auto strip = std::make_shared<Strip>();
  const std::int64_t columns = matrix.dim(1), all = matrix.dim(0);
  return Tensor::computed(matrix.shape(), matrix.axes(),
                          [matrix, strip, rows, columns, all, on_strip](const Region& region, std::span<float> out) {
                            float* to = out.data();
                            for (std::int64_t i = region[0].begin; i < region[0].end; ++i) {
                              const auto held =
                                  static_cast<std::int64_t>(strip->values.size()) / std::max<std::int64_t>(columns, 1);
                              if (i < strip->begin || i >= strip->begin + held) {
                                const Range next{i, std::min(i + rows, all)};
                                on_strip(i);
                                strip->values.resize(static_cast<std::size_t>(next.size() * columns));
                                matrix.read(Region{next, {0, columns}}, strip->values);
                                strip->begin = i;
                              }
                              const float* from = strip->values.data() + (i - strip->begin) * columns;
                              to = std::copy(from + region[1].begin, from + region[1].end, to);
                            }
                          });
}

struct SliceNumbers::Impl {
  struct Waiting {
    MapKey key;
    Tensor matrix;
    int bins = 0;
    std::shared_ptr<const Trace> trace;
  };

  explicit Impl(std::unique_ptr<Executor> executor, std::function<void()> wake)
      : worker(std::move(executor), std::move(wake), {[this] { return !waiting.empty(); }, [this] { return take(); }}) {
  }

  Worker::Piece take() {
    Waiting task = std::move(waiting.front());
    waiting.pop_front();
    numbers[task.key].state = State::running;
    return [this, task = std::move(task)](const CancelToken& cancel) { make(task, cancel); };
  }

  void make(const Waiting& task, const CancelToken& cancel) {
    Numbers result;
    try {
      result = numbers_of(task, cancel);
      check_mapped_files();
    } catch (const Cancelled&) {
      result = {};
    } catch (const std::exception& error) {
      result.state = State::failed;
      result.failure = failure_words(error);
    }
    {
      const auto lock = worker.lock();
      numbers[task.key] = std::move(result);
    }
    worker.wake();
  }

  Numbers numbers_of(const Waiting& task, const CancelToken& cancel) {
    // Statistics read everything once, the histogram twice, the summary once.
    const double passes = task.trace ? 4 : 3;
    const std::int64_t rows = task.matrix.dim(0);
    std::int64_t seen = 0;
    const std::int64_t strip = std::clamp<std::int64_t>(kStripValues / std::max<std::int64_t>(1, task.matrix.dim(1)), 1,
                                                        std::max<std::int64_t>(1, rows));
    const Tensor matrix = read_by_strips(task.matrix, strip, [&](std::int64_t) {
      cancel.check();
      set_progress(task.key, static_cast<double>(seen) / (passes * static_cast<double>(rows)));
      seen += strip;
    });
    Numbers result;
    result.statistics = statistics_of(matrix);
    result.histogram = histogram_of(matrix, task.bins);
    if (task.trace) {
      const Trace trace = with_weights(*task.trace, matrix);
      const HeadMetrics metrics = head_metrics(trace, task.key.batch, task.key.slice, TokenPlaces(trace), cancel);
      result.summary = summary_of(metrics);
      result.habit = habit_of(metrics);
    }
    result.state = State::known;
    result.progress = 1;
    return result;
  }

  void set_progress(const MapKey& key, double share) {
    {
      const auto lock = worker.lock();
      double& progress = numbers[key].progress;
      const bool visible = std::floor(share * 100) != std::floor(progress * 100);
      progress = std::min(1.0, share);
      if (!visible) return;
    }
    worker.wake();
  }

  // Behind the worker's lock.
  std::map<MapKey, Numbers> numbers;
  std::deque<Waiting> waiting;
  Worker worker;  // last: it ends before what its pieces use
};

SliceNumbers::SliceNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake)
    : impl_(std::make_unique<Impl>(std::move(executor), std::move(wake))) {}

SliceNumbers::~SliceNumbers() = default;

SliceNumbers::Numbers SliceNumbers::numbers(const MapKey& key) const {
  const auto lock = impl_->worker.lock();
  const auto found = impl_->numbers.find(key);
  return found == impl_->numbers.end() ? Numbers() : found->second;
}

void SliceNumbers::ask(const MapKey& key, const Tensor& matrix, int bins,
                       std::shared_ptr<const Trace> trace_of_weights) {
  {
    const auto lock = impl_->worker.lock();
    const auto is_old = [&](const MapKey& other) { return other.version != key.version; };
    for (const auto& [other, numbers] : impl_->numbers) {
      if (is_old(other) && numbers.state == State::running) impl_->worker.cancel();
    }
    std::erase_if(impl_->waiting, [&](const Impl::Waiting& each) { return is_old(each.key); });
    std::erase_if(impl_->numbers,
                  [&](const auto& each) { return is_old(each.first) && each.second.state != State::running; });
    Numbers& own = impl_->numbers[key];
    if (own.state != State::unknown) return;
    own.state = State::waiting;
    impl_->waiting.push_back({key, matrix, bins, std::move(trace_of_weights)});
  }
  impl_->worker.start();
}

void SliceNumbers::cancel(const MapKey& key) {
  const auto lock = impl_->worker.lock();
  const auto found = impl_->numbers.find(key);
  if (found == impl_->numbers.end()) return;
  if (found->second.state == State::running) {
    impl_->worker.cancel();
  } else if (found->second.state == State::waiting) {
    std::erase_if(impl_->waiting, [&](const Impl::Waiting& each) { return each.key == key; });
    impl_->numbers.erase(found);
  }
}

bool SliceNumbers::busy() const {
  return impl_->worker.busy();
}

}  // namespace headscope
