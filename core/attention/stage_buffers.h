// Memory of stages that passes from trace to trace: unchanged rows at the front are not computed again, and not even
// copied when the memory still holds them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/attention/reuse.h"
#include "core/request/stage.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Owned by one engine. A tensor taken here may outlive it, and any thread may release it.
class StageBuffers {
 public:
  // Keeps at most `free_bytes` of memory that no trace uses.
  explicit StageBuffers(std::int64_t free_bytes = std::int64_t{1} << 28);
  ~StageBuffers();

  // Begins a run; `reuse` says what it shares with the last completed run.
  void begin(const Reuse& reuse);

  // A writable tensor of this shape, whose first `same` rows along `row_axis` already hold the rows of `previous`, the
  // last completed run's tensor of this stage (empty: none). It has room to grow along the row axis, and along the last
  // axis of score-like stages, so it is in general not dense. The other rows are uninitialised; of score-like stages
  // whose rows see only earlier keys (`same` > 0) the cells beyond these keys are 0.
  Tensor take(StageId stage, const Shape& shape, const Axes& axes, int row_axis, const Tensor& previous,
              std::int64_t same);

  // Ends the run: the memory that it took now holds its rows.
  void complete();

 private:
  struct Buffer;
  struct Free;
  struct Wanted;
  std::int64_t rows_since(std::uint64_t run, StageId stage) const;
  // The free buffer that holds the most rows of the run that begins, and how many; null where none fits. Drops buffers
  // of the stage that do not fit.
  std::pair<std::unique_ptr<Buffer>, std::int64_t> take_free(const Wanted& wanted);
  // Owns the buffer while a tensor uses it, then makes it free again.
  std::shared_ptr<const void> owner_of(std::unique_ptr<Buffer> buffer);

  std::shared_ptr<Free> free_;
  std::uint64_t run_ = 0;                    // of the last completed run
  using Shared = std::vector<std::int64_t>;  // rows at the front of every stage, in the order of StageId
  std::deque<Shared> shared_;                // what completed runs shared with the one before them, newest last
  Shared now_;
  std::vector<Buffer*> taken_;
};

}  // namespace headscope
