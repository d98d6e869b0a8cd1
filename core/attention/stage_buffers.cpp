#include "core/attention/stage_buffers.h"

#include <algorithm>
#include <limits>

#include "core/tensor/copy_values.h"

namespace headscope {
namespace {

constexpr std::size_t kRunsRemembered = 16;

// Room for about an eighth more, in steps that keep rows aligned.
std::int64_t with_room(std::int64_t size) {
  constexpr std::int64_t kStep = 32;
  return (size + size / 8 + kStep) / kStep * kStep;
}

// Copies rows [begin, end) along `row_axis`, as many columns as both have.
void copy_rows(const Tensor& from, Tensor& to, int row_axis, std::int64_t begin, std::int64_t end) {
  if (begin >= end) return;
  const int last = to.rank() - 1;
  const std::int64_t columns = std::min(from.dim(last), to.dim(last));
  Tensor rows = to.writable_sliced(row_axis, begin, end).writable_sliced(last, 0, columns);
  copy_values(from.sliced(row_axis, begin, end).sliced(last, 0, columns), rows);
}

}  // namespace

struct StageBuffers::Buffer {
  StageId stage{};
  Tensor full;
  std::uint64_t run = 0;  // the run whose rows it holds; 0: none
  std::int64_t rows = 0;  // of that run
  bool clean = true;      // nothing was ever written beyond the diagonal
};

struct StageBuffers::Wanted {
  StageId stage{};
  const Shape& shape;
  int row_axis = 0;

  bool grows(int axis) const { return axis == row_axis || (is_score_like(stage) && axis == shape.count - 1); }

  bool fits(const Buffer& buffer) const {
    if (buffer.stage != stage || buffer.full.rank() != shape.count) return false;
    for (int axis = 0; axis < shape.count; ++axis) {
      const std::int64_t room = buffer.full.dim(axis);
      if (grows(axis) ? room < shape[axis] : room != shape[axis]) return false;
    }
    return true;
  }

  std::unique_ptr<Buffer> made(const Axes& axes) const {
    Shape room = shape;
    for (int axis = 0; axis < shape.count; ++axis) room[axis] = grows(axis) ? with_room(shape[axis]) : shape[axis];
    auto buffer = std::make_unique<Buffer>();
    buffer->stage = stage;
    buffer->full = Tensor::zeros(room, axes);
    return buffer;
  }
};

struct StageBuffers::Free {
  std::mutex mutex;
  std::int64_t most_bytes = 0;
  std::deque<std::unique_ptr<Buffer>> buffers;  // oldest first
};

StageBuffers::StageBuffers(std::int64_t free_bytes) : free_(std::make_shared<Free>()) {
  free_->most_bytes = free_bytes;
}

StageBuffers::~StageBuffers() = default;

void StageBuffers::begin(const Reuse& reuse) {
  taken_.clear();
  now_.clear();
  for (const StageId stage : all_stages()) now_.push_back(reuse.same_rows(stage));
}

void StageBuffers::complete() {
  ++run_;
  shared_.push_back(now_);
  if (shared_.size() > kRunsRemembered) shared_.pop_front();
  for (Buffer* buffer : taken_) buffer->run = run_;
  taken_.clear();
}

// How many rows of a stage of the run that begins are those of a completed one. Each stage counts for itself: a merge
// that mixes positions leaves the context as it is and changes what follows.
std::int64_t StageBuffers::rows_since(std::uint64_t run, StageId stage) const {
  const std::uint64_t back = run_ - run;  // completed runs since then
  if (run == 0 || back > shared_.size()) return 0;
  const auto of = [&](const Shared& shared) { return shared[static_cast<std::size_t>(stage)]; };
  std::int64_t rows = of(now_);
  for (std::size_t k = 0; k < back; ++k) rows = std::min(rows, of(shared_[shared_.size() - 1 - k]));
  return rows;
}

std::pair<std::unique_ptr<StageBuffers::Buffer>, std::int64_t> StageBuffers::take_free(const Wanted& wanted) {
  const std::lock_guard<std::mutex> lock(free_->mutex);
  std::erase_if(free_->buffers,
                [&](const auto& buffer) { return buffer->stage == wanted.stage && !wanted.fits(*buffer); });
  auto best = free_->buffers.end();
  std::int64_t most = -1;
  for (auto entry = free_->buffers.begin(); entry != free_->buffers.end(); ++entry) {
    if ((*entry)->stage != wanted.stage) continue;
    const std::int64_t rows = std::min((*entry)->rows, rows_since((*entry)->run, wanted.stage));
    if (rows <= most) continue;
    most = rows;
    best = entry;
  }
  if (best == free_->buffers.end()) return {nullptr, 0};
  std::unique_ptr<Buffer> mine = std::move(*best);
  free_->buffers.erase(best);
  return {std::move(mine), most};
}

std::shared_ptr<const void> StageBuffers::owner_of(std::unique_ptr<Buffer> buffer) {
  Buffer* const raw = buffer.release();
  taken_.push_back(raw);
  return {raw, [kept = std::weak_ptr<Free>(free_)](const void* p) {
            std::unique_ptr<Buffer> used(static_cast<Buffer*>(const_cast<void*>(p)));
            const std::shared_ptr<Free> free = kept.lock();
            if (free == nullptr) return;
            const std::lock_guard<std::mutex> lock(free->mutex);
            free->buffers.push_back(std::move(used));
            std::int64_t bytes = 0;
            for (const auto& entry : free->buffers) bytes += 4 * entry->full.size();
            while (bytes > free->most_bytes) {
              bytes -= 4 * free->buffers.front()->full.size();
              free->buffers.pop_front();
            }
          }};
}

Tensor StageBuffers::take(StageId stage, const Shape& shape, const Axes& axes, int row_axis, const Tensor& previous,
                          std::int64_t same) {
  const Wanted wanted{stage, shape, row_axis};
  auto [mine, rows] = take_free(wanted);
  std::int64_t valid = mine == nullptr ? 0 : std::min(rows, same);
  if (mine == nullptr) mine = wanted.made(axes);
  mine->run = 0;
  mine->rows = shape[row_axis];
  if (same == 0) mine->clean = false;
  Tensor full = mine->full;
  if (is_score_like(stage) && same > 0 && !mine->clean) {
    // Columns beyond the rows that are kept hold what was there before.
    std::fill_n(full.mutable_data(), full.size(), 0.0F);
    mine->clean = true;
    valid = 0;
  }
  const std::shared_ptr<const void> owner = owner_of(std::move(mine));
  Tensor result = Tensor::writable_view_of(owner, full.mutable_data(), shape, full.strides(), axes);
  if (!previous.empty()) copy_rows(previous, result, row_axis, valid, same);
  return result;
}

}  // namespace headscope
