// Statistics, histogram and pattern of large matrices, which need all of the matrix: computed in the background when
// the user asks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/session/background/maps/map_tiles.h"
#include "app/session/background/work/executor.h"
#include "core/heads/head_habit.h"
#include "core/heads/pattern.h"
#include "core/tensor/statistics.h"

namespace headscope {

class SliceNumbers {
 public:
  enum class State { unknown, waiting, running, known, failed };
  struct Numbers {
    State state = State::unknown;
    double progress = 0;  // of a running one, in [0, 1]
    Statistics statistics;
    Histogram histogram;
    std::optional<HeadSummary> summary;  // nullopt unless a trace was given to ask()
    HeadHabit habit;                     // known with the summary
    std::string failure;
  };

  // Reads one matrix at a time on `executor`, which calls `wake` after every hundredth and at the end.
  SliceNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels running work and waits for it.
  ~SliceNumbers();
  SliceNumbers(const SliceNumbers&) = delete;
  SliceNumbers& operator=(const SliceNumbers&) = delete;

  Numbers numbers(const MapKey& key) const;
  // Queues a matrix unless it is known, queued or running. With a trace, also computes the summary of the head
  // (`key.slice`) whose weights the matrix holds. Drops queued matrices of other versions.
  void ask(const MapKey& key, const Tensor& matrix, int bins, std::shared_ptr<const Trace> trace_of_weights = nullptr);
  void cancel(const MapKey& key);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same numbers, always read from `matrix` in strips of `rows` rows, so that many small reads of a computed matrix
// are cheap. `on_strip` is called before each strip with its first row; it may throw. The result may be used by one
// thread only.
Tensor read_by_strips(const Tensor& matrix, std::int64_t rows, std::function<void(std::int64_t first_row)> on_strip);

}  // namespace headscope
