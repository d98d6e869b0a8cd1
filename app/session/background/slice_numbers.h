// What is known of a matrix only after all of it was read: statistics, histogram, a head's pattern. In the background,
// on request, for matrices that no frame may walk over.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/session/background/executor.h"
#include "app/session/background/map_tiles.h"
#include "core/heads/pattern.h"
#include "core/tensor/statistics.h"

namespace headscope {

class SliceNumbers {
 public:
  enum class State { unknown, waiting, running, known, failed };
  struct Numbers {
    State state = State::unknown;
    double progress = 0;  // of running: [0, 1]
    Statistics statistics;
    Histogram histogram;
    std::optional<HeadSummary> summary;  // when a trace was given
    std::string failure;
  };

  // One matrix at a time on `executor`; `wake` is called by it when a hundredth is done and at the end.
  SliceNumbers(std::unique_ptr<Executor> executor, std::function<void()> wake);
  // Cancels what runs and waits for it.
  ~SliceNumbers();
  SliceNumbers(const SliceNumbers&) = delete;
  SliceNumbers& operator=(const SliceNumbers&) = delete;

  Numbers numbers(const MapKey& key) const;
  // Queues a matrix unless it is known or on its way. With a trace, also the summary of the head (`key.slice`) whose
  // weights the matrix is. What was asked for of other versions is dropped.
  void ask(const MapKey& key, const Tensor& matrix, int bins, std::shared_ptr<const Trace> trace_of_weights = nullptr);
  void cancel(const MapKey& key);
  bool busy() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same numbers, read `rows` rows at a time whatever part of them is asked for: many small reads of a computed
// matrix cost little then. `on_strip` is called before each strip with the rows it begins at; it may throw. For one
// thread.
Tensor read_by_strips(const Tensor& matrix, std::int64_t rows, std::function<void(std::int64_t first_row)> on_strip);

}  // namespace headscope
