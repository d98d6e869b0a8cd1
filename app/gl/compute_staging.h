// The way of many numbers between the program's memory and the device's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/thread_pool.h"
#include "core/tensor/tensor.h"

namespace headscope {

// Numbers [first, first + count) of a buffer, which go to or come from one piece of memory.
struct BufferRun {
  std::int64_t first = 0, count = 0;
  float* memory = nullptr;
};

// Through pieces of memory that the device itself reads and writes, filled and emptied by all threads while the device
// copies the piece before. A driver's own copy into memory of the program is one thread's: measured on one card, 2 to 9
// GB/s, where the bus carries 50. Belongs to the context that is current when it is made.
class ComputeStaging {
 public:
  // Whether the context that is current can (OpenGL 4.4 or ARB_buffer_storage).
  static bool is_possible();
  // Fewer numbers are quicker without.
  static constexpr std::int64_t kFewNumbers = std::int64_t{1} << 14;

  // Copies are made by `threads`, which must live as long.
  explicit ComputeStaging(ThreadPool& threads);
  ~ComputeStaging();
  ComputeStaging(const ComputeStaging&) = delete;
  ComputeStaging& operator=(const ComputeStaging&) = delete;

  // The region, row-major, into the buffer from its beginning. Throws Error when the driver refuses.
  void upload(const Tensor& tensor, const Region& region, unsigned buffer);

  // The runs, in the order of `first` and without gaps, from the buffer. Throws Error when the driver refuses or the
  // device was lost.
  void download(unsigned buffer, std::span<const BufferRun> runs);

 private:
  struct Slot;
  static constexpr std::size_t kSlots = 2;
  using Slots = std::array<std::unique_ptr<Slot>, kSlots>;

  // With room for so many numbers, and done with what it was used for before.
  Slot& free_slot(Slots& slots, std::size_t number, std::int64_t count);

  Slots up_, down_;
  ThreadPool& threads_;
};

}  // namespace headscope
