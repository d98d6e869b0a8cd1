// Memory of stages that goes from trace to trace: rows at the front that did not change are not computed again, and not
// copied either when the memory still holds them.
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

// Kept by one engine. A tensor taken here may outlive it, and may be let go by any thread.
class StageBuffers {
 public:
  // Keeps at most `free_bytes` of memory that no trace uses.
  explicit StageBuffers(std::int64_t free_bytes = std::int64_t{1} << 28);
  ~StageBuffers();

  // A run begins, of which `reuse` knows what it shares with the last one that was completed.
  void begin(const Reuse& reuse);

  // A writable tensor of this shape for the rows along `row_axis`, whose first `valid` rows hold what the stage has
  // there. `same` is the number of rows that it shares with `previous`, the last completed run's tensor of this stage
  // (empty: nothing). Has room to grow along the row axis, and along the last axis of score-like stages, so it is in
  // general not dense. The rest holds anything; of score-like stages whose rows see only what lies before them
  // (`same` > 0) the cells beyond are 0.
  Tensor take(StageId stage, const Shape& shape, const Axes& axes, int row_axis, const Tensor& previous,
              std::int64_t same);

  // The run is complete: what it took holds its rows from now on.
  void complete();

 private:
  struct Buffer;
  struct Free;
  struct Wanted;
  std::int64_t rows_since(std::uint64_t run, bool score_rows) const;
  // The free buffer that holds the most rows of the run that begins, and how many; null where none fits. Drops buffers
  // of the stage that do not fit.
  std::pair<std::unique_ptr<Buffer>, std::int64_t> take_free(const Wanted& wanted);
  // Owns the buffer while a tensor uses it, then makes it free again.
  std::shared_ptr<const void> owner_of(std::unique_ptr<Buffer> buffer);

  std::shared_ptr<Free> free_;
  std::uint64_t run_ = 0;  // of the last completed run
  struct Shared {
    std::int64_t positions = 0, queries = 0;
  };
  std::deque<Shared> shared_;  // what completed runs shared with the one before them, newest last
  Shared now_;
  std::vector<Buffer*> taken_;
};

}  // namespace headscope
